// Package exec runs commands: in a pod's container as kubectl exec does, on a
// node, or on this machine.
package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/failure"
)

// Runner runs commands for one cluster. It may be used by several goroutines.
type Runner struct {
	client kubernetes.Interface
	stream stream
	nodes  clusters.Nodes
	names  []string
}

// New returns a Runner for a cluster.
func New(on step.Cluster) *Runner {
	return &Runner{client: on.Client.Kubernetes, nodes: on.Nodes, names: on.NodeNames(), stream: func(ctx context.Context, c *call, container string) error {
		return on.Client.Stream(ctx, step.Command{Namespace: c.Namespace, Pod: c.Pod, Container: container, Args: c.Command, Stdin: c.stdin, Stdout: c.stdout, Stderr: c.stderr})
	}}
}

// Do runs the command to its end. The result has what it wrote, also where it
// failed. The error is a *failure.ExitError where it ended with an exit code other
// than 0; a *failure.FailedError or *failure.Rejection where it could not be begun
// (no such pod, a container that does not run, no such program) or did not end
// before the context's deadline; any other if it is unknown.
func (r *Runner) Do(ctx context.Context, in Request) (step.Result, error) {
	if len(in.Command) == 0 {
		return step.Result{}, errors.New("the command is empty: it needs a program at least")
	}
	began := time.Now()
	c := &call{Request: in, stdout: &output{}, stderr: &output{}}
	if in.Stdin != nil {
		c.stdin = strings.NewReader(*in.Stdin)
	}
	var err error
	switch {
	case in.Host:
		err = c.onHost(ctx)
	case in.Node != "":
		err = r.onNode(ctx, c)
	default:
		err = r.inPod(ctx, c)
	}
	out := step.Result{Stdout: c.stdout.String(), Stderr: c.stderr.String()}
	if c.stdout.cut() || c.stderr.cut() {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the command wrote more than %d bytes: what came after them is not kept", step.MaxOutput))
	}
	return out, c.judge(ctx, err, time.Since(began), &out)
}

// call is one command while it runs.
type call struct {
	Request
	stdin          io.Reader
	stdout, stderr *output
}

// ended is how a command ended that did end.
type ended int

// Error is the exit code.
func (e ended) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// judge says what the end of a call means, and notes its exit code.
func (c *call) judge(ctx context.Context, err error, after time.Duration, out *step.Result) error {
	var code ended
	switch {
	case err == nil || errors.As(err, &code):
		exit := int(code)
		out.ExitCode = &exit
		if exit == 0 {
			return nil
		}
		return &failure.ExitError{Code: exit, Stderr: out.Stderr}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return failure.New("the command did not end within %s", after.Round(100*time.Millisecond))
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return err
}

// onNode runs the call in a node.
func (r *Runner) onNode(ctx context.Context, c *call) error {
	if !slices.Contains(r.names, c.Node) {
		return failure.New("the cluster has no node %q; its nodes are %s", c.Node, strings.Join(r.names, ", "))
	}
	err := r.nodes.NodeExec(ctx, c.Node, c.stdin, c.stdout, c.stderr, c.Command...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	// The engine's client has exit codes of its own for a node that is down.
	state, look := r.nodes.NodeState(ctx, c.Node)
	switch {
	case look != nil:
		return errors.Join(err, look)
	case state != "running":
		return failure.New("node %s does not run: it is %s", c.Node, state)
	}
	return byEngine(err, c.stdout.String(), c.stderr.String())
}
