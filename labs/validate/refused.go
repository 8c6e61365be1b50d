package validate

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
)

// foreseen says how far it is known before the run that a step is expected to
// be refused.
type foreseen int

// Whether a rejection is foreseen.
const (
	notRejected foreseen = iota
	maybeRejected
	refused
)

// rejection is what expect_error says on one cluster.
func (c *checker) rejection(s *dsl.Scenario, step *dsl.Step, on *dsl.Cluster) foreseen {
	limits := action.LimitsOf(step.Action)
	if limits == nil || limits.ExpectError == nil {
		return notRejected
	}
	expr := limits.ExpectError
	scope := c.scope(s, step, on)
	expr = scope.Chosen(expr)
	v, diags := scope.Eval(expr)
	switch {
	case diags.HasErrors() || !v.IsKnown() || on != nil && c.unsettled(s, expr, on):
		return maybeRejected
	case v.IsNull():
		return notRejected
	case v.Type() == cty.Bool && v.False(), v.Type() == cty.String && v.AsString() == "false":
		return notRejected
	}
	return refused
}

// unsettled says whether an expression looks at what is not known of a cluster
// before it is there.
func (c *checker) unsettled(s *dsl.Scenario, expr hcl.Expression, on *dsl.Cluster) bool {
	known := c.clusters[on]
	for _, ref := range c.reached(s, expr) {
		if ref.root == "target" && (known == nil || known.target == nil || known.unsettled(ref.name)) {
			return true
		}
	}
	return false
}

// unsettled says whether an attribute of target is not known before the cluster
// is there.
func (k *knownCluster) unsettled(attribute string) bool {
	switch attribute {
	case "kubernetes":
		return !k.exact
	case "nodes", "runtime", "cgroup", "":
		return true
	}
	return false
}

// rejections is what expect_error says on each of the scenario's clusters, and
// what is known of all of them together: refused where it is certain on
// each, notRejected where a cluster certainly takes it.
func (c *checker) rejections(s *dsl.Scenario, step *dsl.Step) (map[*dsl.Cluster]foreseen, foreseen) {
	each := map[*dsl.Cluster]foreseen{}
	all := refused
	if len(s.Clusters) == 0 {
		all = c.rejection(s, step, nil)
	}
	for _, on := range s.Clusters {
		each[on] = c.rejection(s, step, on)
		all = min(all, each[on])
	}
	return each, all
}
