package action

import (
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/schema"
)

// Sleep pauses the scenario.
type Sleep struct{ Duration time.Duration }

// Expressions implements Action.
func (s *Sleep) Expressions() []hcl.Expression { return nil }

// Times implements Action.
func (s *Sleep) Times() Times { return Times{Duration: s.Duration} }

func (s *Sleep) kind() kind { return pauses }

func sleepVerb() Verb {
	return Verb{
		Block: schema.Block{
			Type:    "sleep",
			Summary: "Pauses the scenario. Use wait instead if there is a condition to wait for.",
			Example: `sleep "let it settle" { duration = "5s" }`,
			Arguments: []schema.Argument{
				{Name: "duration", Type: "duration", Required: true, Stage: schema.Load, Doc: "How long to pause."},
			},
		},
		Decode: func(a Arguments) Action { return &Sleep{Duration: a.Duration("duration")} },
	}
}
