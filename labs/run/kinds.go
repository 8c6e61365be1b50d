package run

import (
	"slices"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
)

// kinds are the kinds of objects, beside pods and Jobs, that the scenario's
// expressions look at.
func (s *scenarioRun) kinds() []collectors.Kind {
	m, source := s.in.plan.Module, s.planned.Source
	var kinds []collectors.Kind
	for _, st := range slices.Concat(source.Steps, source.Finally) {
		scope := &value.Scope{Vars: m.Vars, Locals: m.Locals, ScenarioLocals: source.Locals, Extra: st.Scope(source), Dir: m.FS, PathScenario: m.Dir}
		for _, kind := range kindsOf(st, scope) {
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}

func kindsOf(st *dsl.Step, scope *value.Scope) []collectors.Kind {
	var kinds []collectors.Kind
	for _, expr := range st.Expressions() {
		for _, kind := range scope.Kinds(expr) {
			kinds = append(kinds, collectors.Kind{APIVersion: kind.APIVersion, Kind: kind.Kind})
		}
	}
	return kinds
}
