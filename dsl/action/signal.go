package action

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/schema"
)

// Signal sends a signal to the first process of a container.
type Signal struct {
	// Pod and Container evaluate to names. Signal evaluates to a name or a
	// number; nil means TERM.
	Pod, Container, Signal hcl.Expression
	Limits
}

// Expressions implements Action.
func (s *Signal) Expressions() []hcl.Expression {
	return []hcl.Expression{s.Pod, s.Container, s.Signal}
}

func signalVerb() Verb {
	return Verb{
		Block: schema.Block{
			Type:    "signal",
			Summary: "Sends a signal to the first process of a container, from the node.",
			Example: `signal "stop the proxy" {
  pod       = "web"
  container = "proxy"
  signal    = "TERM"
}`,
			Arguments: []schema.Argument{
				{Name: "pod", Type: "string", Required: true, Stage: schema.Begin, Doc: "The pod's name."},
				{Name: "container", Type: "string", Required: true, Stage: schema.Begin, Doc: "The container's name."},
				{Name: "signal", Type: "string", Default: `"TERM"`, Stage: schema.Begin, Doc: "The name of the signal, with or without SIG, or its number in quotes, such as \"9\"."},
			},
		},
		Timeout: "30s",
		Decode: func(a Arguments) Action {
			return &Signal{
				Pod: a.Text("pod", "a pod's name"), Container: a.Text("container", "a container's name"),
				Signal: a.Text("signal", "the name of a signal, such as \"TERM\", or its number in quotes, such as \"9\""),
			}
		},
	}
}
