package validate

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/value"
)

// guard is a "when" as it is written, with whether it lets anything be decided:
// in any row of a matrix, for any element of a dynamic block, on any cluster.
type guard struct {
	at      hcl.Range
	decides bool
}

// guardAt is the guard that is written at a place.
func (c *checker) guardAt(at hcl.Range) *guard {
	if c.guards[at] == nil {
		c.guards[at] = &guard{at: at}
	}
	return c.guards[at]
}

// neverDecided warns of what is skipped wherever it runs.
func (c *checker) neverDecided() {
	for _, g := range c.guards {
		if !g.decides {
			c.warnf(g.at, "Never decided", "This is false on every cluster that the scenario runs on, so that it is never decided.")
		}
	}
}

// decided warns of what a run cannot change: a condition over nothing that is
// observed. It says whether the step is decided on some cluster, as far as that
// is known.
func (c *checker) decided(s *dsl.Scenario, step *dsl.Step) bool {
	condition, when := action.Condition(step.Action)
	if condition != nil && c.constant(s, step, condition) {
		c.warnf(condition.Range(), "Constant condition", "The condition looks at nothing that is observed in a run, so that it is decided beforehand.")
	}
	if when == nil || len(s.Clusters) == 0 {
		return true
	}
	g := c.guardAt(when.Range())
	for _, on := range s.Clusters {
		if !c.skipped(s, step, when, on) {
			g.decides = true
			return true
		}
	}
	return false
}

// constant says whether an expression looks at nothing that is observed.
func (c *checker) constant(s *dsl.Scenario, step *dsl.Step, expr hcl.Expression) bool {
	for _, ref := range c.reached(s, expr) {
		if observed(ref.root, step) {
			return false
		}
	}
	return !slices.ContainsFunc(withLocals(s, expr), callsObject)
}

// callsObject says whether an expression calls object().
func callsObject(expr hcl.Expression) bool {
	native, ok := expr.(hclsyntax.Expression)
	if !ok {
		return true // nothing is known of it
	}
	found := false
	_ = hclsyntax.VisitAll(native, func(n hclsyntax.Node) hcl.Diagnostics {
		if call, ok := n.(*hclsyntax.FunctionCallExpr); ok && call.Name == "object" {
			found = true
		}
		return nil
	}) // the function returns no diagnostics
	return found
}

// skipped says whether `when` is known to be false on a cluster.
func (c *checker) skipped(s *dsl.Scenario, step *dsl.Step, when hcl.Expression, on *dsl.Cluster) bool {
	known := c.clusters[on]
	if known == nil || known.target == nil {
		return false
	}
	for _, ref := range c.reached(s, when) {
		switch {
		case observed(ref.root, step):
			return false
		case ref.root == "target" && known.unsettled(ref.name):
			return false
		}
	}
	v, diags := c.scope(s, step, on).Eval(when)
	if diags.HasErrors() {
		return false
	}
	truth, err := value.Truth(v)
	return err == nil && truth == value.False
}
