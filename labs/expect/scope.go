package expect

import (
	"maps"
	"regexp"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/value"
)

// Evaluator evaluates expressions over what is known at one moment. What is not
// known yet is an unknown value and no error.
type Evaluator interface {
	// Find evaluates an expression and says what its value rests on.
	Find(hcl.Expression) (value.Finding, hcl.Diagnostics)
	// EvalMarked keeps the marks of what is sensitive.
	EvalMarked(hcl.Expression) (cty.Value, hcl.Diagnostics)
	// References are the references in an expression, with their values.
	References(hcl.Expression) []value.Ref
	// Decisive are the parts of a condition that made it what it is.
	Decisive(hcl.Expression) []value.Part
}

var _ Evaluator = (*value.Scope)(nil)

// Scope is what the expectations of one run on one cluster have in common.
type Scope struct {
	// Timeline is what was observed; the caller adds to it.
	Timeline *collectors.Timeline
	// Namespace is the run's own, in which names are looked up; empty means
	// any.
	Namespace string
	// Locals are the scenario's own locals: a message names them by what they
	// are made of.
	Locals map[string]hcl.Expression
	// Files are the sources of the scenario by file name.
	Files map[string]*hcl.File
	// Extra are further roots that expressions have, such as matrix; they are
	// handed to Evaluator.
	Extra map[string]cty.Value
	// Evaluator makes the evaluator for what is known at one moment.
	Evaluator func(Observed) Evaluator

	// pods are the values of pods as they were last.
	pods  map[*collectors.PodState]*value.Pod
	cache *value.Cache
	logs  *logs
	// patterns are those that lines are held to.
	patterns map[string]*regexp.Regexp
}

// Observed is what is known of a run at one moment, by name.
type Observed struct {
	// Pods and Jobs hold of each name the newest one.
	Pods  map[string]*value.Pod
	Jobs  map[string]*value.Job
	Steps map[string]*value.Step
	// Objects are those of other kinds that were watched.
	Objects map[value.ObjectKey]*value.Object
	// Missed says of a stream why objects that are not here may have been there.
	Missed map[value.Stream]string
	// Extra is the scope's.
	Extra map[string]cty.Value
	// Cache keeps values from one moment to the next.
	Cache *value.Cache
}

// With is the scope with further roots, such as those that only one step's
// expressions have; one of the same name stands before the scope's own.
func (s *Scope) With(roots map[string]cty.Value) *Scope {
	if len(roots) == 0 {
		return s
	}
	with := *s
	with.Extra = maps.Clone(s.Extra)
	if with.Extra == nil {
		with.Extra = map[string]cty.Value{}
	}
	maps.Copy(with.Extra, roots)
	return &with
}

// Now is the evaluator for what the timeline holds now.
func (s *Scope) Now() Evaluator {
	if s.cache == nil {
		s.cache, s.logs = &value.Cache{}, &logs{tl: s.Timeline, scans: map[scanKey]*scan{}}
	}
	f := folder{tl: s.Timeline, gaps: gapsOf(s.Timeline, s.Namespace), logs: s.logs, before: s.pods, now: map[*collectors.PodState]*value.Pod{}}
	if s.Timeline.GapsTold() > 0 || s.skewed() {
		// What a gap hides, and what is stamped by this machine, is in the pods' values.
		f.before = nil
	}
	o := f.values(s.Namespace)
	s.pods = f.now
	o.Extra, o.Cache = s.Extra, s.cache
	return s.Evaluator(o)
}
