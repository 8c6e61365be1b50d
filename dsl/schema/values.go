package schema

import "strings"

// Value is a type of value that a reference can reach: a root, or a value below
// a root.
type Value struct {
	// Name is the name of the root, such as "pod", or of the type below a root,
	// such as "container".
	Name string `json:"name"`
	// Reference is a reference that reaches it.
	Reference string `json:"reference"`
	Doc       string `json:"doc"`
	// Root says that references begin with the name.
	Root bool `json:"root,omitempty"`
	// Open says that it has more attributes than these: the fields of the
	// object's JSON, or names that the file declares.
	Open       bool        `json:"open,omitempty"`
	Attributes []Attribute `json:"attributes,omitempty"`
}

// Attribute is an attribute of a value.
type Attribute struct {
	Name string `json:"name"`
	// Type is the type as the documentation writes it: "string", "time", "list(container)".
	Type string `json:"type"`
	// Values are all possible values; empty if any value is possible.
	Values []string `json:"values,omitempty"`
	Doc    string   `json:"doc"`
}

// Attribute returns the attribute of that name, or nil.
func (v *Value) Attribute(name string) *Attribute {
	for i := range v.Attributes {
		if v.Attributes[i].Name == name {
			return &v.Attributes[i]
		}
	}
	return nil
}

// Values returns all roots, then the types of values below them.
func Values() []*Value {
	all := []*Value{
		{Name: "var", Reference: "var.NAME", Root: true, Open: true, Doc: "The variables of the file."},
		{Name: "local", Reference: "local.NAME", Root: true, Open: true, Doc: "The locals of the file and of the scenario."},
		{Name: "matrix", Reference: "matrix.AXIS", Root: true, Open: true, Doc: "The current row of the scenario's matrix."},
		{Name: "each", Reference: "each.key", Root: true, Doc: "The current element of a cluster's for_each.",
			Attributes: attributes("key: string: The key of the element.", "value: any: The value of the element.")},
		{Name: "path", Reference: "path.scenario", Root: true, Doc: "Folders.",
			Attributes: attributes("scenario: string: The scenario's folder.")},
		{Name: "cluster", Reference: "cluster.NAME", Root: true, Open: true, Doc: "The declared clusters. Available only in the clusters argument of a scenario."},
		target(), pod(), job(), step(),
	}
	for _, kind := range objectKinds() {
		all = append(all, object(kind))
	}
	return append(all, container(), run(), log(), line(), event())
}

// objectKinds are the kinds of objects that have a root and no attributes of
// their own.
func objectKinds() []string {
	return []string{"configmap", "cronjob", "daemonset", "deployment", "endpointslice", "namespace", "node",
		"persistentvolumeclaim", "replicaset", "secret", "service", "statefulset"}
}

