package expect

import (
	"maps"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/value"
)

// Evaluator evaluates an expression over what is known at one moment. What is
// not known yet is an unknown value and no error.
type Evaluator interface {
	Eval(hcl.Expression) (cty.Value, hcl.Diagnostics)
}

// Scope is what the expectations of one run on one cluster have in common.
type Scope struct {
	// Timeline is what was observed; the caller adds to it.
	Timeline *collectors.Timeline
	// Namespace is the run's own, in which names are looked up; empty means
	// any.
	Namespace string
	// Locals are the scenario's own locals, so that what a condition reaches
	// by way of local.x is known to concern it.
	Locals map[string]hcl.Expression
	// Files are the sources of the scenario by file name.
	Files map[string]*hcl.File
	// Extra are further roots that expressions have, such as matrix; they are
	// handed to Evaluator.
	Extra map[string]cty.Value
	// Evaluator makes the evaluator for what is known at one moment.
	Evaluator func(Observed) Evaluator

	// pods are the values of pods as they were last, without logs.
	pods  map[*collectors.PodState]*value.Pod
	cache *value.Cache
}

// Observed is what is known of a run at one moment, by name.
type Observed struct {
	// Pods and Jobs hold of each name the newest one.
	Pods  map[string]*value.Pod
	Jobs  map[string]*value.Job
	Steps map[string]*value.Step
	// Objects are those of other kinds that were watched.
	Objects map[value.ObjectKey]*value.Object
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

// Now is the evaluator for what the timeline holds now, log lines included.
func (s *Scope) Now() Evaluator { return s.at(true) }

// at is the evaluator for now, with or without log lines.
func (s *Scope) at(logs bool) Evaluator {
	if s.cache == nil {
		s.cache = &value.Cache{}
	}
	f := folder{tl: s.Timeline, logs: logs}
	if !logs && !s.skewed() {
		f.before, f.now = s.pods, map[*collectors.PodState]*value.Pod{}
	}
	o := f.values(s.Namespace)
	if f.now != nil {
		s.pods = f.now
	}
	o.Extra, o.Cache = s.Extra, s.cache
	return s.Evaluator(o)
}
