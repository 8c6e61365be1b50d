package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/failure"
)

// service stops, starts or restarts a service of the node.
func (o *Operator) service(ctx context.Context, node clusters.Node, in Request) (step.Result, error) {
	if in.Action != Stop && in.Action != Start && in.Action != Restart {
		return step.Result{}, fmt.Errorf("a service is stopped, started or restarted; %q is done to the node itself", in.Action)
	}
	state, err := o.machines.NodeState(ctx, node.Name)
	if err != nil {
		return step.Result{}, err
	}
	if state != "running" {
		return step.Result{}, failure.New("node %s does not run, and so no service of it: it is %s", node.Name, state)
	}
	var said bytes.Buffer
	err = o.machines.NodeExec(ctx, node.Name, nil, nil, &said, "systemctl", in.Action, in.Service)
	var exit interface{ ExitCode() int }
	switch {
	case err == nil:
		var out step.Result
		out.Did(reference(node.Name), in.Service+" "+done(in.Action))
		return out, nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return step.Result{}, failure.New("%s of node %s was not %s in time", in.Service, node.Name, done(in.Action))
	case ctx.Err() == nil && errors.As(err, &exit) && exit.ExitCode() > 0 && exit.ExitCode() < 125:
		return step.Result{}, failure.New("%s of node %s could not be %s: systemctl: exit code %d: %s",
			in.Service, node.Name, done(in.Action), exit.ExitCode(), strings.TrimSpace(said.String()))
	}
	return step.Result{}, fmt.Errorf("to %s %s of node %s: %w", in.Action, in.Service, node.Name, err)
}
