package expect

import (
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
	// Evaluator makes the evaluator for what is known at one moment.
	Evaluator func(Observed) Evaluator
}

// Observed is what is known of a run at one moment, by name.
type Observed struct {
	// Pods and Jobs hold of each name the newest one.
	Pods  map[string]*value.Pod
	Jobs  map[string]*value.Job
	Steps map[string]*value.Step
	// Objects are those of other kinds that were watched.
	Objects map[value.ObjectKey]*value.Object
}

// Now is the evaluator for what the timeline holds now, log lines included.
func (s *Scope) Now() Evaluator { return s.at(true) }

// at is the evaluator for now, with or without log lines.
func (s *Scope) at(logs bool) Evaluator {
	return s.Evaluator(Values(s.Timeline, s.Namespace, logs))
}
