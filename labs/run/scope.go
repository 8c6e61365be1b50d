package run

import (
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/expect"
)

// scopeOf is what the expressions of a step can see: what all steps of the run
// see, and the step's own roots.
func (s *scenarioRun) scopeOf(st *dsl.Step) *expect.Scope {
	return &expect.Scope{
		Timeline: s.timeline, Namespace: s.planned.Namespace, Locals: s.planned.Source.Locals, Files: s.in.plan.Module.Files,
		Extra:     st.Scope(s.planned.Source),
		Evaluator: func(o expect.Observed) expect.Evaluator { return s.values(o, st) },
	}
}

// valuesNow is what a step's expressions stand for now.
func (s *scenarioRun) valuesNow(st *dsl.Step) *value.Scope {
	return s.values(expect.Values(s.timeline, s.planned.Namespace), st)
}

func (s *scenarioRun) values(o expect.Observed, st *dsl.Step) *value.Scope {
	m := s.in.plan.Module
	return &value.Scope{
		Vars: m.Vars, Locals: m.Locals, ScenarioLocals: s.planned.Source.Locals, Target: s.target, Namespace: s.planned.Namespace,
		Pods: o.Pods, Jobs: o.Jobs, Steps: o.Steps, Objects: o.Objects, Missed: o.Missed, Extra: st.Scope(s.planned.Source),
		Dir: m.FS, PathScenario: m.Dir, Shared: s.shared, Cache: o.Cache,
	}
}

// redact takes sensitive values out of a text that is printed or kept.
func (s *scenarioRun) redact(text string) string { return value.Redact(text, s.secrets) }
