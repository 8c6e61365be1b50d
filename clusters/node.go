package clusters

import (
	"context"
	"fmt"
	"io"
)

// Nodes reaches the nodes of a cluster. What a cluster cannot do is a
// *CapabilityError.
type Nodes interface {
	// NodeExec runs a command on a node, until ctx ends. It needs ExecOnNodes.
	NodeExec(ctx context.Context, node string, stdin io.Reader, stdout, stderr io.Writer, cmd ...string) error
	// NodeState is "running", "paused" or another of the provider's words.
	NodeState(ctx context.Context, node string) (string, error)
	// NodeAction does "stop", "start", "pause" or "unpause" to a node's machine.
	// It needs OperateNodes.
	NodeAction(ctx context.Context, node, action string) error
}

// NodeStateError says that a node's machine is in a state in which what was
// asked for cannot be done to it.
type NodeStateError struct {
	Node, Action string
	// State is in the provider's words, such as "running" or "paused".
	State string
}

// Error names the node, the action and the state.
func (e *NodeStateError) Error() string {
	return fmt.Sprintf("cannot %s node %s: its machine is %s", e.Action, e.Node, e.State)
}
