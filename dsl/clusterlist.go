package dsl

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/internal/suggest"
	"github.com/kind-lab/lab/dsl/value"
)

// clusterList evaluates the argument that names clusters, the only place where
// the root cluster is known.
func (l *loader) clusterList(attr *hcl.Attribute) (cty.Value, bool) {
	roots := []string{"cluster", "local", "path", "var"}
	var found hcl.Diagnostics
	for _, ref := range attr.Expr.Variables() {
		if ref.RootName() != "cluster" {
			if d := l.reference(ref, surroundings{roots: roots}); d != nil {
				found = append(found, d)
			}
			continue
		}
		if name, at, ok := nameIn(ref); ok {
			if d := l.unknownCluster(at, name); d != nil {
				found = append(found, d)
			}
		}
	}
	l.diags = append(l.diags, found...)
	if found.HasErrors() {
		return cty.NilVal, false
	}
	ctx, diags := l.scope.Context(attr.Expr)
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
		l.errorf(attr.Expr.Range(), "Invalid clusters", "The argument \"clusters\" must be a list of clusters, such as [cluster.%s].", l.exampleCluster())
	}
	return false
}

func (l *loader) unknownCluster(at hcl.Range, name string) *hcl.Diagnostic {
	var names []string
	for _, c := range l.module.Clusters {
		names = append(names, c.Name)
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
		hint = " There is " + suggest.List(names) + "."
	}
	return mistake(at, "Unknown cluster", fmt.Sprintf("There is no cluster %q.%s", name, hint))
}

// clusterObject is the root cluster: the declared clusters by name.
func (l *loader) clusterObject() cty.Value {
	all := map[string]cty.Value{}
	for _, c := range l.module.Clusters {
		all[c.Name] = cty.ObjectVal(map[string]cty.Value{
			"name": cty.StringVal(c.Name), "kubernetes": cty.StringVal(c.Kubernetes),
		})
	}
	return cty.ObjectVal(all)
}

// declaredCluster returns the cluster that a value of the root cluster stands
// for, or nil.
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
