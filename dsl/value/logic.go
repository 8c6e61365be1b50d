package value

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// logical makes && where decides is false, and || where it is true. One side
// that decides suffices, whichever it is, where the other is not known yet.
// Mistakes are minded from left to right: one on the left always counts, one
// on the right where the left side does not decide; while the left side is not
// known it may still decide. So a mistake that is told once stays one, however
// much more becomes known.
func logical(decides bool) *hclsyntax.Operation {
	return &hclsyntax.Operation{
		Type: cty.Bool,
		Impl: stdlib.AndFunc, // for its parameters; ShortCircuit always answers
		ShortCircuit: func(left, right cty.Value, leftDiags, rightDiags hcl.Diagnostics) (cty.Value, hcl.Diagnostics) {
			switch is := func(v cty.Value, want bool) bool { return v.IsKnown() && v.True() == want }; {
			case leftDiags.HasErrors():
				return unknownBool(), leftDiags
			case is(left, decides):
				return cty.BoolVal(decides), leftDiags
			case !left.IsKnown() && rightDiags.HasErrors():
				return unknownBool(), leftDiags
			case rightDiags.HasErrors():
				return unknownBool(), rightDiags
			case is(right, decides):
				return cty.BoolVal(decides), rightDiags
			case is(left, !decides) && is(right, !decides):
				return cty.BoolVal(!decides), append(leftDiags, rightDiags...)
			}
			return unknownBool(), append(leftDiags, rightDiags...)
		},
	}
}

// prepareLogical gives && and || their meaning; false where expr is neither,
// or has it already.
func prepareLogical(expr *hclsyntax.BinaryOpExpr) bool {
	decides := expr.Op == hclsyntax.OpLogicalOr
	if !decides && expr.Op != hclsyntax.OpLogicalAnd {
		return false
	}
	expr.Op = logical(decides)
	wrap := func(of hclsyntax.Expression, side string) hclsyntax.Expression {
		return &truthOperand{&hclsyntax.ParenthesesExpr{Expression: of, SrcRange: of.Range()}, side, expr.SrcRange, decides}
	}
	expr.LHS, expr.RHS = wrap(expr.LHS, "left"), wrap(expr.RHS, "right")
	return true
}

// truthOperand is an operand of && or ||, which cannot be null.
type truthOperand struct {
	*hclsyntax.ParenthesesExpr
	side  string
	whole hcl.Range
	// decides is the truth of one side that decides the whole.
	decides bool
}

// Value is the operand's value, or an error where it is null.
func (o *truthOperand) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	v, diags := o.Expression.Value(ctx)
	if diags.HasErrors() || !v.IsNull() {
		return v, diags
	}
	return cty.UnknownVal(cty.Bool), append(diags, &hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: "Invalid operand",
		Detail: fmt.Sprintf("The %s operand is null: it is known that there is no such value, so it is neither true nor false. "+
			"Compare it with something, such as == true.", o.side),
		Subject: o.Range().Ptr(), Context: &o.whole, Expression: o.Expression, EvalContext: ctx,
	})
}

// prepareConditional lets a conditional whose two results are the same have
// that value while its condition is not known yet.
func prepareConditional(expr *hclsyntax.ConditionalExpr) {
	if _, done := expr.Condition.(*choice); done {
		return
	}
	paren := &hclsyntax.ParenthesesExpr{Expression: expr.Condition, SrcRange: expr.Condition.Range()}
	expr.Condition = &choice{paren, expr.TrueResult, expr.FalseResult}
}

// choice is the condition of a conditional.
type choice struct {
	*hclsyntax.ParenthesesExpr
	ifTrue, ifFalse hclsyntax.Expression
}

// Value is the condition's value; true where it is not known and does not
// matter.
func (c *choice) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	v, diags := c.Expression.Value(ctx)
	if diags.HasErrors() || v.IsKnown() {
		return v, diags
	}
	yes, yesDiags := c.ifTrue.Value(ctx)
	no, noDiags := c.ifFalse.Value(ctx)
	if yesDiags.HasErrors() || noDiags.HasErrors() || !yes.IsWhollyKnown() || !yes.RawEquals(no) {
		return v, diags
	}
	_, marks := v.Unmark()
	return cty.True.WithMarks(marks), diags
}

// prepareQuantifier turns alltrue([for x in xs : c if d]) into
// alltrue([for x in xs : d ? c : true]), and anytrue alike, so that one element
// for which d is not known yet does not hide what the others decide.
func prepareQuantifier(call *hclsyntax.FunctionCallExpr) {
	if call.Name != "alltrue" && call.Name != "anytrue" || len(call.Args) != 1 {
		return
	}
	loop, ok := call.Args[0].(*hclsyntax.ForExpr)
	if !ok || loop.KeyExpr != nil || loop.CondExpr == nil {
		return
	}
	loop.ValExpr = &hclsyntax.ConditionalExpr{
		Condition: loop.CondExpr, TrueResult: loop.ValExpr,
		FalseResult: &leftOut{&hclsyntax.LiteralValueExpr{Val: cty.BoolVal(call.Name == "alltrue"), SrcRange: loop.CondExpr.Range()}},
		SrcRange:    hcl.RangeBetween(loop.ValExpr.Range(), loop.CondExpr.Range()),
	}
	loop.CondExpr = nil
}

// leftOut is what stands for an element that an if leaves out.
type leftOut struct{ *hclsyntax.LiteralValueExpr }

// isLeftOut says whether an element of a quantifier was left out.
func isLeftOut(element hcl.Expression, ctx *hcl.EvalContext) bool {
	expr, ok := element.(*hclsyntax.ConditionalExpr)
	if !ok {
		return false
	}
	if _, ok = expr.FalseResult.(*leftOut); !ok {
		return false
	}
	is, _ := truthOf(expr.Condition, ctx)
	return is == False
}
