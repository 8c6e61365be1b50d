package dsl

import (
	"maps"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// Expressions returns the expressions that the step evaluates when it begins
// or while it is judged, without those that are not written.
func (s *Step) Expressions() []hcl.Expression {
	var all []hcl.Expression
	add := func(exprs ...hcl.Expression) {
		for _, e := range exprs {
			if e != nil {
				all = append(all, e)
			}
		}
	}
	switch {
	case s.Apply != nil:
		add(s.Apply.Manifests, s.Apply.ExpectError)
	case s.Delete != nil:
		add(s.Delete.Objects, s.Delete.Manifests, s.Delete.ExpectError)
	case s.Patch != nil:
		add(s.Patch.Object, s.Patch.Patch, s.Patch.ExpectError)
	case s.Exec != nil:
		add(s.Exec.Pod, s.Exec.Container, s.Exec.Node, s.Exec.Command, s.Exec.Stdin, s.Exec.ExpectError)
	case s.Wait != nil:
		add(s.Wait.Condition)
	case s.Signal != nil:
		add(s.Signal.Pod, s.Signal.Container, s.Signal.Signal, s.Signal.ExpectError)
	case s.Node != nil:
		add(s.Node.Node, s.Node.ExpectError)
	case s.Expect != nil:
		add(s.Expect.Condition, s.Expect.Outcome, s.Expect.When, s.Expect.Message)
	case s.Invariant != nil:
		add(s.Invariant.Condition, s.Invariant.When, s.Invariant.Message)
	}
	return all
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
