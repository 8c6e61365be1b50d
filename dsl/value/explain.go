package value

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Part is a part of a condition that made it what it is.
type Part struct {
	// Range is where the part is written.
	Range hcl.Range
	// Is is the truth of the part, which may differ from the whole.
	Is Logic
	// Refs are the references in it, including names of a for expression.
	Refs []Ref
	// Difference says how the two sides differ, or why that is unknown. It is
	// empty if the references show it.
	Difference string
}

// Decisive returns the parts of a condition that made it true or false: the
// operand of && or || that decided, the element that alltrue saw, the
// comparison in a local. If the condition is unknown, they are the unknown
// parts. It returns nothing if expr cannot be evaluated.
func (s *Scope) Decisive(expr hcl.Expression) []Part {
	e := s.explaining(expr)
	ctx, diags := e.context(expr)
	if diags.HasErrors() {
		return nil
	}
	x := &explainer{evaluation: e}
	x.explain(expr, ctx)
	return x.parts
}

// maxParts limits the parts of one condition.
const maxParts = 8

// explainer collects the decisive parts.
type explainer struct {
	*evaluation
	parts []Part
	depth int
}

func (x *explainer) explain(expr hcl.Expression, ctx *hcl.EvalContext) {
	is, ok := truthOf(expr, ctx)
	if !ok || len(x.parts) >= maxParts || x.depth > 50 {
		return
	}
	x.depth++
	defer func() { x.depth-- }()
	switch expr := bareOf(expr).(type) {
	case *hclsyntax.UnaryOpExpr:
		x.explain(expr.Val, ctx)
	case *hclsyntax.BinaryOpExpr:
		if both, ok := expr.LHS.(*truthOperands); ok {
			x.logical(both, is, ctx)
			return
		}
		x.leaf(expr, ctx, is, comparisonDifference(expr, is, ctx))
	case *hclsyntax.ConditionalExpr:
		x.conditional(expr, ctx)
	case *hclsyntax.FunctionCallExpr:
		x.call(expr, is, ctx)
	case *hclsyntax.ScopeTraversalExpr:
		x.reference(expr, is, ctx)
	default:
		x.leaf(expr, ctx, is, "")
	}
}

// bareOf is an expression without parentheses and this package's own wrapping.
func bareOf(expr hcl.Expression) hcl.Expression {
	native, ok := expr.(hclsyntax.Expression)
	if !ok {
		return expr
	}
	for inner := wrapped(native); inner != nil; inner = wrapped(native) {
		native = inner
	}
	return native
}

// wrapped is the expression in parentheses, or in this package's own wrapping;
// nil for any other expression.
func wrapped(expr hclsyntax.Expression) hclsyntax.Expression {
	switch e := expr.(type) {
	case *hclsyntax.ParenthesesExpr:
		return e.Expression
	case *operand:
		return e.Expression
	case *truthOperands:
		return e.Expression
	case *truthOperand:
		return e.Expression
	case *unasked:
		return e.Expression
	case *condition:
		return e.Expression
	case *result:
		return e.Expression
	case *growingList:
		return e.Expression
	case *expanded:
		return e.Expression
	case *present:
		return e.Expression
	}
	return nil
}

func truthOf(expr hcl.Expression, ctx *hcl.EvalContext) (Logic, bool) {
	v, diags := bareOf(expr).Value(ctx)
	if diags.HasErrors() {
		return Undecided, false
	}
	v = settled(v)
	is, err := Truth(v)
	return is, err == nil
}

func (x *explainer) leaf(expr hcl.Expression, ctx *hcl.EvalContext, is Logic, difference string) {
	part := Part{Range: expr.Range(), Is: is, Difference: difference}
	for _, c := range chains(expr) {
		full := c.traversal(ctx)
		if text := FormatTraversal(full); slices.ContainsFunc(part.Refs, func(r Ref) bool { return r.Expression == text }) {
			continue
		}
		v, diags := c.Value(ctx)
		if diags.HasErrors() {
			v = cty.DynamicVal
		}
		part.Refs = append(part.Refs, newRef(full, FormatTraversal(full), c.Range(), v))
	}
	x.parts = append(x.parts, part)
}

