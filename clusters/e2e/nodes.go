package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sigs.k8s.io/e2e-framework/support"

	"github.com/kind-lab/lab/clusters"
)

// errFixed is why a cluster's nodes stay the same.
var errFixed = errors.New("nodes are not added to a cluster or removed from it: ask for them with WithWorkers, and use StopNode to take one away")

// AddNode is refused: a cluster has the nodes that it was made with.
func (p *Provider) AddNode(context.Context, *support.Node, ...string) error { return errFixed }

// RemoveNode is refused as AddNode is.
func (p *Provider) RemoveNode(context.Context, *support.Node, ...string) error { return errFixed }

// StartNode starts a node's machine that StopNode stopped.
func (p *Provider) StartNode(ctx context.Context, node *support.Node, _ ...string) error {
	return p.act(ctx, node, "start")
}

// StopNode stops a node's machine. The cluster is not leased to anybody else
// afterwards: Destroy destroys it.
func (p *Provider) StopNode(ctx context.Context, node *support.Node, _ ...string) error {
	return p.act(ctx, node, "stop")
}

func (p *Provider) act(ctx context.Context, node *support.Node, action string) error {
	if p.cluster == nil {
		return ErrNone
	}
	nodes := p.cluster.Handle().Nodes
	if !slices.ContainsFunc(nodes, func(n clusters.Node) bool { return n.Name == node.Name }) {
		return fmt.Errorf("cluster %s has no node %q; its nodes are %v", p.spec.Name, node.Name, names(nodes))
	}
	p.tainted = fmt.Sprintf("its node %s was asked to %s", node.Name, action)
	return p.cluster.NodeAction(ctx, node.Name, action)
}

// ListNode are the cluster's nodes and what their machines do, such as "running"
// or "exited".
func (p *Provider) ListNode(ctx context.Context, _ ...string) ([]support.Node, error) {
	if p.cluster == nil {
		return nil, ErrNone
	}
	handle := p.cluster.Handle()
	var list []support.Node
	for _, n := range handle.Nodes {
		state, err := p.cluster.NodeState(ctx, n.Name)
		if err != nil {
			return nil, err
		}
		list = append(list, support.Node{Name: n.Name, Role: n.Role, Cluster: p.spec.Name, State: state})
	}
	return list, nil
}

func names(nodes []clusters.Node) []string {
	var all []string
	for _, n := range nodes {
		all = append(all, n.Name)
	}
	return all
}

var _ support.E2EClusterProviderWithLifeCycle = (*Provider)(nil)
