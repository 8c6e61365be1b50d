package value

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// present is an expression that a function or a "for" cannot do with null: a
// field that an object does not have, which may come, is unknown to them.
type present struct{ *hclsyntax.ParenthesesExpr }

// Value is that of the expression, or unknown for a field that is not there.
func (p *present) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	v, diags := p.Expression.Value(ctx)
	if diags.HasErrors() || !v.IsNull() || !v.HasMark(missing) {
		return v, diags
	}
	plain, marks := v.Unmark()
	return cty.UnknownVal(plain.Type()).WithMarks(marks), diags
}

// makePresent wraps an expression, unless it is wrapped.
func makePresent(expr hclsyntax.Expression) hclsyntax.Expression {
	switch expr.(type) {
	case *present, *expanded:
		return expr
	}
	return &present{&hclsyntax.ParenthesesExpr{Expression: expr, SrcRange: expr.Range()}}
}

// prepareArguments wraps those arguments of a call that must not be null.
func prepareArguments(call *hclsyntax.FunctionCallExpr) {
	f, known := specs[call.Name]
	if !known || slices.Contains([]string{"try", "can", "object"}, call.Name) { // which take expressions, or stand for a type
		return
	}
	params, rest := f.Params(), f.VarParam()
	for i, arg := range call.Args {
		switch {
		case i < len(params) && !params[i].AllowNull, i >= len(params) && rest != nil && !rest.AllowNull:
			call.Args[i] = makePresent(arg)
		}
	}
}

// specs are the functions of the language, for what they say of their
// parameters.
var specs = plainFunctions()
