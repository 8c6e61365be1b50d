package runtest

import (
	"context"
	"fmt"
	"strings"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/exec"
	"github.com/kind-lab/lab/labs/step/patch"
	"github.com/kind-lab/lab/labs/step/signal"
)

// PatchNeeds says what a patch needs.
func (c *Cluster) PatchNeeds(in step.Patch) (step.Needs, error) { return patch.Needs(in) }

// Patch says that what was applied is patched.
func (c *Cluster) Patch(ctx context.Context, in step.Patch) (step.Result, error) {
	keys, err := keysOf(step.Delete{Namespace: in.Namespace, Objects: []string{in.Object}})
	if err != nil {
		return step.Result{}, err
	}
	object, _, there := c.find(keys[0])
	if !there {
		return step.Result{}, notFound(object)
	}
	if err := c.world.act(ctx, fmt.Sprintf("%s: patch %s %s", c.spec.Name, in.Object, in.Patch)); err != nil {
		return step.Result{}, err
	}
	var out step.Result
	out.Did(object, "patched")
	return out, nil
}

// Exec runs a command: a few are known in containers and nodes, all on this
// machine.
func (c *Cluster) Exec(ctx context.Context, in step.Exec) (step.Result, error) {
	if in.Host {
		var runner exec.Runner
		return runner.Do(ctx, in)
	}
	where := in.Node
	if in.Pod != "" {
		running, err := c.running(in.Namespace, in.Pod, in.Container)
		if err != nil {
			return step.Result{}, err
		}
		where = in.Pod + "/" + running.Name
	} else if err := c.hasNode(in.Node); err != nil {
		return step.Result{}, err
	}
	if err := c.world.act(ctx, fmt.Sprintf("%s: exec %s %s", c.spec.Name, where, strings.Join(in.Command, " "))); err != nil {
		return step.Result{}, err
	}
	return command(ctx, in)
}

func command(ctx context.Context, in step.Exec) (step.Result, error) {
	var out step.Result
	code := 0
	switch in.Command[0] {
	case "echo":
		out.Stdout = strings.Join(in.Command[1:], " ") + "\n"
	case "cat":
		if in.Stdin != nil {
			out.Stdout = *in.Stdin
		}
	case "true":
	case "false":
		code, out.Stderr = 1, strings.Join(in.Command[1:], " ")
	case "sleep":
		<-ctx.Done()
		if ctx.Err() == context.DeadlineExceeded {
			return out, step.Failed("the command did not end in time")
		}
		return out, ctx.Err()
	default:
		return out, step.Failed("the command could not be started: %q: executable file not found in $PATH", in.Command[0])
	}
	out.ExitCode = &code
	if code != 0 {
		return out, &step.ExitError{Code: code, Stderr: out.Stderr}
	}
	return out, nil
}

// running is a container that runs, the pod's first main one where none is
// named.
func (c *Cluster) running(namespace, pod, name string) (*container, error) {
	object, j, there := c.find(keyOf(namespace, "pod", pod))
	if !there || j == nil {
		object.Kind = "Pod"
		return nil, notFound(object)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, one := range j.containers {
		if one.Name != name && (name != "" || one.Kind != collectors.KindMain) {
			continue
		}
		if one.State != "running" {
			return nil, step.Failed("container %q of pod %q does not run", one.Name, pod)
		}
		return one, nil
	}
	return nil, step.Failed("pod %q has no container %q", pod, name)
}

// exits are the exit codes of containers that a signal ends.
func exits(name string) (int, bool) {
	code, ends := map[string]int{"HUP": 129, "INT": 130, "QUIT": 131, "KILL": 137, "USR1": 138, "USR2": 140, "TERM": 143}[name]
	return code, ends
}

// Signal ends a container, if the signal does that.
func (c *Cluster) Signal(ctx context.Context, in step.Signal) (step.Result, error) {
	name, err := signal.Parse(in.Signal)
	if err != nil {
		return step.Result{}, err
	}
	running, err := c.running(in.Namespace, in.Pod, in.Container)
	if err != nil {
		return step.Result{}, err
	}
	if err := c.world.act(ctx, fmt.Sprintf("%s: signal %s %s/%s", c.spec.Name, name, in.Pod, in.Container)); err != nil {
		return step.Result{}, err
	}
	switch code, ends := exits(name); {
	case name == "TERM" && running.onTerm >= 0:
		running.end(running.onTerm)
	case ends:
		running.end(code)
	}
	var out step.Result
	out.Did(collectors.Object{Kind: "Pod", Namespace: in.Namespace, Name: in.Pod}, "got SIG"+name+" in container "+in.Container)
	return out, nil
}

func (c *Cluster) hasNode(name string) error {
	for _, n := range c.handle.Nodes {
		if n.Name == name {
			return nil
		}
	}
	return step.Failed("the cluster has no node %q", name)
}

// Node notes what is done to a node.
func (c *Cluster) Node(ctx context.Context, in step.Node) (step.Result, error) {
	if err := c.hasNode(in.Node); err != nil {
		return step.Result{}, err
	}
	what := in.Action
	if in.Service != "" {
		what += " " + in.Service + " of"
	}
	if err := c.world.act(ctx, fmt.Sprintf("%s: node %s %s", c.spec.Name, what, in.Node)); err != nil {
		return step.Result{}, err
	}
	var out step.Result
	out.Did(collectors.Object{Kind: "Node", Name: in.Node}, in.Action)
	return out, nil
}
