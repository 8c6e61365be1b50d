package action

import (
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/schema"
)

// Node changes the state of a node or of one of its services.
type Node struct {
	// Node evaluates to a node's name; nil for the only node of the cluster.
	Node hcl.Expression
	// Action is "cordon", "uncordon", "drain", "stop", "start", "restart",
	// "pause" or "unpause"; Service is "kubelet", "containerd" or empty.
	Action, Service string
	Limits
}

// Expressions implements Action.
func (n *Node) Expressions() []hcl.Expression { return []hcl.Expression{n.Node} }

func nodeVerb() Verb {
	return Verb{
		Block: schema.Block{
			Type:    "node",
			Summary: "Changes whether a node is schedulable, or the state of its machine or of one of its services.",
			Doc: "cordon, uncordon and drain work as in kubectl. stop, start, restart, pause and unpause apply to the node's machine. " +
				"With service, stop, start and restart apply to that service of the node.",
			Example: `node "restart the kubelet" {
  action  = "restart"
  service = "kubelet"
}`,
			Arguments: []schema.Argument{
				{Name: "node", Type: "string", Stage: schema.Begin, Doc: "The node's name, such as target.nodes[0]. Optional if the cluster has only one node."},
				{Name: "action", Type: "string", Required: true, Values: []string{"cordon", "uncordon", "drain", "stop", "start", "restart", "pause", "unpause"}, Stage: schema.Load, Doc: "The action."},
				{Name: "service", Type: "string", Values: []string{"kubelet", "containerd"}, Stage: schema.Load, Doc: "The service to stop, start or restart instead of the machine."},
			},
		},
		Timeout: "2m",
		Decode: func(a Arguments) Action {
			n := &Node{Node: a.Text("node", "a node's name"), Action: a.Choice("action"), Service: a.Choice("service")}
			if n.Service != "" && n.Action != "" && !slices.Contains([]string{"stop", "start", "restart"}, n.Action) {
				a.Mistake(a.Attribute("service").NameRange, "Invalid service", "For a service, the action must be \"stop\", \"start\" or \"restart\". The action %q applies to the node itself.", n.Action)
			}
			return n
		},
	}
}
