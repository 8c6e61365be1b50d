package kind

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kind-lab/lab/clusters"
)

// nodeActions are the states of a node's machine in which the engine's command
// makes sense; false where there is no such command.
func nodeActions(action string) ([]string, bool) {
	switch action {
	case "stop", "pause":
		return []string{"running"}, true
	case "start":
		return []string{"exited", "created", "stopped"}, true
	case "restart":
		return []string{"running", "exited", "created", "stopped"}, true
	case "unpause":
		return []string{"paused"}, true
	}
	return nil, false
}

// NodeState is what a node's machine is doing, in the engine's words: "running",
// "paused", "exited", "created" or another.
func (p *Provisioner) NodeState(ctx context.Context, node string) (string, error) {
	out, err := p.output(ctx, "container", "inspect", node)
	if err != nil {
		return "", fmt.Errorf("looking at node %s: %w", node, err)
	}
	list, err := parseContainers(out)
	if err != nil {
		return "", err
	}
	if len(list) != 1 {
		return "", fmt.Errorf("looking at node %s: the engine knows %d containers of that name", node, len(list))
	}
	return strings.ToLower(list[0].State.Status), nil
}

// NodeAction does "stop", "start", "restart", "pause" or "unpause" to a node's
// machine and returns once the engine has done it; what runs in the machine may
// need longer. A *clusters.NodeStateError says that its state does not allow
// it.
func (p *Provisioner) NodeAction(ctx context.Context, node, action string) error {
	states, known := nodeActions(action)
	if !known {
		return fmt.Errorf("%q is nothing that can be done to a node's machine", action)
	}
	if action == "pause" {
		defer p.starts.none(node)()
	}
	state, err := p.NodeState(ctx, node)
	if err != nil {
		return err
	}
	if !slices.Contains(states, state) {
		return &clusters.NodeStateError{Node: node, Action: action, State: state}
	}
	if _, err := p.output(ctx, action, node); err != nil {
		return fmt.Errorf("asking the engine to %s node %s: %w", action, node, err)
	}
	return nil
}
