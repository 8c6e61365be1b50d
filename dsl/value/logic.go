package value

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// prepareLogical gives && and || their meaning; false if expr is neither.
// One side that decides is enough, even if the other side is unknown. The result
// then depends only on that side. Mistakes count from left to
// right: a mistake on the left always counts, and one on the right only if the
// left side does not decide; an unknown left side may still decide. Therefore a
// mistake that is reported stays a mistake, whatever is observed later.
func prepareLogical(expr *hclsyntax.BinaryOpExpr) bool {
	if _, done := expr.LHS.(*truthOperands); done {
		return true
	}
	decides := expr.Op == hclsyntax.OpLogicalOr
	if !decides && expr.Op != hclsyntax.OpLogicalAnd {
		return false
	}
	wrap := func(of hclsyntax.Expression, side string) *truthOperand {
		return &truthOperand{&hclsyntax.ParenthesesExpr{Expression: of, SrcRange: of.Range()}, side, expr.SrcRange}
	}
	left, right := wrap(expr.LHS, "left"), wrap(expr.RHS, "right")
	expr.LHS = &truthOperands{left.ParenthesesExpr, left, right, decides}
	expr.RHS = &unasked{right.ParenthesesExpr}
	expr.Op = &hclsyntax.Operation{
		Type: cty.Bool,
		Impl: stdlib.AndFunc, // for its parameters; ShortCircuit always answers
		ShortCircuit: func(whole, _ cty.Value, diags, _ hcl.Diagnostics) (cty.Value, hcl.Diagnostics) {
			if !whole.IsKnown() {
				return unknownBool(), diags
			}
			return whole, diags
		},
	}
	return true
}

// truthOperands stand as the left operand of && or || and have the value of the
// whole: HCL would put the marks of both sides on it.
type truthOperands struct {
	*hclsyntax.ParenthesesExpr
	left, right *truthOperand
	// decides is the truth of one side that decides the whole.
	decides bool
}

// Value is the truth of both operands together.
func (o *truthOperands) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	left, _, leftDiags := o.left.truth(ctx)
	right, isTruthful, rightDiags := o.right.truth(ctx)
	switch {
	case leftDiags.HasErrors():
		return unknownBool(), leftDiags
	case !isTruthful:
		return unknownBool(), rightDiags
	case isTruth(left, o.decides):
		return left, leftDiags
	case !left.IsKnown() && rightDiags.HasErrors():
		return left, leftDiags
	case rightDiags.HasErrors():
		return unknownBool(), rightDiags
	case isTruth(right, o.decides):
		return right, leftDiags
	case left.IsKnown() && right.IsKnown():
		return cty.BoolVal(!o.decides).WithMarks(left.Marks(), right.Marks()), append(leftDiags, rightDiags...)
	}
	marks := []cty.ValueMarks{left.Marks(), right.Marks()}
	if !o.decides { // what is not known yet is not true, whatever the other side may be
		for i, side := range []cty.Value{left, right} {
			if plain, _ := side.Unmark(); !plain.IsKnown() && !side.HasMark(imprecise) {
				if _, is := marks[1-i][imprecise]; is {
					delete(marks[1-i], imprecise)
					marks[1-i][partly] = struct{}{}
				}
			}
		}
	}
	return unknownBool().WithMarks(marks...), append(leftDiags, rightDiags...)
}

func isTruth(v cty.Value, want bool) bool {
	plain, _ := v.Unmark()
	return plain.IsKnown() && plain.True() == want
}

// unasked is an expression that stands in the tree for who walks it, and whose
// value is asked for elsewhere.
type unasked struct{ *hclsyntax.ParenthesesExpr }

// Value is not looked at.
func (u *unasked) Value(*hcl.EvalContext) (cty.Value, hcl.Diagnostics) { return cty.True, nil }

// truthOperand is an operand of && or ||, which cannot be null.
type truthOperand struct {
	*hclsyntax.ParenthesesExpr
	side  string
	whole hcl.Range
}

// truth is the operand's truth, or an error if it is null or no truth.
// isTruthful is false if it can never be one.
func (o *truthOperand) truth(ctx *hcl.EvalContext) (v cty.Value, isTruthful bool, diags hcl.Diagnostics) {
	given, diags := o.Expression.Value(ctx)
	if diags.HasErrors() {
		return unknownBool(), true, diags
	}
	if given.IsNull() {
		return unknownBool(), true, append(diags, o.invalid(ctx, fmt.Sprintf(
			"The %s operand is null: it is known that there is no such value, so it is neither true nor false. "+
				"Compare it with something, such as == true.", o.side)))
	}
	v, err := convert.Convert(settled(given), cty.Bool)
	if err != nil {
		return unknownBool(), false, append(diags, o.invalid(ctx, fmt.Sprintf("Unsuitable value for %s operand: %s.", o.side, err)))
	}
	return v, true, diags
}

