package value

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Chosen returns the expression that gives the value of another: of a
// conditional the result that its condition chooses, of one of the scenario's
// locals its expression. Evaluated by itself it has the type that is written;
// a conditional's own value has a type that both results can be converted to,
// so that `cond ? "text" : false` is a text in both cases. Where the condition
// is not known, it is the conditional.
func (s *Scope) Chosen(expr hcl.Expression) hcl.Expression {
	busy := map[string]bool{}
	for {
		switch e := bareOf(expr).(type) {
		case *hclsyntax.ScopeTraversalExpr:
			name, _ := stepName(e.Traversal, 1)
			local := s.ScenarioLocals[name]
			if e.Traversal.RootName() != "local" || len(e.Traversal) != 2 || local == nil || busy[name] {
				return expr
			}
			busy[name], expr = true, local
			continue
		case *hclsyntax.ConditionalExpr:
			v, diags := s.Eval(bareOf(e.Condition))
			truth, err := Truth(v)
			switch {
			case diags.HasErrors() || err != nil || truth == Undecided:
				return expr
			case truth == True:
				expr = bareOf(e.TrueResult)
			default:
				expr = bareOf(e.FalseResult)
			}
			continue
		}
		return expr
	}
}
