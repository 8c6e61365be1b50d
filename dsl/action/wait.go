package action

import (
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/schema"
)

// Wait waits for a condition.
type Wait struct {
	Name      string
	Condition hcl.Expression
	// Within is how long to wait; never 0. Hold is the same as in Expect.
	Within, Hold time.Duration
	// Range is the block's header.
	Range hcl.Range
}

// Expressions implements Action.
func (w *Wait) Expressions() []hcl.Expression { return []hcl.Expression{w.Condition} }

// Times implements Action.
func (w *Wait) Times() Times { return Times{Within: w.Within, Hold: w.Hold} }

// Expectation returns the condition to wait for, as an expectation.
func (w *Wait) Expectation() *Expect {
	return &Expect{Name: w.Name, Condition: w.Condition, Within: w.Within, Hold: w.Hold, Range: w.Range}
}

// Judges returns false: a wait has no verdict.
func (w *Wait) Judges() bool { return false }

func (w *Wait) kind() kind { return decides }

func waitVerb() Verb {
	return Verb{
		Block: schema.Block{
			Type:    "wait",
			Summary: "Waits for a condition that the next steps need. It does not affect the verdict of the scenario.",
			Doc:     "If the condition does not become true in time, the step fails, and the steps after it are skipped.",
			Example: `wait "until it runs" {
  condition = pod.web.phase == "Running"
  within    = "30s"
}`,
			Arguments: []schema.Argument{
				{Name: "condition", Type: "condition", Required: true, Stage: schema.Judge, Doc: "The condition to wait for."},
				{Name: "within", Type: "duration", Default: `"1m"`, Stage: schema.Load, Doc: "The maximum time to wait."},
				{Name: "hold", Type: "duration", Stage: schema.Load, Doc: "The condition must stay true for that long."},
			},
		},
		Decode: func(a Arguments) Action {
			return &Wait{Name: a.Name(), Range: a.Range(), Condition: a.Condition("condition"), Within: a.Duration("within"), Hold: a.Duration("hold")}
		},
	}
}
