package step

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
)

// Verb is what is known of a verb, beside its side of the language.
type Verb interface {
	// Name is the type of its block.
	Name() string
	// Forecast says what a step will do, before a run.
	Forecast(*dsl.Step) Forecast
	// Prepare evaluates what a step asks for, when it begins. What cannot be
	// evaluated is in Arguments.Err.
	Prepare(*Arguments) Prepared
	// Summary says what was done, as kubectl does: "job/myapp created".
	Summary(Result) string
	// Words and Trace are those of its Definition, Doing never empty.
	Words() Words
	Doing() string
	Trace() Trace
}

// Prepared is a step whose arguments are evaluated.
type Prepared struct {
	// Do does it and returns before ctx ends, or soon after. An error that is a
	// failure.Failure says that it did not come about; any other that it is not
	// known whether it did. The Result has what was done, also beside an error.
	Do func(ctx context.Context, on Cluster) (Result, error)
	// Needs says what the step needs of the cluster; nil means nothing.
	Needs func() (Needs, error)
	// Irreversible says what the step does that cannot be undone; empty for
	// nothing.
	Irreversible string
	// Limit is how long it may take. It is the timeout of a step that has one.
	Limit time.Duration
}

// Words are how reports name a verb.
type Words struct {
	// Accepted comes before the Summary of what was done although a failure was
	// expected, such as "the API server accepted ".
	Accepted string
	// Warning comes before a warning of the Result.
	Warning string
}

// OfAPI are the words of a verb that asks the API server.
func OfAPI() Words {
	return Words{Accepted: "the API server accepted ", Warning: "the API server warns: "}
}

// Trace says who can be asked at once for what a step did.
type Trace int

const (
	// InAll is a step of which any source may tell something.
	InAll Trace = iota
	// InAPI is one of which the API server tells.
	InAPI
	// InNone is one that changes nothing.
	InNone
)

// Definition is a Verb whose steps are of the type A.
type Definition[A action.Action] struct {
	// Verb is the type of the block.
	Verb string
	// ForecastOf says what a step will do; nil for a step that makes nothing and
	// needs nothing.
	ForecastOf func(A) Forecast
	// PrepareOf evaluates what a step asks for. The Limit of a step with a
	// timeout is set afterwards.
	PrepareOf func(*Arguments, A) Prepared
	// SummaryOf is nil where what was done to objects says it.
	SummaryOf func(Result) string
	// Saying has how it is reported, Progress what is said while it goes on, such
	// as "sleeping"; "doing" if it is empty. Traces says who tells of it.
	Saying   Words
	Progress string
	Traces   Trace
}

// Name implements Verb.
func (d Definition[A]) Name() string { return d.Verb }

// Forecast implements Verb.
func (d Definition[A]) Forecast(st *dsl.Step) Forecast {
	a, ok := st.Action.(A)
	if !ok || d.ForecastOf == nil {
		return Forecast{}
	}
	return d.ForecastOf(a)
}

// Prepare implements Verb.
func (d Definition[A]) Prepare(args *Arguments) Prepared {
	a, ok := args.Step.Action.(A)
	if !ok {
		args.Fail(fmt.Errorf("the verb %q is decoded to %T, and carried out as another", args.Step.Verb, args.Step.Action))
		return Prepared{}
	}
	p := d.PrepareOf(args, a)
	if l := action.LimitsOf(a); l != nil {
		p.Limit = l.Timeout
	}
	if p.Limit <= 0 {
		args.Fail(fmt.Errorf("the verb %q sets no limit to its time", args.Step.Verb))
	}
	return p
}

// Summary implements Verb.
func (d Definition[A]) Summary(out Result) string {
	if d.SummaryOf != nil {
		return d.SummaryOf(out)
	}
	var done []string
	for i, o := range out.Objects {
		done = append(done, fmt.Sprintf("%s/%s %s", strings.ToLower(o.Kind), o.Name, out.Actions[i]))
	}
	return strings.Join(done, ", ")
}

// Words implements Verb.
func (d Definition[A]) Words() Words {
	if d.Saying.Accepted == "" {
		return Words{Accepted: "it was done: ", Warning: d.Saying.Warning}
	}
	return d.Saying
}

// Doing implements Verb.
func (d Definition[A]) Doing() string {
	if d.Progress == "" {
		return "doing"
	}
	return d.Progress
}

// Trace implements Verb.
func (d Definition[A]) Trace() Trace { return d.Traces }

// Table holds the verbs that act. It is immutable.
type Table struct{ verbs []Verb }

// TableOf returns a table of some verbs.
func TableOf(verbs ...Verb) Table { return Table{slices.Clone(verbs)} }

// With returns the table with further verbs.
func (t Table) With(verbs ...Verb) Table { return Table{append(slices.Clone(t.verbs), verbs...)} }

// Verb returns the verb of a step; false if the table has none of its name.
func (t Table) Verb(name string) (Verb, bool) {
	i := slices.IndexFunc(t.verbs, func(v Verb) bool { return v.Name() == name })
	if i < 0 {
		return nil, false
	}
	return t.verbs[i], true
}

// Forecast says what a step will do; nothing if the table does not have its
// verb.
func (t Table) Forecast(st *dsl.Step) Forecast {
	if v, ok := t.Verb(st.Verb); ok {
		return v.Forecast(st)
	}
	return Forecast{}
}

// Covers fails if a verb that acts is in the language and not in the table, the
// other way round, or in the table twice.
func (t Table) Covers(language action.Table) error {
	var problems []error
	seen := map[string]bool{}
	for _, v := range t.verbs {
		if seen[v.Name()] {
			problems = append(problems, fmt.Errorf("the verb %q is in labs/step/verbs twice", v.Name()))
		}
		seen[v.Name()] = true
		if !slices.Contains(language.Names(), v.Name()) {
			problems = append(problems, fmt.Errorf("the verb %q is in labs/step/verbs, and not in dsl/action", v.Name()))
		}
	}
	for _, name := range language.Names() {
		if language.Acts(name) && !seen[name] {
			problems = append(problems, fmt.Errorf("the verb %q is in dsl/action, and not in labs/step/verbs", name))
		}
	}
	return errors.Join(problems...)
}
