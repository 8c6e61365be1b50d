package node

import (
	"context"
	"fmt"
	"strings"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/labs/step"
)

// The actions on nodes.
const (
	Cordon   = "cordon"
	Uncordon = "uncordon"
	Drain    = "drain"
	Stop     = "stop"
	Start    = "start"
	Restart  = "restart"
	Pause    = "pause"
	Unpause  = "unpause"
)

// Request asks for something to be done to a node.
type Request struct {
	// Node is the node's name.
	Node string
	// Action is one of the actions above.
	Action string
	// Service is the service to Stop, Start or Restart instead of the machine;
	// empty means the machine.
	Service string
}

// Verb is the verb node.
func Verb() step.Verb {
	return step.Definition[*action.Node]{Verb: "node", ForecastOf: forecast, PrepareOf: prepare, Saying: step.Words{Warning: step.OfAPI().Warning}}
}

func forecast(*action.Node) step.Forecast {
	return step.Forecast{Reach: step.OwnNodes, Does: "does something to a node"}
}

func prepare(a *step.Arguments, d *action.Node) step.Prepared {
	in := Request{Node: a.Required("node", d.Node), Action: d.Action, Service: d.Service}
	if d.Node == nil {
		in.Node = onlyNode(a)
	}
	p := step.Prepared{Do: func(ctx context.Context, on step.Cluster) (step.Result, error) { return New(on).Do(ctx, in) }}
	switch in.Action {
	case Cordon, Uncordon, Drain:
	default:
		p.Irreversible = strings.TrimSpace(fmt.Sprintf("it was asked to %s node %s %s", in.Action, in.Node, in.Service))
	}
	return p
}

// onlyNode is the cluster's node if it has one.
func onlyNode(a *step.Arguments) string {
	if len(a.Handle.Nodes) == 1 {
		return a.Handle.Nodes[0].Name
	}
	var names []string
	for _, n := range a.Handle.Nodes {
		names = append(names, n.Name)
	}
	a.Fail(fmt.Errorf("%s must name its node, since the cluster has %d: %s", a.Title(), len(names), strings.Join(names, ", ")))
	return ""
}
