package validate

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/plan"
)

// namespace stands for the run's own, which has no name yet.
const namespace = plan.AnyNamespace

// foreseenText is a manifest, or the name of an object, as it is known before the
// run. into is the namespace to which it goes, or the run's own if that is unknown.
// on are the clusters on which a step has it; nil for all of the scenario's.
type foreseenText struct {
	text, into string
	on         []*dsl.Cluster
}

// sharesCluster says whether two manifests are both there on some cluster.
func sharesCluster(a, b []*dsl.Cluster) bool {
	return a == nil || b == nil || slices.ContainsFunc(a, func(on *dsl.Cluster) bool { return slices.Contains(b, on) })
}

// textsOf evaluates an expression to the texts that are known before the run. If
// they depend on the cluster, as those of a chart do, it is evaluated for each. It
// returns false if there may be others.
// into gives the namespace of objects that name none; nil for the run's own.
func (c *checker) textsOf(s *dsl.Scenario, step *dsl.Step, expr, into hcl.Expression) ([]foreseenText, bool) {
	texts, whole, diags := c.textsOn(s, step, expr, into, nil)
	if whole || diags.HasErrors() || len(s.Clusters) == 0 {
		return texts, whole && !diags.HasErrors()
	}
	var found []foreseenText
	wrong := mistakes{}
	whole = true
	for _, on := range s.Clusters {
		if known := c.clusters[on]; known == nil || known.target == nil || c.unsettled(s, expr, on) {
			return texts, false
		}
		here, all, diags := c.textsOn(s, step, expr, into, on)
		whole = whole && all && !diags.HasErrors()
		wrong.add(diags, on)
		for _, text := range here {
			i := slices.IndexFunc(found, func(f foreseenText) bool { return f.text == text.text && f.into == text.into })
			if i < 0 {
				i, found = len(found), append(found, text)
			}
			found[i].on = append(found[i].on, on)
		}
	}
	c.diags = append(c.diags, wrong.diags(len(s.Clusters))...)
	for i := range found {
		if len(found[i].on) == len(s.Clusters) {
			found[i].on = nil
		}
	}
	return found, whole
}

// textsOn evaluates an expression for a cluster, or with nothing known of it.
func (c *checker) textsOn(s *dsl.Scenario, step *dsl.Step, expr, into hcl.Expression, on *dsl.Cluster) ([]foreseenText, bool, hcl.Diagnostics) {
	scope := c.within(s, step, into, on)
	v, diags := scope.Eval(expr)
	if diags.HasErrors() || !v.IsKnown() || v.IsNull() {
		return nil, false, diags
	}
	if v.Type() == cty.String {
		return []foreseenText{{text: v.AsString(), into: scope.Namespace}}, true, nil
	}
	if !v.CanIterateElements() {
		return nil, false, nil
	}
	var texts []foreseenText
	whole := true
	for it := v.ElementIterator(); it.Next(); {
		_, e := it.Element()
		if !e.IsKnown() || e.IsNull() || e.Type() != cty.String {
			whole = false
			continue
		}
		texts = append(texts, foreseenText{text: e.AsString(), into: scope.Namespace})
	}
	return texts, whole, nil
}

// within is the scope of a step's expressions, with the namespace to which its
// objects go that name none, as far as it is known.
func (c *checker) within(s *dsl.Scenario, step *dsl.Step, into hcl.Expression, on *dsl.Cluster) *value.Scope {
	scope := c.scope(s, step, on)
	if into == nil {
		return scope
	}
	if v, diags := scope.Eval(into); !diags.HasErrors() && v.IsKnown() && !v.IsNull() && v.Type() == cty.String {
		scope.Namespace = v.AsString()
	}
	return scope
}

// mistakes are what was found wrong on some clusters.
type mistakes []mistake

type mistake struct {
	*hcl.Diagnostic
	on []*dsl.Cluster
}

func (m *mistakes) add(diags hcl.Diagnostics, on *dsl.Cluster) {
	for _, d := range diags {
		i := slices.IndexFunc(*m, func(have mistake) bool { return have.Summary == d.Summary && have.Detail == d.Detail })
		if i < 0 {
			i, *m = len(*m), append(*m, mistake{Diagnostic: d})
		}
		(*m)[i].on = append((*m)[i].on, on)
	}
}

// diags are the mistakes, with the clusters of those that are not the same on each
// of so many.
func (m mistakes) diags(clusters int) hcl.Diagnostics {
	var all hcl.Diagnostics
	for _, one := range m {
		d := *one.Diagnostic
		d.Expression, d.EvalContext = nil, nil
		if len(one.on) < clusters {
			var names []string
			for _, on := range one.on {
				names = append(names, "cluster."+on.Name)
			}
			d.Detail += " This is so on " + strings.Join(names, ", ") + "."
		}
		all = append(all, &d)
	}
	return all
}

// warned tells what a chart or a kustomization leaves out.
func (c *checker) warned(s *dsl.Scenario, step *dsl.Step, expr, into hcl.Expression) {
	for _, on := range append([]*dsl.Cluster{nil}, s.Clusters...) {
		for _, warning := range c.within(s, step, into, on).Warnings(expr) {
			c.warnf(expr.Range(), "Rendered with a warning", "%s.", warning)
		}
	}
}
