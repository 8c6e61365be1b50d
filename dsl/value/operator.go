package value

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
)

// Prepare gives the operators below node (a body or an expression) the
// meaning that the language wants: comparisons and arithmetic that mind how
// precisely times are known, logic that decides as early as it can, and names
// of objects that may be computed. It
// changes node in place, does no harm when done again, and must be done before
// the expressions are evaluated; it must not run at the same time as they are.
func Prepare(node hclsyntax.Node) {
	diags := hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
		switch expr := n.(type) {
		case *hclsyntax.BinaryOpExpr:
			prepareBinary(expr)
		case *hclsyntax.UnaryOpExpr:
			switch expr.Op {
			case hclsyntax.OpNegate:
				expr.Op = &hclsyntax.Operation{Impl: negate(), Type: cty.Number}
			case hclsyntax.OpLogicalNot:
				expr.Op = &hclsyntax.Operation{Impl: not(), Type: cty.Bool}
			}
		case *hclsyntax.IndexExpr:
			prepareIndex(expr)
		case *hclsyntax.ConditionalExpr:
			prepareConditional(expr)
		case *hclsyntax.FunctionCallExpr:
			prepareQuantifier(expr)
			prepareExpansion(expr)
			prepareArguments(expr)
		case *hclsyntax.ForExpr:
			expr.CollExpr = makePresent(expr.CollExpr)
		case *hclsyntax.ScopeTraversalExpr:
			prepareTraversal(expr.Traversal)
		case *hclsyntax.RelativeTraversalExpr:
			prepareTraversal(expr.Traversal)
		}
		return nil
	})
	_ = diags // the function above returns none
}

// ParseExpression parses and prepares one expression, such as a condition in a
// test. filename is the one that its ranges name.
func ParseExpression(src []byte, filename string) (hcl.Expression, hcl.Diagnostics) {
	expr, diags := hclsyntax.ParseExpression(src, filename, hcl.InitialPos)
	if expr != nil && !diags.HasErrors() {
		Prepare(expr)
	}
	return expr, diags
}

func prepareBinary(expr *hclsyntax.BinaryOpExpr) {
	if prepareLogical(expr) {
		return
	}
	op, ok := operationOf(expr.Op)
	if !ok {
		return
	}
	want := cty.Number
	if expr.Op == hclsyntax.OpEqual || expr.Op == hclsyntax.OpNotEqual {
		want = cty.DynamicPseudoType
	}
	expr.LHS = wrapOperand(expr.LHS, "left", want, expr.SrcRange)
	expr.RHS = wrapOperand(expr.RHS, "right", want, expr.SrcRange)
	expr.Op = op
}

// operationOf returns the language's own operation for one of HCL's; false
// where HCL's serves, or it is the language's already.
func operationOf(op *hclsyntax.Operation) (*hclsyntax.Operation, bool) {
	switch op {
	case hclsyntax.OpEqual:
		return operation(cty.Bool, func(a, b cty.Value) (cty.Value, error) { return compared(a, b, true) }), true
	case hclsyntax.OpNotEqual:
		return operation(cty.Bool, func(a, b cty.Value) (cty.Value, error) { return compared(a, b, false) }), true
	case hclsyntax.OpLessThan:
		return comparison(func(c int) bool { return c < 0 }), true
	case hclsyntax.OpLessThanOrEqual:
		return comparison(func(c int) bool { return c <= 0 }), true
	case hclsyntax.OpGreaterThan:
		return comparison(func(c int) bool { return c > 0 }), true
	case hclsyntax.OpGreaterThanOrEqual:
		return comparison(func(c int) bool { return c >= 0 }), true
	case hclsyntax.OpAdd:
		return arithmetic("+"), true
	case hclsyntax.OpSubtract:
		return arithmetic("-"), true
	case hclsyntax.OpMultiply:
		return arithmetic("*"), true
	case hclsyntax.OpDivide:
		return arithmetic("/"), true
	case hclsyntax.OpModulo:
		return arithmetic("%"), true
	}
	return nil, false
}

