package dsl

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/internal/suggest"
	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/dsl/value"
)

// clusterSets adds the clusters of the sets that the file uses.
func (l *loader) clusterSets(attr *hcl.Attribute, in surroundings) {
	if attr == nil {
		return
	}
	elements, diags := hcl.ExprList(attr.Expr)
	if diags.HasErrors() {
		l.setMissing = true
		l.errorf(attr.Expr.Range(), "Invalid "+attr.Name, "The argument %q must be a literal list of names, such as [\"standard\"].", attr.Name)
		return
	}
	for _, element := range elements {
		set, ok := l.setNamed(element, in)
		if !ok {
			l.setMissing = true
			continue
		}
		if first, again := l.sets[set.Name]; again {
			l.errorf(element.Range(), "Duplicate cluster set", "The cluster set %q is named already, at %s. Remove one of them.", set.Name, FormatRange(first))
			continue
		}
		l.sets[set.Name] = element.Range()
		l.module.ClusterSets = append(l.module.ClusterSets, *set)
		l.addSet(set, element.Range())
	}
}

// addSet adds the clusters of the set that is named at a place. It reports
// clusters that another set also has.
func (l *loader) addSet(set *schema.ClusterSet, at hcl.Range) {
	shared := map[string][]string{} // by the other set
	for _, c := range set.Clusters {
		if other := l.setCluster(c.Name); other != nil {
			shared[other.Set] = append(shared[other.Set], c.Name)
		} else {
			l.addOfSet(set.Name, c, at)
		}
	}
	for _, other := range sorted(shared) {
		l.errorf(at, "Duplicate cluster", "The cluster sets %q, at %s, and %q both have %s. Remove one of the sets.",
			other, FormatRange(l.sets[other]), set.Name, suggest.List(shared[other]))
	}
}

// setNamed returns the set that an expression names.
func (l *loader) setNamed(expr hcl.Expression, in surroundings) (*schema.ClusterSet, bool) {
	v, ok := l.check(expr, in)
	if !ok {
		return nil, false
	}
	if v.IsNull() || !v.IsKnown() || v.Type() != cty.String {
		l.errorf(expr.Range(), "Invalid "+schema.ClusterSetsArgument, "The name of a cluster set must be a string, such as \"standard\"; this is %s.", value.Format(v))
		return nil, false
	}
	set := schema.FindSet(l.opts.ClusterSets, v.AsString())
	if set != nil {
		return set, true
	}
	known := schema.SetNames(l.opts.ClusterSets)
	more := " No cluster sets are known here. Declare the clusters in the file."
	if len(known) > 0 {
		more = suggest.Sentence(v.AsString(), known) + " Available cluster sets: " + suggest.List(known) + "."
	}
	l.errorf(expr.Range(), "Unknown cluster set", "There is no cluster set %s.%s", value.Format(v), more)
	return nil, false
}

// addOfSet adds a cluster of the set that is named at a place.
func (l *loader) addOfSet(set string, of schema.SetCluster, at hcl.Range) {
	if !hclsyntax.ValidIdentifier(of.Name) {
		l.errorf(at, "Invalid cluster set", "The cluster set %q has a cluster %s, which is not a valid name.", set, value.Format(cty.StringVal(of.Name)))
		return
	}
	l.checkVersion(at, of.Kubernetes)
	l.module.Clusters = append(l.module.Clusters, &Cluster{
		Name: of.Name, Block: of.Name, Set: set, Provider: DefaultProvider, Statement: l.statement(DefaultProvider), ControlPlanes: 1,
		Kubernetes: of.Kubernetes, FeatureGates: of.FeatureGates, Range: at, KubernetesRange: at, FeatureGatesRange: at,
	})
}

// setCluster returns the cluster of that name that came from a set, or nil.
func (l *loader) setCluster(name string) *Cluster {
	for _, c := range l.module.Clusters {
		if c.Set != "" && c.Block == name {
			return c
		}
	}
	return nil
}

// inSet reports a cluster block with the name of a cluster of a set, and says
// whether it did.
func (l *loader) inSet(block inner) bool {
	of := l.setCluster(block.Labels[0])
	if of == nil {
		return false
	}
	l.errorf(block.LabelRanges[0], "Duplicate cluster", "The cluster %q is already in the cluster set %q, at %s. Rename this cluster, or remove the set.",
		of.Block, of.Set, FormatRange(of.Range))
	return true
}
