package action

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/schema"
)

// Exec runs a command.
type Exec struct {
	// Pod and Node evaluate to names. Exactly one of Pod, Node and Host is set.
	// If Container is nil, the command runs in the pod's first container.
	Pod, Container, Node hcl.Expression
	Host                 bool
	// Command evaluates to a list of strings, and Stdin to a string. Stdin is
	// nil for no input.
	Command, Stdin hcl.Expression
	Limits
}

// Expressions implements Action.
func (e *Exec) Expressions() []hcl.Expression {
	return []hcl.Expression{e.Pod, e.Container, e.Node, e.Command, e.Stdin}
}

func execVerb() Verb {
	return Verb{
		Block: schema.Block{
			Type:    "exec",
			Summary: "Runs a command in a container, on a node, or on this machine.",
			Doc:     "step.NAME has stdout, stderr and exit_code. The step fails if the exit code is not 0, unless expect_error or ignore_exit_code is set.",
			Example: `exec "read" {
  pod       = job.myapp.pod.name
  container = "main"
  command   = ["cat", "/tmp/state"]
}`,
			Arguments: []schema.Argument{
				{Name: "pod", Type: "string", Stage: schema.Begin, Doc: "The pod's name. Set exactly one of pod, node and host."},
				{Name: "container", Type: "string", Stage: schema.Begin, Doc: "The container's name. The default is the pod's first container."},
				{Name: "node", Type: "string", Stage: schema.Begin, Doc: "A node's name, such as target.nodes[0]. The command runs on the node itself. Set exactly one of pod, node and host."},
				{Name: "host", Type: "bool", Default: "false", Stage: schema.Load, Doc: "Whether to run the command on this machine, in the scenario's folder, with KUBECONFIG set for the cluster. It requires `lab run --allow-host-exec`. Set exactly one of pod, node and host."},
				{Name: "command", Type: "list(string)", Required: true, Stage: schema.Begin, Doc: "The program and its arguments. lab does not use a shell: for a shell, write [\"sh\", \"-c\", \"...\"]."},
				{Name: "stdin", Type: "string", Stage: schema.Begin, Doc: "The standard input of the command."},
				{Name: "ignore_exit_code", Type: "bool", Default: "false", Stage: schema.Load, Doc: "Whether any exit code is accepted."},
			},
		},
		Timeout: "30s",
		Decode:  decodeExec,
	}
}

func decodeExec(a Arguments) Action {
	e := &Exec{
		Pod: a.Text("pod", "a pod's name"), Container: a.Text("container", "a container's name"), Node: a.Text("node", "a node's name"),
		Host: a.Flag("host"),
	}
	if oneOf(a, "pod", "node", "host") {
		onlyTrue(a, "host")
	}
	if attr := a.Attribute("container"); attr != nil && a.Attribute("pod") == nil {
		a.Mistake(attr.NameRange, "Container without a pod", "The argument \"container\" requires the argument \"pod\".")
	}
	e.Command = a.List("command", "a list of strings, the program first", ` For a shell, write ["sh", "-c", "..."].`)
	if attr := a.Attribute("command"); attr != nil {
		if v, ok := a.Known(attr.Expr); ok && !v.IsNull() && v.CanIterateElements() && v.LengthInt() == 0 {
			a.Mistake(attr.Expr.Range(), "Invalid command", "The command is empty: it needs a program at least.")
		}
	}
	e.Stdin = a.Text("stdin", "a string")
	e.IgnoreExitCode = a.Flag("ignore_exit_code")
	return e
}
