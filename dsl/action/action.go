package action

import (
	"time"

	"github.com/hashicorp/hcl/v2"
)

// Action is the decoded block of one step. A field that is evaluated before the
// run is a plain value. A field that is evaluated later is an expression.
//
// An Action that acts embeds Limits. The others are defined in this package:
// Expect and Wait, which implement Decided, Invariant and Sleep.
type Action interface {
	// Expressions returns the expressions that are evaluated when the step
	// begins or while it is decided, except ExpectError. An omitted argument is
	// nil.
	Expressions() []hcl.Expression
	// Times returns how long the step takes or may take.
	Times() Times

	// kind restricts implementations to the forms above.
	kind() kind
}

// kind is the form of an Action.
type kind int

const (
	acts kind = iota
	decides
	watches
	pauses
)

// Times are the times of a step. A time that does not apply is 0.
type Times struct {
	// Within and Hold are the times of a condition.
	Within, Hold time.Duration
	// Timeout is how long a step that acts may take.
	Timeout time.Duration
	// Duration is how long a step pauses.
	Duration time.Duration
}

// Longest is how long the step can take.
func (t Times) Longest() time.Duration { return t.Within + t.Hold + t.Timeout + t.Duration }

// Limits are the arguments that every Action has that acts. The decoder sets
// them: a verb that embeds Limits cannot forget them.
type Limits struct {
	// ExpectError says whether the step must fail: a bool, or a string with a
	// regular expression that the failure must match; nil means it must not.
	// The failure is step.NAME.error.
	ExpectError hcl.Expression
	// Timeout is how long the step may take; never 0 after decoding.
	Timeout time.Duration
	// IgnoreExitCode says that any exit code of a command is accepted.
	IgnoreExitCode bool
}

// Times returns Timeout: the step may take that long.
func (l *Limits) Times() Times { return Times{Timeout: l.Timeout} }

func (l *Limits) kind() kind { return acts }

func (l *Limits) limits() *Limits { return l }

// LimitsOf returns the limits of an Action that acts; nil for any other.
func LimitsOf(a Action) *Limits {
	if acting, ok := a.(interface{ limits() *Limits }); ok {
		return acting.limits()
	}
	return nil
}

// Acts says whether an Action changes a cluster or this machine, or runs a
// command there. Other actions wait or decide.
func Acts(a Action) bool { return a != nil && a.kind() == acts }

// Decided is an Action with a condition over observations.
type Decided interface {
	Action
	// Expectation returns the expectation to decide.
	Expectation() *Expect
	// Judges says whether the outcome is a verdict of the scenario. If not, the
	// step fails if its condition does not become true, and the steps after it
	// are skipped.
	Judges() bool
}

// Condition returns the condition of an Action, and the expression that says
// whether to decide it. Both are nil for an Action without a condition. when is
// nil if the Action is always decided.
func Condition(a Action) (condition, when hcl.Expression) {
	switch a := a.(type) {
	case *Invariant:
		return a.Condition, a.When
	case Decided:
		e := a.Expectation()
		return e.Condition, e.When
	}
	return nil, nil
}

// Expressions returns all expressions of an Action that are evaluated when its
// step begins or while it is decided.
func Expressions(a Action) []hcl.Expression {
	if a == nil {
		return nil
	}
	all := a.Expressions()
	if l := LimitsOf(a); l != nil {
		all = append(all, l.ExpectError)
	}
	written := make([]hcl.Expression, 0, len(all))
	for _, e := range all {
		if e != nil {
			written = append(written, e)
		}
	}
	return written
}
