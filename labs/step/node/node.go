// Package node does things to nodes: what the scheduler may do with them, their
// machines, and the services on these.
package node

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/client-go/kubernetes"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/failure"
)

// Operator does things to the nodes of one cluster. It may be used by several
// goroutines.
type Operator struct {
	client   kubernetes.Interface
	machines clusters.Nodes
	nodes    []clusters.Node
	// answers returns once the API server does.
	answers func(context.Context) error
}

// New returns an Operator for a cluster.
func New(on step.Cluster) *Operator {
	return &Operator{client: on.Client.Kubernetes, machines: on.Nodes, nodes: on.Handle.Nodes, answers: on.Client.Answers}
}

// Do does it and returns once it is done: a drained node has no pods any more
// but those that belong to it, and a control plane that was started answers. A
// *failure.FailedError says that it could not be done to the node as it is, or not
// before the context's deadline, a *failure.Rejection that the API server does
// not allow it.
func (o *Operator) Do(ctx context.Context, in Request) (step.Result, error) {
	node, err := o.find(in.Node)
	if err != nil {
		return step.Result{}, err
	}
	if in.Service != "" {
		return o.service(ctx, node, in)
	}
	switch in.Action {
	case Cordon:
		return o.cordon(ctx, node.Name, true)
	case Uncordon:
		return o.cordon(ctx, node.Name, false)
	case Drain:
		return o.drain(ctx, node.Name)
	case Stop, Start, Restart, Pause, Unpause:
		return o.machine(ctx, node, in.Action)
	}
	return step.Result{}, fmt.Errorf("%q is nothing that can be done to a node", in.Action)
}

func (o *Operator) find(name string) (clusters.Node, error) {
	var names []string
	for _, n := range o.nodes {
		if n.Name == name {
			return n, nil
		}
		names = append(names, n.Name)
	}
	return clusters.Node{}, failure.New("the cluster has no node %q; its nodes are %s", name, strings.Join(names, ", "))
}

// reference is a node for people and records.
func reference(name string) collectors.Object { return collectors.Object{Kind: "Node", Name: name} }

// machine does something to the node's machine.
func (o *Operator) machine(ctx context.Context, node clusters.Node, action string) (step.Result, error) {
	var out step.Result
	err := o.machines.NodeAction(ctx, node.Name, action)
	var state *clusters.NodeStateError
	switch {
	case errors.As(err, &state):
		return out, &failure.FailedError{Message: state.Error()}
	case err != nil:
		return out, err
	}
	out.Did(reference(node.Name), done(action))
	if node.Role != "control-plane" || action == Stop || action == Pause {
		return out, nil
	}
	return out, o.answers(ctx)
}

// done is an action in the past.
func done(action string) string {
	switch action {
	case Stop:
		return "stopped"
	case Pause, Unpause:
		return action + "d"
	}
	return action + "ed"
}
