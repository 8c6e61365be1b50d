package schema

// actions are the steps that do something, as opposed to those that judge.
func actions() []*Block {
	return []*Block{apply(), remove(), patch(), exec(), wait(), sleep(), signal(), node()}
}

func expectError() Argument {
	return Argument{Name: "expect_error", Type: "bool or string", Default: "false", Stage: Begin,
		Doc: "true: the step must be refused, and step.NAME.error says how. A string is a regular expression (RE2) that the refusal must match. An answer of the API server that does not reject the object (401, 409, 429, 5xx) is not a refusal: the step is an Error then."}
}

func timeout(after string) Argument {
	return Argument{Name: "timeout", Type: "duration", Default: `"` + after + `"`, Stage: Load, Doc: "How long the step may take."}
}

func fieldValidation() Argument {
	return Argument{Name: "field_validation", Type: "string", Default: `"strict"`, Values: []string{"strict", "warn", "ignore"}, Stage: Load,
		Doc: "What the API server does with unknown and duplicate fields: refuse them as kubectl does, warn, or drop them."}
}

func apply() *Block {
	return &Block{
		Type: "apply", Labels: []string{"name"}, Step: true,
		Summary: "Creates objects, or changes those that are there, in the order written.",
		Doc:     "Objects that name no namespace go to the run's own. The images that they ask for are put on the nodes first.",
		Example: `apply "job" {
  manifests = [templatefile("job.yaml", { image = var.image })]
}`,
		Arguments: []Argument{
			{Name: "manifests", Type: "string or list(string)", Required: true, Stage: Begin, Doc: "YAML or JSON documents, such as file(\"job.yaml\") or yamlencode({...})."},
			fieldValidation(), expectError(), timeout("1m"),
		},
	}
}

func remove() *Block {
	return &Block{
		Type: "delete", Labels: []string{"name"}, Step: true,
		Summary: "Deletes objects, and waits until they are gone.",
		Example: `delete "pod" {
  objects      = ["pod/web", "configmap/web"]
  grace_period = "10s"
}`,
		Arguments: []Argument{
			{Name: "objects", Type: "string or list(string)", Stage: Begin, Doc: "The objects as kubectl writes them: \"pod/web\", \"deployments.apps/web\". Either this or manifests."},
			{Name: "manifests", Type: "string or list(string)", Stage: Begin, Doc: "Manifests of the objects to delete. Either this or objects."},
			{Name: "grace_period", Type: "duration", Stage: Load, Doc: "Instead of the object's own; \"0s\" deletes at once, without waiting for the containers."},
			{Name: "propagation", Type: "string", Default: `"background"`, Values: []string{"background", "foreground", "orphan"}, Stage: Load, Doc: "What becomes of what the objects own."},
			{Name: "wait", Type: "bool", Default: "true", Stage: Load, Doc: "Whether to wait until the objects are gone."},
			{Name: "ignore_not_found", Type: "bool", Default: "false", Stage: Load, Doc: "Whether it is all right that an object is not there."},
			expectError(), timeout("2m"),
		},
	}
}

func patch() *Block {
	return &Block{
		Type: "patch", Labels: []string{"name"}, Step: true,
		Summary: "Changes one object by a patch.",
		Example: `patch "image" {
  object = "deployment/web"
  patch  = { spec = { replicas = 3 } }
  type   = "merge"
}`,
		Arguments: []Argument{
			{Name: "object", Type: "string", Required: true, Stage: Begin, Doc: "The object as kubectl writes it: \"pod/web\"."},
			{Name: "patch", Type: "any", Required: true, Stage: Begin, Doc: "The patch: a value, or a string of YAML or JSON."},
			{Name: "type", Type: "string", Default: `"strategic"`, Values: []string{"strategic", "merge", "json", "apply"}, Stage: Load, Doc: "How the patch is applied; \"json\" is a list of operations (RFC 6902), \"apply\" is server-side apply."},
			{Name: "subresource", Type: "string", Stage: Load, Doc: "The subresource to patch, such as \"status\", \"scale\", \"resize\" or \"ephemeralcontainers\"."},
			fieldValidation(), expectError(), timeout("1m"),
		},
	}
}

