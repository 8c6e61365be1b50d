package dsl

import (
	"maps"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/action"
)

// Expressions returns the expressions that the step evaluates when it begins
// or while it is decided. Omitted arguments have none.
func (s *Step) Expressions() []hcl.Expression {
	return action.Expressions(s.Action)
}

// Scope returns the further roots of the step's expressions, for
// value.Scope.Extra: the scenario's matrix and the step's own iterators.
func (s *Step) Scope(of *Scenario) map[string]cty.Value {
	extra := of.Extra()
	maps.Copy(extra, s.Roots)
	return extra
}

// Extra returns the further roots of a scenario's expressions: its matrix.
func (s *Scenario) Extra() map[string]cty.Value {
	if s.Matrix == cty.NilVal {
		return map[string]cty.Value{}
	}
	return map[string]cty.Value{"matrix": s.Matrix}
}
