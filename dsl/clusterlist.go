package dsl

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/internal/suggest"
	"github.com/kind-lab/lab/dsl/value"
)

// clusterList evaluates the argument that names clusters. Only this argument can
// use the root cluster.
func (l *loader) clusterList(attr *hcl.Attribute, in surroundings) (cty.Value, bool) {
	in = in.static()
	in.roots = append([]string{"cluster"}, in.roots...)
	var found hcl.Diagnostics
	for _, ref := range attr.Expr.Variables() {
		if ref.RootName() != "cluster" {
			if d := l.reference(ref, in); d != nil {
				found = append(found, d)
			}
			continue
		}
		if name, at, ok := nameIn(ref); ok {
			d := l.unknownCluster(at, name)
			if d == nil && l.several[name] {
				d = l.unknownKey(ref, name)
			}
			if d != nil {
				found = append(found, d)
			}
		}
	}
	l.diags = append(l.diags, found...)
	if found.HasErrors() {
		return cty.NilVal, false
	}
	scope := l.scope
	scope.Extra = in.extra
	ctx, diags := scope.Context(attr.Expr)
	if !diags.HasErrors() {
		ctx.Variables["cluster"] = l.clusterObject()
		var v cty.Value
		v, diags = attr.Expr.Value(ctx)
		v, _ = v.UnmarkDeep()
		l.diags = append(l.diags, diags...)
		return v, !diags.HasErrors() && l.isList(attr, v)
	}
	l.diags = append(l.diags, diags...)
	return cty.NilVal, false
}

func (l *loader) isList(attr *hcl.Attribute, v cty.Value) bool {
	ty := v.Type()
	if v.IsKnown() && !v.IsNull() && (ty.IsTupleType() || ty.IsListType() || ty.IsSetType()) {
		return true
	}
	if v.IsKnown() {
		l.errorf(attr.Expr.Range(), "Invalid clusters", "The argument \"clusters\" must be a list of clusters, such as [cluster.%s]%s.", l.exampleCluster(), notNull(v))
	}
	return false
}

// notNull ends a sentence about what must be, if it is null.
func notNull(v cty.Value) string {
	if v.IsNull() {
		return ", not null"
	}
	return ""
}

func (l *loader) unknownCluster(at hcl.Range, name string) *hcl.Diagnostic {
	var names []string
	for _, c := range l.module.Clusters {
		if !has(names, c.Block) {
			names = append(names, c.Block)
		}
	}
	for _, block := range sorted(l.several) {
		if !has(names, block) {
			names = append(names, block)
		}
	}
	if has(names, name) {
		return nil
	}
	hint := suggest.Sentence(name, names)
	switch {
	case hint != "":
	case len(names) == 0:
		hint = fmt.Sprintf(" Declare it: cluster %s { kubernetes = \"1.28\" }.", value.Format(cty.StringVal(name)))
	default:
		hint = " Declared clusters: " + suggest.List(names) + "."
	}
	return mistake(at, "Unknown cluster", fmt.Sprintf("There is no cluster %q.%s", name, hint))
}

// unknownKey reports a reference to a key for which the for_each created no
// cluster.
func (l *loader) unknownKey(ref hcl.Traversal, block string) *hcl.Diagnostic {
	if len(ref) < 3 || l.unsure[block] {
		return nil
	}
	key, _, ok := nameIn(ref[1:])
	if !ok {
		return nil
	}
	var keys []string
	for _, c := range l.module.Clusters {
		if c.Block == block {
			keys = append(keys, c.Key)
		}
	}
	if has(keys, key) {
		return nil
	}
	hint := suggest.Sentence(key, keys)
	if hint == "" {
		hint = " Keys: " + suggest.List(keys) + "."
	}
	return mistake(ref[:3].SourceRange(), "Unknown cluster", fmt.Sprintf("cluster.%s has no %q.%s", block, key, hint))
}

// clusterObject is the root cluster: the declared clusters by name. For a
// for_each, the clusters are below the name, by key.
func (l *loader) clusterObject() cty.Value {
	all, several := map[string]cty.Value{}, map[string]map[string]cty.Value{}
	for block := range l.several {
		several[block] = map[string]cty.Value{}
	}
	for _, c := range l.module.Clusters {
		v := cty.ObjectVal(map[string]cty.Value{
			"name": cty.StringVal(c.Name), "kubernetes": cty.StringVal(c.Kubernetes), "key": cty.StringVal(c.Key),
		})
		if l.several[c.Block] {
			several[c.Block][c.Key] = v
		} else {
			all[c.Block] = v
		}
	}
	for block, of := range several {
		all[block] = cty.ObjectVal(of)
		if l.unsure[block] {
			all[block] = cty.DynamicVal
		}
	}
	return cty.ObjectVal(all)
}

// declaredCluster returns the cluster that a value of the root cluster
// represents, or nil.
func (l *loader) declaredCluster(v cty.Value) *Cluster {
	if !v.IsWhollyKnown() || v.IsNull() || !v.Type().IsObjectType() || !v.Type().HasAttribute("name") {
		return nil
	}
	name := v.GetAttr("name")
	if name.Type() != cty.String || name.IsNull() {
		return nil
	}
	for _, c := range l.module.Clusters {
		if c.Name == name.AsString() {
			return c
		}
	}
	return nil
}

// exampleCluster is the name of a cluster for messages.
func (l *loader) exampleCluster() string {
	for _, c := range l.module.Clusters {
		if hclsyntax.ValidIdentifier(c.Name) {
			return c.Name
		}
	}
	return "NAME"
}

// clustersOf decodes the argument that names a scenario's clusters.
func (l *loader) clustersOf(attr *hcl.Attribute, in surroundings) []*Cluster {
	if attr == nil || l.setMissing { // the set of clusters is unknown
		return nil
	}
	v, ok := l.clusterList(attr, in)
	if !ok {
		return nil
	}
	var clusters []*Cluster
	seen := map[string]bool{}
	for it := v.ElementIterator(); it.Next(); {
		_, element := it.Element()
		cluster := l.declaredCluster(element)
		switch {
		case cluster == nil && element.IsKnown():
			l.errorf(attr.Expr.Range(), "Invalid clusters", "Every element must be a cluster of this file, such as cluster.%s; this is %s.%s",
				l.exampleCluster(), value.Format(element), l.severalHint(element))
		case cluster == nil:
		case seen[cluster.Name]:
			l.errorf(attr.Expr.Range(), "Duplicate cluster", "cluster.%s is listed twice. A scenario runs once on each of its clusters.", cluster.Name)
		default:
			seen[cluster.Name] = true
			l.used["cluster."+cluster.Block] = true
			clusters = append(clusters, cluster)
		}
	}
	if len(seen) == 0 && v.LengthInt() == 0 {
		l.errorf(attr.Expr.Range(), "No clusters", "A scenario needs at least one cluster to run on, such as cluster.%s.", l.exampleCluster())
	}
	return clusters
}

// severalHint says how to name all clusters of a for_each, if v is the map of
// them.
func (l *loader) severalHint(v cty.Value) string {
	all := l.clusterObject().AsValueMap()
	for name := range l.several {
		if all[name].RawEquals(v) {
			return " These are the clusters of a for_each; write values(cluster." + name + ")."
		}
	}
	return ""
}
