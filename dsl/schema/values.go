package schema

import "strings"

// Value is a kind of value that is reached by reference: a root, or what is
// below one.
type Value struct {
	// Name is the root's name, such as "pod", or the kind of what is below
	// one, such as "container".
	Name string `json:"name"`
	// Reference is how it is reached.
	Reference string `json:"reference"`
	Doc       string `json:"doc"`
	// Root says that references begin with the name.
	Root bool `json:"root,omitempty"`
	// Open says that it has more attributes than these: those of the object's
	// JSON, or what the file declares.
	Open       bool        `json:"open,omitempty"`
	Attributes []Attribute `json:"attributes,omitempty"`
}

// Attribute is an attribute of a value.
type Attribute struct {
	Name string `json:"name"`
	// Type is as a reader writes it: "string", "time", "list(container)".
	Type string `json:"type"`
	// Values are all that it can be; empty where that is open.
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

// Values returns all roots and what is below them, roots first.
func Values() []*Value {
	all := []*Value{
		{Name: "var", Reference: "var.NAME", Root: true, Open: true, Doc: "The file's variables."},
		{Name: "local", Reference: "local.NAME", Root: true, Open: true, Doc: "The file's locals and the scenario's own."},
		{Name: "matrix", Reference: "matrix.AXIS", Root: true, Open: true, Doc: "The row of the scenario's matrix."},
		{Name: "each", Reference: "each.key", Root: true, Doc: "The element of a cluster's for_each.",
			Attributes: attributes("key: string: The element's key.", "value: any: The element's value.")},
		{Name: "path", Reference: "path.scenario", Root: true, Doc: "Folders.",
			Attributes: attributes("scenario: string: The scenario's folder.")},
		{Name: "cluster", Reference: "cluster.NAME", Root: true, Open: true, Doc: "The declared clusters, in a scenario's clusters only."},
		target(), pod(), job(), step(),
	}
	for _, kind := range []string{"configmap", "cronjob", "daemonset", "deployment", "endpointslice", "namespace", "node",
		"persistentvolumeclaim", "replicaset", "secret", "service", "statefulset"} {
		all = append(all, object(kind))
	}
	return append(all, container(), run(), log(), line(), event())
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
// for "map(container)"; nil where it is a plain one.
func (a *Attribute) Below() *Value {
	name := a.Type
	if i := strings.IndexByte(name, '('); i >= 0 {
		name = strings.TrimSuffix(name[i+1:], ")")
	}
	return ValueOf(name)
}

// attributes reads attributes of the form "name: type: doc". The type of a text
// of which all values are known has them in it: "string(a|b)".
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
	return &Value{Name: "target", Reference: "target", Root: true, Doc: "The cluster that the scenario runs on now.",
		Attributes: attributes(
			"name: string: The cluster's name in the file.",
			"kubernetes: string: Its whole version, such as \"1.28.15\".",
			"minor: number: Its minor version, such as 28.",
			"feature_gates: map(bool): The gates that the cluster sets; lookup(target.feature_gates, \"X\", false) has an answer for others. Unknown on a cluster that exists already.",
			"native_sidecars: bool: Whether init containers with restartPolicy Always are native sidecars there (KEP-753).",
			"ordered_termination: bool: Whether native sidecars are stopped after the other containers, in reverse order (1.29 and later).",
			"nodes: list(string): The names of its nodes; unknown where they may not be listed.",
			"runtime: string: Its container runtime, such as \"containerd://2.3.4\".",
			"cgroup: number: The version of cgroups on its nodes, 1 or 2.",
		)}
}

func pod() *Value {
	return &Value{Name: "pod", Reference: "pod.NAME", Root: true, Doc: "A pod in the run's namespace; null where it is known that there is none.",
		Attributes: attributes(
			"name: string: Its name.",
			"uid: string: Its UID.",
			"ip: string: Its IP address.",
			"node: string: The node it runs on.",
			"phase: string(Pending|Running|Succeeded|Failed|Unknown): Pending, Running, Succeeded, Failed or Unknown. As all that is so now, it is unknown while a gap of the API is open.",
			"status: string: The STATUS column of kubectl get pods, as the API server computes it.",
			"statuses: list(string): The distinct values of status, in the order seen. Incomplete after a gap of the API in which something may be lost.",
			"ready: string: The READY column, such as \"1/2\".",
			"reason: string: The status's reason, such as \"Evicted\".",
			"conditions: map(bool): Its conditions: conditions[\"Ready\"].",
			"container: map(container): Its containers by name: init, sidecar, main and ephemeral alike.",
			"containers: list(container): Its containers in the order of the spec, init containers first.",
			"start_order: list(string): The names of its containers in the order in which they first started; unknown while the times cannot tell, incomplete if a run of one may be missing.",
			"exit_order: list(string): The names of its containers in the order in which they ended; unknown while the times cannot tell, incomplete if a run of one may be missing.",
			"events: list(event): The Kubernetes events about it. They are hints, never evidence of order. Incomplete after a gap.",
			"created_at: time: When it was created.",
			"deleted_at: time: When its deletion was asked for.",
			"gone_at: time: When it was gone.",
			"qos: string(Guaranteed|Burstable|BestEffort): Its QoS class: Guaranteed, Burstable or BestEffort.",
		)}
}

func container() *Value {
	return &Value{Name: "container", Reference: "pod.NAME.container[\"NAME\"]", Doc: "A container of a pod.",
		Attributes: attributes(
			"name: string: Its name.",
			"kind: string(init|sidecar|main|ephemeral): init, sidecar, main or ephemeral.",
			"state: string(waiting|running|terminated): waiting, running or terminated, by the runtime and the API together: if the runtime saw its end, it is terminated before the API says so. Unknown while a gap of either is open.",
			"reason: string: The state's reason, such as \"CrashLoopBackOff\" or \"Completed\".",
			"ready: bool: Whether it is ready, by the API. False if the runtime saw its end, unknown while the API has not told of its newest run or a gap is open.",
			"started: bool: Whether its startup probe, if there is one, succeeded.",
			"restarts: number: How often it was restarted, by the API, with the runs that the runtime alone has seen. Known again after a gap.",
			"exit_code: number: The exit code of its newest run that ended; unknown until one did, and while a gap is open.",
			"signal: number: The signal that ended that run; null where none did.",
			"oom_killed: bool: Whether the kernel killed in that run for want of memory, by the runtime, the kernel's log or the API.",
			"image: string: Its image.",
			"started_at: time: When its newest run started.",
			"ready_at: time: When it was first seen ready.",
			"finished_at: time: When its newest run that ended did so.",
			"runs: list(run): Every run of it, oldest first. An element that is not there yet is unknown. Incomplete after a gap in which a run may be lost.",
			"log: log: What it wrote. Incomplete if lines may be missing.",
		)}
}

func run() *Value {
	return &Value{Name: "run", Reference: "pod.NAME.container[\"NAME\"].runs[0]", Doc: "One run of a container.",
		Attributes: attributes("started_at: time: When it started.", "finished_at: time: When it ended.", "exit_code: number: Its exit code.")}
}

func log() *Value {
	return &Value{Name: "log", Reference: "pod.NAME.container[\"NAME\"].log", Doc: "What a container wrote so far.",
		Attributes: attributes("text: string: Its last 20,000 lines, as one text; incomplete if there were more.",
			"lines: list(line): Its last 20,000 lines; incomplete if there were more. A line that is not there yet is unknown.")}
}

func line() *Value {
	return &Value{Name: "line", Reference: "pod.NAME.container[\"NAME\"].log.lines[0]", Doc: "One line of a log.",
		Attributes: attributes("at: time: When the runtime read it.", "text: string: The line without its end.")}
}

func event() *Value {
	return &Value{Name: "event", Reference: "pod.NAME.events[0]", Doc: "A Kubernetes event.",
		Attributes: attributes(
			"reason: string: Why, such as \"BackOff\".", "message: string: What happened, for people.", "type: string(Normal|Warning): Normal or Warning.",
			"count: number: How often.", "at: time: When last, to the second.",
		)}
}

func job() *Value {
	return &Value{Name: "job", Reference: "job.NAME", Root: true, Doc: "A Job in the run's namespace; null where it is known that there is none.",
		Attributes: attributes(
			"name: string: Its name.",
			"complete: bool: Whether it has the condition Complete.",
			"failed: bool: Whether it has the condition Failed.",
			"active: number: Its pods that are pending or running.",
			"succeeded: number: Its pods that succeeded.",
			"failures: number: Its pods that failed.",
			"conditions: map(bool): Its conditions.",
			"pods: list(pod): Its pods, oldest first. Incomplete after a gap of the API in which a pod may have come and gone.",
			"pod: pod: The newest of its pods. Unknown, with all below it, after a gap of the API in which a pod may have come and gone.",
			"started_at: time: When its controller first looked at it.",
			"completed_at: time: When it was complete.",
		)}
}

func step() *Value {
	return &Value{Name: "step", Reference: "step.NAME", Root: true, Doc: "The result of a step that comes before: step[\"the name\"].",
		Attributes: attributes(
			"started_at: time: When it began.",
			"finished_at: time: When it was done.",
			"error: string: The refusal, where expect_error asked for one; null where there was none.",
			"warnings: list(string): What the API server warned of.",
			"stdout: string: What an exec's command wrote; null for other steps.",
			"stderr: string: What it wrote as errors; null for other steps.",
			"exit_code: number: Its exit code; null for other steps.",
		)}
}

// object is a root of objects that have no kind of value of their own.
func object(kind string) *Value {
	return &Value{Name: kind, Reference: kind + ".NAME", Root: true, Open: true,
		Doc: "An object of that kind by name, as its JSON: status, spec, metadata and so on. What it does not have is null; null itself where it is known that there is none.",
		Attributes: attributes(
			"name: string: Its name.", "uid: string: Its UID.", "conditions: map(bool): Its conditions: conditions[\"Available\"].",
			"events: list(event): The Kubernetes events about it; incomplete after a gap.", "created_at: time: When it was created.", "gone_at: time: When it was gone.",
		)}
}
