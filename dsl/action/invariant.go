package action

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/schema"
)

// Invariant is a condition that must not be false from its place in the
// scenario to the end of the scenario.
type Invariant struct {
	Name      string
	Condition hcl.Expression
	// When says whether to watch the invariant; nil means always.
	When hcl.Expression
	// Message is reported if the invariant is violated; nil for none.
	Message hcl.Expression
	// Range is the block's header.
	Range hcl.Range
}

// Expressions implements Action.
func (i *Invariant) Expressions() []hcl.Expression {
	return []hcl.Expression{i.Condition, i.When, i.Message}
}

// Times implements Action: an invariant does not delay the steps after it.
func (i *Invariant) Times() Times { return Times{} }

func (i *Invariant) kind() kind { return watches }

func invariantVerb() Verb {
	return Verb{
		Block: schema.Block{
			Type: "invariant", Verdict: true,
			Summary: "A condition that must not be false at any observation from here to the end of the scenario.",
			Doc:     "An invariant does not delay the steps after it. lab decides it at the end of the scenario, or as soon as it is violated. The steps in finally run after that end.",
			Example: `invariant "the proxy never restarts" {
  condition = pod.web.container["proxy"].restarts == 0
}`,
			Arguments: []schema.Argument{
				{Name: "condition", Type: "condition", Required: true, Stage: schema.Judge, Doc: "The condition. An unknown condition does not violate the invariant. If a gap may hide that the condition was false, the verdict is Error."},
				{Name: "when", Type: "condition", Default: "true", Stage: schema.Judge, Doc: "Whether to watch the invariant. If this is false, the invariant is skipped."},
				{Name: "message", Type: "string", Stage: schema.Judge, Doc: "The message to report if the invariant is violated."},
			},
		},
		Decode: func(a Arguments) Action {
			return &Invariant{
				Name: a.Name(), Range: a.Range(), Condition: a.Condition("condition"), When: a.Condition("when"), Message: a.Message("message"),
			}
		},
	}
}
