package validate

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
)

// decided warns of what a run cannot change: a condition over nothing that is
// observed, and an expectation that is skipped wherever it runs.
func (c *checker) decided(s *dsl.Scenario, step *dsl.Step) {
	var condition, when hcl.Expression
	switch {
	case step.Expect != nil:
		condition, when = step.Expect.Condition, step.Expect.When
	case step.Invariant != nil:
		condition, when = step.Invariant.Condition, step.Invariant.When
	case step.Wait != nil:
		condition = step.Wait.Condition
	}
	if condition != nil && c.constant(s, step, condition) {
		c.warnf(condition.Range(), "Constant condition", "The condition looks at nothing that is observed in a run, so that it is decided beforehand.")
	}
	if when == nil || len(s.Clusters) == 0 {
		return
	}
	for _, on := range s.Clusters {
		if !c.skipped(s, step, when, on) {
			return
		}
	}
	c.warnf(when.Range(), "Never decided", "This is false on every cluster that the scenario runs on, so that it is never decided.")
}

// constant says whether an expression looks at nothing that is observed.
func (c *checker) constant(s *dsl.Scenario, step *dsl.Step, expr hcl.Expression) bool {
	for _, ref := range c.reached(s, expr) {
		if observed(ref.root, step) {
			return false
		}
	}
	return !callsObject(expr)
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
		case ref.root == "target" && (ref.name == "kubernetes" && !known.exact || ref.name == "nodes" || ref.name == "runtime" || ref.name == "cgroup" || ref.name == ""):
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
