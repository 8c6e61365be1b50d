package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/step"
)

// action is a step that does something, with its arguments evaluated.
type action struct {
	do func(ctx context.Context) (step.Result, error)
	// needs says what the step needs of the cluster; nil means nothing.
	needs func() (step.Needs, error)
	// spoils says what the step does that nobody can undo.
	spoils string
	limit  time.Duration
	wanted wanted
	// anyExit says that an exit code other than 0 is all right.
	anyExit bool
}

// action evaluates what the step of a asks for.
func (s *session) action(a *arguments) action {
	switch a.st.Verb {
	case dsl.VerbApply:
		return s.applyAction(a, a.st.Apply)
	case dsl.VerbDelete:
		return s.deleteAction(a, a.st.Delete)
	case dsl.VerbPatch:
		return s.patchAction(a, a.st.Patch)
	case dsl.VerbExec:
		return s.execAction(a, a.st.Exec)
	case dsl.VerbSignal:
		return s.signalAction(a, a.st.Signal)
	case dsl.VerbNode:
		return s.nodeAction(a, a.st.Node)
	}
	a.fail(fmt.Errorf("the verb %q is not known to this version", a.st.Verb))
	return action{}
}

// limited is an action within limits.
func (a *arguments) limited(l dsl.Limits, do func(ctx context.Context) (step.Result, error)) action {
	return action{do: do, limit: l.Timeout, wanted: a.refusal(l.ExpectError)}
}

func (s *session) applyAction(a *arguments, d *dsl.Apply) action {
	in := step.Apply{Namespace: s.planned.Namespace, Manifests: a.manifests(d.Manifests), FieldValidation: d.FieldValidation}
	act := a.limited(d.Limits, func(ctx context.Context) (step.Result, error) { return s.cluster.Apply(ctx, in) })
	act.needs = func() (step.Needs, error) { return s.cluster.Needs(in.Manifests) }
	return act
}

func (s *session) deleteAction(a *arguments, d *dsl.Delete) action {
	in := step.Delete{
		Namespace: s.planned.Namespace, Objects: a.texts("objects", d.Objects), Manifests: a.manifests(d.Manifests),
		GracePeriod: d.GracePeriod, Propagation: d.Propagation, Wait: d.Wait, IgnoreNotFound: d.IgnoreNotFound,
	}
	return a.limited(d.Limits, func(ctx context.Context) (step.Result, error) { return s.cluster.Delete(ctx, in) })
}

func (s *session) patchAction(a *arguments, d *dsl.Patch) action {
	in := step.Patch{
		Namespace: s.planned.Namespace, Object: a.need("object", d.Object), Patch: a.document("patch", d.Patch),
		Type: d.Type, Subresource: d.Subresource, FieldValidation: d.FieldValidation,
	}
	act := a.limited(d.Limits, func(ctx context.Context) (step.Result, error) { return s.cluster.Patch(ctx, in) })
	act.needs = func() (step.Needs, error) { return s.cluster.PatchNeeds(in) }
	return act
}

func (s *session) execAction(a *arguments, d *dsl.Exec) action {
	in := step.Exec{
		Namespace: s.planned.Namespace, Pod: a.need("pod", d.Pod), Container: a.text("container", d.Container), Node: a.need("node", d.Node),
		Host: d.Host, Dir: s.plan.Module.Dir, Kubeconfig: s.handle.Kubeconfig, Command: a.texts("command", d.Command),
	}
	if d.Host && !s.AllowHostExec {
		a.fail(errors.New("a scenario may not run commands on this machine unless it is allowed to: lab run -allow-host-exec"))
	}
	if stdin, ok := a.eval("stdin", d.Stdin); ok {
		text := a.asText("stdin", stdin)
		in.Stdin = &text
	}
	act := a.limited(d.Limits, func(ctx context.Context) (step.Result, error) { return s.cluster.Exec(ctx, in) })
	act.anyExit = d.IgnoreExitCode
	switch {
	case d.Host:
		act.spoils = "a command ran on this machine"
	case in.Node != "":
		act.spoils = "a command ran on node " + in.Node
	}
	return act
}

func (s *session) signalAction(a *arguments, d *dsl.Signal) action {
	in := step.Signal{
		Namespace: s.planned.Namespace, Pod: a.need("pod", d.Pod), Container: a.need("container", d.Container), Signal: a.text("signal", d.Signal),
	}
	return a.limited(d.Limits, func(ctx context.Context) (step.Result, error) { return s.cluster.Signal(ctx, in) })
}

func (s *session) nodeAction(a *arguments, d *dsl.Node) action {
	in := step.Node{Node: a.need("node", d.Node), Action: d.Action, Service: d.Service}
	if d.Node == nil {
		in.Node = a.onlyNode(s)
	}
	act := a.limited(d.Limits, func(ctx context.Context) (step.Result, error) { return s.cluster.Node(ctx, in) })
	switch in.Action {
	case step.Cordon, step.Uncordon, step.Drain:
	default:
		act.spoils = strings.TrimSpace(fmt.Sprintf("it was asked to %s node %s %s", in.Action, in.Node, in.Service))
	}
	return act
}

// onlyNode is the cluster's node where there is one.
func (a *arguments) onlyNode(s *session) string {
	if len(s.handle.Nodes) == 1 {
		return s.handle.Nodes[0].Name
	}
	var names []string
	for _, n := range s.handle.Nodes {
		names = append(names, n.Name)
	}
	a.fail(fmt.Errorf("%s must name its node, since the cluster has %d: %s", a.title(), len(names), strings.Join(names, ", ")))
	return ""
}