// operation makes an operation of a function over two operands with their
// marks. HCL takes an operand's own marks off before it calls the operation,
// so that the operands come wrapped in tuples; see operand.
func operation(result cty.Type, impl func(a, b cty.Value) (cty.Value, error)) *hclsyntax.Operation {
	param := function.Parameter{
		Type: cty.DynamicPseudoType, AllowNull: true, AllowUnknown: true, AllowDynamicType: true, AllowMarked: true,
	}
	left, right := param, param
	left.Name, right.Name = "a", "b"
	return &hclsyntax.Operation{Type: result, Impl: function.New(&function.Spec{
		Params: []function.Parameter{left, right},
		Type:   function.StaticReturnType(result),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return impl(args[0].Index(cty.Zero), args[1].Index(cty.Zero))
		},
	})}
}

// operand is an operand of an operation of this package: its value comes
// within a tuple of one.
type operand struct {
	// ParenthesesExpr, and not the expression itself, so that who walks the
	// tree meets the expression.
	*hclsyntax.ParenthesesExpr
	side string
	want cty.Type
	// whole is the range of the operation.
	whole hcl.Range
}

func wrapOperand(expr hclsyntax.Expression, side string, want cty.Type, whole hcl.Range) hclsyntax.Expression {
	return &operand{&hclsyntax.ParenthesesExpr{Expression: expr, SrcRange: expr.Range()}, side, want, whole}
}

// Value is the operand's value in a tuple, or an error if the operation
// cannot have it.
func (o *operand) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	given, diags := o.Expression.Value(ctx)
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	v, err := convert.Convert(settled(given), o.want)
	if err != nil {
		return cty.DynamicVal, append(diags, o.invalid(ctx, fmt.Sprintf("Unsuitable value for %s operand: %s.", o.side, err)))
	}
	if v.IsNull() && v.HasMark(missing) && o.want != cty.DynamicPseudoType {
		return cty.TupleVal([]cty.Value{cty.UnknownVal(o.want).WithMarks(v.Marks())}), diags
	}
	if v.IsNull() && o.want != cty.DynamicPseudoType {
		return cty.DynamicVal, append(diags, o.invalid(ctx, fmt.Sprintf(
			"The %s operand is null: it is known that there is no such value, so it can be neither compared nor reckoned with. Test for that with \"!= null\" first.", o.side)))
	}
	return cty.TupleVal([]cty.Value{v}), diags
}

func (o *operand) invalid(ctx *hcl.EvalContext, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: "Invalid operand", Detail: detail,
		Subject: o.Range().Ptr(), Context: &o.whole, Expression: o.Expression, EvalContext: ctx,
	}
}

// prepareIndex lets an object's name be computed, as in pod[local.name]: one
// that was not observed yet is unknown then, as it is where the name is
// written out.
func prepareIndex(expr *hclsyntax.IndexExpr) {
	switch expr.Collection.(type) {
	case *computedRoot, *growingList:
		return
	}
	root, ok := expr.Collection.(*hclsyntax.ScopeTraversalExpr)
	if !ok || len(root.Traversal) != 1 || !namesObjects(root.Traversal.RootName()) {
		expr.Collection = &growingList{&hclsyntax.ParenthesesExpr{Expression: expr.Collection, SrcRange: expr.Collection.Range()}, expr.Key}
		return
	}
	expr.Collection = &computedRoot{
		&hclsyntax.ParenthesesExpr{Expression: root, SrcRange: root.SrcRange}, root.Traversal.RootName(), expr.Key,
	}
}

// computedRoot is a root whose object is named by a computed key.
type computedRoot struct {
	*hclsyntax.ParenthesesExpr
	root string
	key  hclsyntax.Expression
}

// Value is the root's value with the named object in it.
func (c *computedRoot) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	v, diags := c.Expression.Value(ctx)
	key, _ := c.key.Value(ctx) // the index expression reports its mistakes
	key, _ = key.Unmark()
	if diags.HasErrors() || !v.Type().IsObjectType() || !key.IsKnown() || key.IsNull() || key.Type() != cty.String ||
		v.Type().HasAttribute(key.AsString()) {
		return v, diags
	}
	plain, marks := v.Unmark()
	objects := plain.AsValueMap()
	if objects == nil {
		objects = map[string]cty.Value{}
	}
	absent := cty.UnknownVal(newSchema().object(c.root)).Mark(Read{Stream: rootStream(c.root), Name: key.AsString()})
	for m := range cty.ValueMarksOfType[missedMark](v) {
		absent = absent.Mark(blind(m))
	}
	objects[key.AsString()] = absent
	return cty.ObjectVal(objects).WithMarks(marks), diags
}
