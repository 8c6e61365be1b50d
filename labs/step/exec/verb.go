package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/labs/step"
)

// Request asks for a command to be run: in a container of Pod, on Node, or on
// this machine.
type Request struct {
	// Namespace is where the pod is.
	Namespace string
	// Pod and Node are names of which one is set, unless Host is. An empty
	// Container is the pod's first.
	Pod, Container, Node string
	Host                 bool
	// Dir is where the command runs on this machine, Kubeconfig is what it
	// finds as KUBECONFIG there.
	Dir, Kubeconfig string
	// Command is the program and its arguments.
	Command []string
	// Stdin is what it reads; nil means nothing.
	Stdin *string
}

// Verb is the verb exec.
func Verb() step.Verb {
	return step.Definition[*action.Exec]{
		Verb: "exec", ForecastOf: forecast, PrepareOf: prepare, SummaryOf: summary,
		Saying: step.Words{Accepted: "the command ended with "},
	}
}

func forecast(d *action.Exec) step.Forecast {
	switch {
	case d.Pod != nil:
		return step.Forecast{Output: true, Requests: []step.Request{{APIVersion: "v1", Kind: "Pod", Subresource: "exec", Verbs: []string{"create"}}}}
	case d.Node != nil:
		return step.Forecast{Output: true, Unforeseen: true, Reach: step.OnNodes, Does: "runs a command on a node", Instead: "node_access lets it."}
	}
	return step.Forecast{Output: true, Unforeseen: true, OnHost: d.Host} // kubectl, for one
}

// errNotAllowed is why a command does not run on this machine.
var errNotAllowed = errors.New("a scenario may not run commands on this machine unless it is allowed to: lab run --allow-host-exec")

func prepare(a *step.Arguments, d *action.Exec) step.Prepared {
	in := Request{
		Namespace: a.Namespace, Pod: a.Required("pod", d.Pod), Container: a.Text("container", d.Container), Node: a.Required("node", d.Node),
		Host: d.Host, Dir: a.Dir, Kubeconfig: a.Handle.Kubeconfig, Command: a.Texts("command", d.Command),
	}
	if d.Host && !a.AllowHostExec {
		a.Fail(errNotAllowed)
	}
	in.Stdin = a.Optional("stdin", d.Stdin)
	p := step.Prepared{Do: func(ctx context.Context, on step.Cluster) (step.Result, error) { return New(on).Do(ctx, in) }}
	switch {
	case d.Host:
		p.Irreversible = "a command ran on this machine"
	case in.Node != "":
		p.Irreversible = "a command ran on node " + in.Node
	}
	return p
}

// shownOutput bounds what is shown of a command's output, in characters.
const shownOutput = 80

// summary is an exit code with the first line of what the command wrote.
func summary(out step.Result) string {
	if out.ExitCode == nil {
		return ""
	}
	text := fmt.Sprintf("exit code %d", *out.ExitCode)
	line, more, _ := strings.Cut(strings.TrimSpace(out.Stdout), "\n")
	line = strings.TrimSpace(line)
	if line == "" {
		return text
	}
	if runes := []rune(line); len(runes) > shownOutput {
		line, more = string(runes[:shownOutput]), "more"
	}
	if more != "" {
		line += " …"
	}
	return text + ": " + line
}
