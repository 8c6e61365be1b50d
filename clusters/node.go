package clusters

import (
	"context"
	"fmt"
	"io"
)

// Exec runs commands on the nodes of a cluster.
type Exec interface {
	// NodeExec runs a command on a node, until ctx ends. It needs ExecOnNodes. If
	// the command ends with another code than 0, the error wraps what has an
	// ExitCode, such as *os/exec.ExitError. Each of stdin, stdout and stderr may be
	// nil.
	NodeExec(ctx context.Context, node string, stdin io.Reader, stdout, stderr io.Writer, cmd ...string) error
}

// Nodes reaches the nodes of a cluster. What a cluster cannot do is a
// *CapabilityError, and what a node's machine is in no state for is
// a *NodeStateError.
type Nodes interface {
	Exec
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