// logical explains && and || by the side that decided, by both sides if both were
// needed, or by the unknown parts if they are the reason.
func (x *explainer) logical(both *truthOperands, is Logic, ctx *hcl.EvalContext) {
	for _, side := range []hcl.Expression{both.left, both.right} {
		if its, ok := truthOf(side, ctx); !ok || its != is {
			continue
		}
		x.explain(side, ctx)
		if is == logic(both.decides) {
			return
		}
	}
}

func (x *explainer) conditional(expr *hclsyntax.ConditionalExpr, ctx *hcl.EvalContext) {
	switch is, _ := truthOf(bareOf(expr.Condition), ctx); is {
	case True:
		x.explain(expr.TrueResult, ctx)
	case False:
		x.explain(expr.FalseResult, ctx)
	default:
		x.explain(expr.Condition, ctx)
	}
}

func (x *explainer) call(expr *hclsyntax.FunctionCallExpr, is Logic, ctx *hcl.EvalContext) {
	if len(expr.Args) == 1 && !expr.ExpandFinal {
		switch expr.Name {
		case "alltrue", "anytrue":
			if x.quantifier(expr.Args[0], is, is == logic(expr.Name == "anytrue"), ctx) {
				return
			}
		case "ordered":
			x.leaf(expr, ctx, is, orderDifference(expr.Args[0], is, ctx))
			return
		}
	}
	x.leaf(expr, ctx, is, "")
}

// quantifier explains by the elements that have the truth of the whole, or by the
// first of them if one is enough; false if there are none.
func (x *explainer) quantifier(list hcl.Expression, is Logic, one bool, ctx *hcl.EvalContext) bool {
	before := len(x.parts)
	each := func(element hcl.Expression, ctx *hcl.EvalContext) bool {
		its, ok := truthOf(element, ctx)
		if ok && its == is && !isLeftOut(element, ctx) {
			x.explain(element, ctx)
		}
		return !one || len(x.parts) == before
	}
	switch list := bareOf(list).(type) {
	case *hclsyntax.TupleConsExpr:
		for _, element := range list.Exprs {
			if !each(element, ctx) {
				break
			}
		}
	case *hclsyntax.ForExpr:
		x.loop(list, ctx, each)
	}
	return len(x.parts) > before
}

// loop calls each with the scope of each element of a for expression.
func (x *explainer) loop(list *hclsyntax.ForExpr, ctx *hcl.EvalContext, each func(hcl.Expression, *hcl.EvalContext) bool) {
	all, diags := list.CollExpr.Value(ctx)
	isSensitive := all.HasMark(Sensitive)
	all, _ = all.Unmark()
	if diags.HasErrors() || !all.IsKnown() || all.IsNull() || !all.CanIterateElements() || list.CondExpr != nil {
		return
	}
	for it := all.ElementIterator(); it.Next(); {
		key, v := it.Element()
		if isSensitive {
			key, v = key.Mark(Sensitive), v.Mark(Sensitive)
		}
		child := ctx.NewChild()
		child.Variables = map[string]cty.Value{list.ValVar: v}
		if list.KeyVar != "" {
			child.Variables[list.KeyVar] = key
		}
		from := len(x.parts)
		more := each(list.ValExpr, child)
		for i := from; i < len(x.parts); i++ {
			x.parts[i].Refs = append(x.parts[i].Refs, nameOf(list.ValVar, v, x.parts[i].Refs)...)
		}
		if !more {
			return
		}
	}
}

// nameOf is the name of the current element of a loop, unless refs have it.
func nameOf(variable string, v cty.Value, refs []Ref) []Ref {
	given := v
	v, _ = v.Unmark()
	text := variable + ".name"
	if !v.Type().IsObjectType() || !v.Type().HasAttribute("name") || !v.IsKnown() || v.IsNull() {
		return nil
	}
	for _, ref := range refs {
		if ref.Expression == text {
			return nil
		}
	}
	return []Ref{{Expression: text, Value: Format(given.GetAttr("name")), State: Known, Root: variable}}
}

// reference explains a local by its expression.
func (x *explainer) reference(expr *hclsyntax.ScopeTraversalExpr, is Logic, ctx *hcl.EvalContext) {
	if name, ok := stepName(expr.Traversal, 1); ok && len(expr.Traversal) == 2 && expr.Traversal.RootName() == "local" {
		if local := x.scope.ScenarioLocals[name]; local != nil {
			if inner, diags := x.context(local); !diags.HasErrors() {
				x.explain(local, inner)
				return
			}
		}
	}
	x.leaf(expr, ctx, is, "")
}