func exec() *Block {
	return &Block{
		Type: "exec", Labels: []string{"name"}, Step: true,
		Summary: "Runs a command in a container, on a node, or on this machine.",
		Doc:     "step.NAME has stdout, stderr and exit_code. An exit code other than 0 fails the step, unless expect_error or ignore_exit_code says otherwise.",
		Example: `exec "read" {
  pod       = job.myapp.pod.name
  container = "main"
  command   = ["cat", "/tmp/state"]
}`,
		Arguments: []Argument{
			{Name: "pod", Type: "string", Stage: Begin, Doc: "The pod's name. One of pod, node and host."},
			{Name: "container", Type: "string", Stage: Begin, Doc: "The container; the pod's first where it is not written."},
			{Name: "node", Type: "string", Stage: Begin, Doc: "A node's name, such as target.nodes[0]: the command runs on the node itself. One of pod, node and host."},
			{Name: "host", Type: "bool", Default: "false", Stage: Load, Doc: "Run on this machine, in the scenario's folder, with KUBECONFIG set to the cluster's; only with `lab run -allow-host-exec`. One of pod, node and host."},
			{Name: "command", Type: "list(string)", Required: true, Stage: Begin, Doc: "The program and its arguments. No shell is involved: write [\"sh\", \"-c\", \"...\"] for one."},
			{Name: "stdin", Type: "string", Stage: Begin, Doc: "What the command reads."},
			{Name: "ignore_exit_code", Type: "bool", Default: "false", Stage: Load, Doc: "Whether any exit code is all right."},
			expectError(), timeout("30s"),
		},
	}
}

func wait() *Block {
	return &Block{
		Type: "wait", Labels: []string{"name"}, Step: true,
		Summary: "Waits for a condition that the next steps need, without judging it.",
		Doc:     "Where it does not come true in time the step failed, and what comes after it is skipped.",
		Example: `wait "until it runs" {
  condition = pod.web.phase == "Running"
  within    = "30s"
}`,
		Arguments: []Argument{
			{Name: "condition", Type: "condition", Required: true, Stage: Judge, Doc: "What to wait for."},
			{Name: "within", Type: "duration", Default: `"1m"`, Stage: Load, Doc: "How long to wait."},
			{Name: "hold", Type: "duration", Stage: Load, Doc: "It must stay true that long."},
		},
	}
}

func sleep() *Block {
	return &Block{
		Type: "sleep", Labels: []string{"name"}, Step: true,
		Summary: "Lets time pass. Prefer wait where there is something to wait for.",
		Example: `sleep "let it settle" { duration = "5s" }`,
		Arguments: []Argument{
			{Name: "duration", Type: "duration", Required: true, Stage: Load, Doc: "How long."},
		},
	}
}

func signal() *Block {
	return &Block{
		Type: "signal", Labels: []string{"name"}, Step: true,
		Summary: "Sends a signal to a container's first process, from the node.",
		Example: `signal "stop the proxy" {
  pod       = "web"
  container = "proxy"
  signal    = "TERM"
}`,
		Arguments: []Argument{
			{Name: "pod", Type: "string", Required: true, Stage: Begin, Doc: "The pod's name."},
			{Name: "container", Type: "string", Required: true, Stage: Begin, Doc: "The container's name."},
			{Name: "signal", Type: "string", Default: `"TERM"`, Stage: Begin, Doc: "The signal by name, with or without SIG, or by number."},
			expectError(), timeout("30s"),
		},
	}
}

func node() *Block {
	return &Block{
		Type: "node", Labels: []string{"name"}, Step: true,
		Summary: "Does something to a node: what the scheduler may do with it, its machine, or one of its services.",
		Doc: "cordon, uncordon and drain are as kubectl's. stop, start, restart, pause and unpause are about the node's machine, " +
			"or with service about that service of it (stop, start, restart only).",
		Example: `node "restart the kubelet" {
  action  = "restart"
  service = "kubelet"
}`,
		Arguments: []Argument{
			{Name: "node", Type: "string", Stage: Begin, Doc: "The node's name, such as target.nodes[0]; the only one where there is one."},
			{Name: "action", Type: "string", Required: true, Values: []string{"cordon", "uncordon", "drain", "stop", "start", "restart", "pause", "unpause"}, Stage: Load, Doc: "What to do."},
			{Name: "service", Type: "string", Values: []string{"kubelet", "containerd"}, Stage: Load, Doc: "The service to stop, start or restart instead of the machine."},
			expectError(), timeout("2m"),
		},
	}
}
