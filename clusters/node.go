package clusters

import "fmt"

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
