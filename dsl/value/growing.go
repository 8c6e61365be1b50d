package value

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// growingIndex is an index of a traversal: an element of an observed list that
// is not there yet is unknown, as everything that was not observed yet.
type growingIndex struct{ hcl.TraverseIndex }

// TraversalStep is the element, or unknown if it may still come.
func (t growingIndex) TraversalStep(v cty.Value) (cty.Value, hcl.Diagnostics) {
	if element, missing := notYet(v, t.Key); missing {
		return element, nil
	}
	return t.TraverseIndex.TraversalStep(v)
}

var _ hcl.Traverser = growingIndex{}

// indexKey is the key of a traversal's step; false if it is no index.
func indexKey(step hcl.Traverser) (cty.Value, bool) {
	switch step := step.(type) {
	case hcl.TraverseIndex:
		return step.Key, true
	case growingIndex:
		return step.Key, true
	}
	return cty.NilVal, false
}

// IndexKey is the key of a traversal's step; false if it is no index. The
// steps of expressions that were prepared are not HCL's own.
func IndexKey(step hcl.Traverser) (cty.Value, bool) { return indexKey(step) }

// prepareTraversal makes the indices of a traversal growing ones.
func prepareTraversal(t hcl.Traversal) {
	for i, step := range t {
		if index, ok := step.(hcl.TraverseIndex); ok {
			t[i] = growingIndex{index}
		}
	}
}

// notYet is the unknown element of an observed list that has fewer elements by
// now; false if the index is none such.
func notYet(list, key cty.Value) (cty.Value, bool) {
	plain, marks := list.Unmark()
	if !plain.Type().IsListType() || !isRead(list) || !plain.IsKnown() || plain.IsNull() ||
		key == cty.NilVal || key.Type() != cty.Number || !key.IsKnown() || key.IsNull() {
		return cty.NilVal, false
	}
	at, keyMarks := key.Unmark()
	i, accuracy := at.AsBigFloat().Int64()
	if accuracy != 0 || i < int64(plain.LengthInt()) {
		return cty.NilVal, false
	}
	return cty.UnknownVal(plain.Type().ElementType()).WithMarks(marks, keyMarks), true
}

// growingList is the collection of an index that is computed: unknown if the
// element is not there yet.
type growingList struct {
	*hclsyntax.ParenthesesExpr
	key hclsyntax.Expression
}

// Value is the collection.
func (l *growingList) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	v, diags := l.Expression.Value(ctx)
	if diags.HasErrors() || !v.Type().IsListType() || !isRead(v) {
		return v, diags
	}
	key, keyDiags := l.key.Value(ctx) // the index expression reports its mistakes
	if keyDiags.HasErrors() {
		return v, diags
	}
	if _, missing := notYet(v, key); missing {
		plain, marks := v.Unmark()
		return cty.UnknownVal(plain.Type()).WithMarks(marks), diags
	}
	return v, diags
}

// expanded is the last argument of a call with "...". HCL takes the marks off an
// unknown one, so that one unknown argument stands for it; so it does for an
// observed list that is empty so far, where the function needs an argument.
type expanded struct {
	*hclsyntax.ParenthesesExpr
	needsOne bool
}

// Value is the list of arguments.
func (x *expanded) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	v, diags := x.Expression.Value(ctx)
	plain, marks := v.Unmark()
	if diags.HasErrors() || !v.IsMarked() || plain.IsNull() {
		return v, diags
	}
	isEmpty := x.needsOne && isRead(v) && plain.IsKnown() && isSequence(plain) && plain.LengthInt() == 0
	if plain.IsKnown() && !isEmpty {
		return v, diags
	}
	return cty.TupleVal([]cty.Value{cty.DynamicVal}).WithMarks(marks), diags
}

// prepareExpansion lets what is made of an unknown list of arguments keep what it
// was read from.
func prepareExpansion(call *hclsyntax.FunctionCallExpr) {
	if !call.ExpandFinal || len(call.Args) == 0 {
		return
	}
	last := call.Args[len(call.Args)-1]
	if _, done := last.(*expanded); !done {
		paren := &hclsyntax.ParenthesesExpr{Expression: last, SrcRange: last.Range()}
		call.Args[len(call.Args)-1] = &expanded{paren, call.Name == "max" || call.Name == "min"}
	}
}
