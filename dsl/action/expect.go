package action

import (
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/schema"
)

// Expect is an expectation about observations.
type Expect struct {
	Name      string
	Condition hcl.Expression
	// Within limits the wait for the condition; 0 if it is omitted.
	Within time.Duration
	// Hold is how long the condition must stay true, from when it is first
	// true.
	Hold time.Duration
	// Outcome says whether the condition is expected to become true; nil means
	// true. When says whether to decide the expectation; nil means always.
	Outcome hcl.Expression
	When    hcl.Expression
	// Message is reported if the expectation does not pass; nil for none.
	Message hcl.Expression
	// Range is the block's header.
	Range hcl.Range
}

// Expressions implements Action.
func (e *Expect) Expressions() []hcl.Expression {
	return []hcl.Expression{e.Condition, e.Outcome, e.When, e.Message}
}

// Times implements Action.
func (e *Expect) Times() Times { return Times{Within: e.Within, Hold: e.Hold} }

// Expectation returns the expectation itself.
func (e *Expect) Expectation() *Expect { return e }

// Judges returns true: an expectation has a verdict.
func (e *Expect) Judges() bool { return true }

func (e *Expect) kind() kind { return decides }

func expectVerb() Verb {
	return Verb{
		Block: schema.Block{
			Type: "expect", Verdict: true,
			Summary: "An expectation about observations. lab decides it before the next step begins.",
			Doc: "With within, the condition must become true in that time. With hold, it must stay true for that long, from when it is first true " +
				"(without within: from now). With neither, it must be true now, after lab has queried the sources. A value that was not observed yet is unknown, " +
				"and the expectation waits for it: without within, up to 10 s. The verdict is Error if something that was not seen could change it.",
			Example: `expect "the main container exits 0" {
  condition = job.myapp.pod.container["main"].exit_code == 0
  within    = "60s"
}`,
			Arguments: []schema.Argument{
				{Name: "condition", Type: "condition", Required: true, Stage: schema.Judge, Doc: "The condition: true, false or unknown."},
				{Name: "within", Type: "duration", Stage: schema.Load, Doc: "The condition must become true in that time."},
				{Name: "hold", Type: "duration", Stage: schema.Load, Doc: "The condition must stay true for that long, from when it is first true."},
				{Name: "outcome", Type: "condition", Default: "true", Stage: schema.Judge, Doc: "Whether the condition is expected to become true. If this is false and within is set, the condition must not be true at any time within that time."},
				{Name: "when", Type: "condition", Default: "true", Stage: schema.Judge, Doc: "Whether to decide the expectation. If this is false, the expectation is skipped, and the report says why."},
				{Name: "message", Type: "string", Stage: schema.Judge, Doc: "The message to report if the expectation does not pass."},
			},
		},
		Decode: func(a Arguments) Action {
			return &Expect{
				Name: a.Name(), Range: a.Range(), Condition: a.Condition("condition"), Within: a.Duration("within"), Hold: a.Duration("hold"),
				Outcome: a.Condition("outcome"), When: a.Condition("when"), Message: a.Message("message"),
			}
		},
	}
}