func (o *truthOperand) invalid(ctx *hcl.EvalContext, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: "Invalid operand", Detail: detail,
		Subject: o.Range().Ptr(), Context: &o.whole, Expression: o.Expression, EvalContext: ctx,
	}
}

// prepareConditional lets a conditional whose two results are the same have
// that value while its condition is not known yet, and lets its value rest on
// the condition and the result that it chose.
func prepareConditional(expr *hclsyntax.ConditionalExpr) {
	if _, done := expr.Condition.(*condition); done {
		return
	}
	paren := func(of hclsyntax.Expression) *hclsyntax.ParenthesesExpr {
		return &hclsyntax.ParenthesesExpr{Expression: of, SrcRange: of.Range()}
	}
	chosen := &choice{whole: expr.SrcRange, condition: expr.Condition, ifTrue: expr.TrueResult, ifFalse: expr.FalseResult}
	expr.Condition = &condition{paren(expr.Condition)}
	expr.TrueResult = &result{paren(expr.TrueResult), chosen}
	expr.FalseResult = &result{paren(expr.FalseResult), nil}
}

// condition stands as the condition of a conditional; see choice.
type condition struct{ *hclsyntax.ParenthesesExpr }

// Value makes HCL take the first result, which is the choice.
func (c *condition) Value(*hcl.EvalContext) (cty.Value, hcl.Diagnostics) { return cty.True, nil }

// result stands as a result of a conditional.
type result struct {
	*hclsyntax.ParenthesesExpr
	chosen *choice
}

// Value is that of the whole conditional, for the first of its results.
func (r *result) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	if r.chosen == nil {
		return cty.NullVal(cty.DynamicPseudoType), nil
	}
	return r.chosen.value(ctx)
}

// choice evaluates a conditional: HCL would put the marks of both results on it.
type choice struct {
	whole                      hcl.Range
	condition, ifTrue, ifFalse hclsyntax.Expression
}

func (c *choice) value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	is, isDiags := c.condition.Value(ctx)
	is = settled(is)
	yes, yesDiags := c.ifTrue.Value(ctx)
	no, noDiags := c.ifFalse.Value(ctx)
	plainYes, yesMarks := yes.Unmark()
	plainNo, noMarks := no.Unmark()
	plainIs, isMarks := is.Unmark()
	same := !isDiags.HasErrors() && !yesDiags.HasErrors() && !noDiags.HasErrors() && !plainIs.IsKnown() &&
		plainYes.IsWhollyKnown() && plainYes.RawEquals(plainNo)
	if same {
		plainIs = cty.True
	}
	// HCL finds the type that both have, and the mistakes.
	v, diags := (&hclsyntax.ConditionalExpr{
		Condition:  &evaluated{c.condition, plainIs, isDiags},
		TrueResult: &evaluated{c.ifTrue, plainYes, yesDiags}, FalseResult: &evaluated{c.ifFalse, plainNo, noDiags},
		SrcRange: c.whole,
	}).Value(ctx)
	marks := []cty.ValueMarks{isMarks}
	known := plainIs.IsKnown() && !plainIs.IsNull() && plainIs.Type() == cty.Bool
	if same || !known || plainIs.True() {
		marks = append(marks, yesMarks)
	}
	if same || !known || plainIs.False() {
		marks = append(marks, noMarks)
	}
	return v.WithMarks(marks...), diags
}

// evaluated is an expression whose value is known already.
type evaluated struct {
	hclsyntax.Expression
	v     cty.Value
	diags hcl.Diagnostics
}

// Value is that value.
func (e *evaluated) Value(*hcl.EvalContext) (cty.Value, hcl.Diagnostics) { return e.v, e.diags }

// not is the opposite of a truth; HCL's takes the marks off an unknown one.
func not() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "val", Type: cty.Bool, AllowUnknown: true, AllowDynamicType: true, AllowMarked: true}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			v, marks := settled(args[0]).Unmark()
			if _, is := marks[partly]; is && !v.IsKnown() { // false becomes true
				delete(marks, partly)
				marks[imprecise] = struct{}{}
			}
			if !v.IsKnown() {
				return unknownBool().WithMarks(marks), nil
			}
			return v.Not().WithMarks(marks), nil
		},
	})
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
	if _, ok = bareOf(expr.FalseResult).(*leftOut); !ok {
		return false
	}
	is, _ := truthOf(bareOf(expr.Condition), ctx)
	return is == False
}
