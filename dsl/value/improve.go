package value

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/internal/suggest"
)

// improve says more in HCL's diagnostics about names that do not exist: what
// there is, and what was probably meant.
func (s *schema) improve(diags hcl.Diagnostics) hcl.Diagnostics {
	for _, d := range diags {
		if d.Subject == nil || d.EvalContext == nil {
			continue
		}
		switch expr := d.Expression.(type) {
		case *hclsyntax.ScopeTraversalExpr:
			s.improveTraversal(d, expr.Traversal, 1, func() (cty.Value, hcl.Diagnostics) {
				return expr.Traversal[:1].TraverseAbs(d.EvalContext)
			})
		case *hclsyntax.RelativeTraversalExpr:
			s.improveTraversal(d, expr.Traversal, 0, func() (cty.Value, hcl.Diagnostics) {
				return expr.Source.Value(d.EvalContext)
			})
		case *hclsyntax.IndexExpr:
			coll, collDiags := expr.Collection.Value(d.EvalContext)
			key, keyDiags := expr.Key.Value(d.EvalContext)
			key, _ = key.Unmark()
			if !collDiags.HasErrors() && !keyDiags.HasErrors() && key.Type() == cty.String && key.IsKnown() && !key.IsNull() {
				s.improveStep(d, coll, key.AsString(), "")
			}
		}
	}
	return diags
}

// improveTraversal finds the step of a traversal that d is about, beginning
// with the step at first, and the value before it.
func (s *schema) improveTraversal(d *hcl.Diagnostic, t hcl.Traversal, first int, begin func() (cty.Value, hcl.Diagnostics)) {
	v, diags := begin()
	if diags.HasErrors() {
		return
	}
	for i := first; i < len(t); i++ {
		if t[i].SourceRange() == *d.Subject {
			if name, ok := stepName(t, i); ok {
				s.improveStep(d, v, name, FormatTraversal(t[:i]))
			}
			return
		}
		if v, diags = t[i].TraversalStep(v); diags.HasErrors() {
			return
		}
	}
}

// improveStep rewrites the diagnostic of looking for name in v, which is
// written as before.
func (s *schema) improveStep(d *hcl.Diagnostic, v cty.Value, name, before string) {
	v, _ = v.Unmark()
	ty := v.Type()
	switch {
	case v.IsNull():
		d.Detail = fmt.Sprintf("%s is null: it is known not to exist, so it has no attributes or elements.", orThis(before))
	case ty.IsObjectType():
		names := keys(ty.AttributeTypes())
		d.Summary = "Unsupported attribute"
		d.Detail = fmt.Sprintf("%s has no attribute %q.%s", s.noun(ty), name, suggestOrList(name, names))
	case ty.IsMapType() && v.IsKnown():
		names := keys(v.AsValueMap())
		what := "This map has no element"
		d.Summary = "No such element"
		if ty.ElementType().Equals(s.container) {
			d.Summary, what = "No such container", "The pod has no container"
		}
		d.Detail = fmt.Sprintf("%s %q.%s%s", what, name, suggest.Sentence(name, names), existing(names))
		if before == "target.feature_gates" {
			d.Detail += fmt.Sprintf(" target.feature_gates has only the gates that the cluster sets. lookup(target.feature_gates, %q, false) also works for other gates.", name)
		}
	}
}

func orThis(before string) string {
	if before == "" {
		return "This"
	}
	return before
}

func existing(names []string) string {
	if len(names) == 0 {
		return " There are none."
	}
	return fmt.Sprintf(" There is %s.", suggest.List(names))
}

// suggestOrList is a suggestion, or all that there is if nothing is close.
func suggestOrList(name string, names []string) string {
	if s := suggest.Sentence(name, names); s != "" {
		return s
	}
	if len(names) == 0 {
		return ""
	}
	return " It has " + strings.ReplaceAll(suggest.List(names), `"`, "") + "."
}