// ValueOf returns the value of that name, or nil.
func ValueOf(name string) *Value {
	for _, v := range Values() {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// Below returns the value that an attribute's type names, such as container
// for "map(container)"; nil if the type is a plain one.
func (a *Attribute) Below() *Value {
	name := a.Type
	if i := strings.IndexByte(name, '('); i >= 0 {
		name = strings.TrimSuffix(name[i+1:], ")")
	}
	return ValueOf(name)
}

// attributes parses attributes of the form "name: type: doc". The type of a
// string with a fixed set of values lists them: "string(a|b)".
func attributes(lines ...string) []Attribute {
	all := make([]Attribute, len(lines))
	for i, l := range lines {
		parts := strings.SplitN(l, ": ", 3)
		all[i] = Attribute{Name: parts[0], Type: parts[1], Doc: parts[2]}
		if values, ok := strings.CutPrefix(parts[1], "string("); ok {
			all[i].Type, all[i].Values = "string", strings.Split(strings.TrimSuffix(values, ")"), "|")
		}
	}
	return all
}

func target() *Value {
	return &Value{Name: "target", Reference: "target", Root: true, Doc: "The cluster that the scenario runs on.",
		Attributes: attributes(
			"name: string: The cluster's name in the file.",
			"kubernetes: string: The full Kubernetes version, such as \"1.28.15\".",
			"minor: number: The minor version, such as 28.",
			"feature_gates: map(bool): The feature gates that the cluster sets. lookup(target.feature_gates, \"X\", false) also works for a gate that it does not set. Unknown for an existing cluster.",
			"native_sidecars: bool: Whether the cluster runs init containers with restartPolicy Always as native sidecars (KEP-753).",
			"ordered_termination: bool: Whether the cluster stops native sidecars after the other containers, in reverse order (1.29 and later).",
			"nodes: list(string): The names of the nodes. Unknown if the user has no permission to list nodes.",
			"runtime: string: The container runtime, such as \"containerd://2.3.4\".",
			"cgroup: number: The version of cgroups on the nodes, 1 or 2.",
		)}
}

func pod() *Value {
	return &Value{Name: "pod", Reference: "pod.NAME", Root: true, Doc: "A pod in the run's namespace, or null if it is known not to exist.",
		Attributes: attributes(
			"name: string: Its name.",
			"uid: string: Its UID.",
			"ip: string: Its IP address.",
			"node: string: The node that it runs on.",
			"phase: string(Pending|Running|Succeeded|Failed|Unknown): Pending, Running, Succeeded, Failed or Unknown. The value is unknown while a gap of the API is open, like all values about the present.",
			"status: string: The STATUS column of kubectl get pods, as the API server computes it.",
			"statuses: list(string): The distinct values of status, in the order in which they were seen. Incomplete after a gap of the API in which a status may be lost.",
			"ready: string: The READY column, such as \"1/2\".",
			"reason: string: The reason of its status, such as \"Evicted\".",
			"conditions: map(bool): Its conditions, such as conditions[\"Ready\"].",
			"container: map(container): Its containers by name, of all types: init, sidecar, main and ephemeral.",
			"containers: list(container): Its containers in the order of the spec, init containers first.",
			"start_order: list(string): The names of its containers in the order in which they first started. Unknown if the precision of the times does not show the order. Incomplete if a run of a container may be missing.",
			"exit_order: list(string): The names of its containers in the order in which they terminated. Unknown if the precision of the times does not show the order. Incomplete if a run of a container may be missing.",
			"events: list(event): The Kubernetes events about it. They are hints, and do not prove the order of what happened. Incomplete after a gap.",
			"created_at: time: The time when it was created.",
			"deleted_at: time: The time when its deletion was requested.",
			"gone_at: time: The time when it no longer existed.",
			"qos: string(Guaranteed|Burstable|BestEffort): Its QoS class: Guaranteed, Burstable or BestEffort.",
		)}
}

func container() *Value {
	return &Value{Name: "container", Reference: "pod.NAME.container[\"NAME\"]", Doc: "A container of a pod.",
		Attributes: attributes(
			"name: string: Its name.",
			"kind: string(init|sidecar|main|ephemeral): init, sidecar, main or ephemeral.",
			"state: string(waiting|running|terminated): waiting, running or terminated, from the runtime and the API. If the runtime saw it terminate, it is terminated even before the API reports it. Unknown while a gap of the runtime or of the API is open.",
			"reason: string: The reason of its state, such as \"CrashLoopBackOff\" or \"Completed\".",
			"ready: bool: Whether it is ready, from the API. False if the runtime saw it terminate. Unknown until the API reports its newest run, and while a gap is open.",
			"started: bool: Whether its startup probe succeeded, if it has one.",
			"restarts: number: The number of restarts that the API reports, plus the runs that only the runtime has seen. Known again after a gap.",
			"exit_code: number: The exit code of its newest terminated run. Unknown until a run has terminated, and while a gap is open.",
			"signal: number: The number of the signal that terminated that run, or null if no signal did.",
			"oom_killed: bool: Whether the kernel's OOM killer killed a process in that run, from the runtime, the kernel's log or the API.",
			"image: string: Its image.",
			"started_at: time: The time when its newest run started.",
			"ready_at: time: The time when it was first seen ready.",
			"finished_at: time: The time when its newest terminated run terminated.",
			"runs: list(run): All its runs, oldest first. An element that does not exist yet is unknown. Incomplete after a gap in which a run may be lost.",
			"log: log: Its log. Incomplete if lines may be missing.",
		)}
}

func run() *Value {
	return &Value{Name: "run", Reference: "pod.NAME.container[\"NAME\"].runs[0]", Doc: "One run of a container.",
		Attributes: attributes("started_at: time: The time when it started.", "finished_at: time: The time when it terminated.", "exit_code: number: Its exit code.")}
}

func log() *Value {
	return &Value{Name: "log", Reference: "pod.NAME.container[\"NAME\"].log", Doc: "The log of a container so far.",
		Attributes: attributes("text: string: Its last 20,000 lines as one string. Incomplete if there were more.",
			"lines: list(line): Its last 20,000 lines. Incomplete if there were more. A line that does not exist yet is unknown.")}
}

func line() *Value {
	return &Value{Name: "line", Reference: "pod.NAME.container[\"NAME\"].log.lines[0]", Doc: "One line of a log.",
		Attributes: attributes("at: time: The time when the runtime read it.", "text: string: The line, without the line break.")}
}

func event() *Value {
	return &Value{Name: "event", Reference: "pod.NAME.events[0]", Doc: "A Kubernetes event.",
		Attributes: attributes(
			"reason: string: The reason, such as \"BackOff\".", "message: string: What happened, for people to read.", "type: string(Normal|Warning): Normal or Warning.",
			"count: number: How often it happened.", "at: time: The time when it last happened, to the second.",
		)}
}

func job() *Value {
	return &Value{Name: "job", Reference: "job.NAME", Root: true, Doc: "A Job in the run's namespace, or null if it is known not to exist.",
		Attributes: attributes(
			"name: string: Its name.",
			"complete: bool: Whether it has the condition Complete.",
			"failed: bool: Whether it has the condition Failed.",
			"active: number: The number of its pods that are pending or running.",
			"succeeded: number: The number of its pods that succeeded.",
			"failures: number: The number of its pods that failed.",
			"conditions: map(bool): Its conditions.",
			"pods: list(pod): Its pods, oldest first. Incomplete after a gap of the API in which a pod may have come and gone.",
			"pod: pod: The newest of its pods. Unknown, with everything below it, after a gap of the API in which a pod may have come and gone.",
			"started_at: time: The time when the Job controller started to process it.",
			"completed_at: time: The time when it completed.",
		)}
}

func step() *Value {
	return &Value{Name: "step", Reference: "step.NAME", Root: true, Doc: "The result of an earlier step, such as step[\"create the Job\"].",
		Attributes: attributes(
			"started_at: time: The time when it began.",
			"finished_at: time: The time when it finished.",
			"error: string: The error, if the step has expect_error and failed. Otherwise null.",
			"warnings: list(string): The warnings of the API server.",
			"stdout: string: The standard output of an exec's command, null for other steps.",
			"stderr: string: Its standard error, null for other steps.",
			"exit_code: number: Its exit code, null for other steps.",
		)}
}

// object is the root for one of objectKinds.
func object(kind string) *Value {
	return &Value{Name: kind, Reference: kind + ".NAME", Root: true, Open: true,
		Doc: "An object of that kind by name, with the fields of its JSON: status, spec, metadata and so on. A field that it does not have is null. The object itself is null if it is known not to exist.",
		Attributes: attributes(
			"name: string: Its name.", "uid: string: Its UID.", "conditions: map(bool): Its conditions, such as conditions[\"Available\"].",
			"events: list(event): The Kubernetes events about it. Incomplete after a gap.", "created_at: time: The time when it was created.", "gone_at: time: The time when it no longer existed.",
		)}
}
