package run

import (
	"maps"

	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/expect"
)

// scopeOf is what the expressions of a step can see: what all steps of the run
// see, and the step's own roots.
func (s *session) scopeOf(st *dsl.Step) *expect.Scope {
	return &expect.Scope{
		Timeline: s.timeline, Namespace: s.planned.Namespace, Locals: s.planned.Source.Locals, Files: s.plan.Module.Files,
		Evaluator: func(o expect.Observed) expect.Evaluator { return s.values(o, st) },
	}
}

// valuesNow is what a step's expressions stand for now.
func (s *session) valuesNow(st *dsl.Step) *value.Scope {
	return s.values(expect.Values(s.timeline, s.planned.Namespace, true), st)
}

func (s *session) values(o expect.Observed, st *dsl.Step) *value.Scope {
	m := s.plan.Module
	return &value.Scope{
		Vars: m.Vars, Locals: m.Locals, ScenarioLocals: s.planned.Source.Locals, Target: s.target,
		Pods: o.Pods, Jobs: o.Jobs, Steps: o.Steps, Extra: s.extra(st), Dir: m.FS, PathScenario: m.Dir,
	}
}

// extra are the roots that are not everywhere: the row of the matrix, and the
// iterators of the dynamic blocks that made the step.
func (s *session) extra(st *dsl.Step) map[string]cty.Value {
	extra := maps.Clone(st.Roots)
	if s.planned.Source.Matrix == cty.NilVal {
		return extra
	}
	if extra == nil {
		extra = map[string]cty.Value{}
	}
	extra["matrix"] = s.planned.Source.Matrix
	return extra
}

// redact takes sensitive values out of a text that is told or kept.
func (s *session) redact(text string) string { return value.Redact(text, s.secrets) }
