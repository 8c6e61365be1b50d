package value

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// shapeOf examines an expression with all that is in it.
func (x *examiner) shapeOf(expr hclsyntax.Expression, in *bindings) *shape {
	if x.visited++; x.visited > maxExamined {
		return anything()
	}
	if inner := wrapped(expr); inner != nil {
		return x.shapeOf(inner, in)
	}
	switch expr := expr.(type) {
	case *hclsyntax.LiteralValueExpr:
		return constant(expr.Val)
	case *leftOut:
		return constant(expr.Val)
	case *computedRoot:
		return x.shapeOf(expr.Expression, in)
	case *hclsyntax.ScopeTraversalExpr:
		return x.reference(expr, in)
	case *hclsyntax.RelativeTraversalExpr:
		return x.follow(x.shapeOf(expr.Source, in), expr.Traversal, expr.SrcRange)
	case *hclsyntax.IndexExpr:
		return x.index(x.shapeOf(expr.Collection, in), x.shapeOf(expr.Key, in), expr.BracketRange)
	case *hclsyntax.AnonSymbolExpr:
		return in.lookupSymbol(expr)
	case *hclsyntax.BinaryOpExpr:
		return x.binary(expr, in)
	case *hclsyntax.UnaryOpExpr:
		return x.unary(expr, in)
	case *hclsyntax.ConditionalExpr:
		return x.conditional(expr, in)
	case *hclsyntax.FunctionCallExpr:
		return x.call(expr, in)
	}
	return x.constructed(expr, in)
}

// constructed examines an expression that makes a value of others.
func (x *examiner) constructed(expr hclsyntax.Expression, in *bindings) *shape {
	switch expr := expr.(type) {
	case *hclsyntax.TemplateExpr:
		return x.template(expr, in)
	case *hclsyntax.TemplateWrapExpr:
		return x.shapeOf(expr.Wrapped, in)
	case *hclsyntax.TemplateJoinExpr:
		x.shapeOf(expr.Tuple, in)
		return typed(cty.String)
	case *hclsyntax.TupleConsExpr:
		return x.tuple(expr, in)
	case *hclsyntax.ObjectConsExpr:
		return x.object(expr, in)
	case *hclsyntax.ObjectConsKeyExpr:
		if name := hcl.ExprAsKeyword(expr.Wrapped); name != "" && !expr.ForceNonLiteral {
			return constant(cty.StringVal(name))
		}
		return x.shapeOf(expr.Wrapped, in)
	case *hclsyntax.ForExpr:
		return x.loop(expr, in)
	case *hclsyntax.SplatExpr:
		return x.splat(expr, in)
	}
	return anything()
}

// template is a text that may hold values.
func (x *examiner) template(expr *hclsyntax.TemplateExpr, in *bindings) *shape {
	parts := make([]*shape, len(expr.Parts))
	text, known := "", true
	for i, part := range expr.Parts {
		parts[i] = x.shapeOf(part, in)
		v := parts[i].plain()
		as, err := convert.Convert(v, cty.String)
		if err != nil || !as.IsKnown() || as.IsNull() || parts[i].v.HasMarkDeep(Sensitive) {
			known = false
			continue
		}
		text += as.AsString()
	}
	if !known {
		return typed(cty.String)
	}
	return &shape{v: cty.StringVal(text), written: expr.IsStringLiteral() || len(parts) == 0}
}

func (x *examiner) tuple(expr *hclsyntax.TupleConsExpr, in *bindings) *shape {
	values := make([]cty.Value, len(expr.Exprs))
	made := &shape{items: make([]*shape, len(expr.Exprs))}
	for i, e := range expr.Exprs {
		made.items[i] = x.shapeOf(e, in)
		values[i] = made.items[i].v
	}
	made.v = cty.TupleVal(values)
	return made
}

func (x *examiner) object(expr *hclsyntax.ObjectConsExpr, in *bindings) *shape {
	values := map[string]cty.Value{}
	made := &shape{attrs: map[string]*shape{}}
	known := true
	for _, item := range expr.Items {
		key, v := x.shapeOf(item.KeyExpr, in), x.shapeOf(item.ValueExpr, in)
		as, err := convert.Convert(key.plain(), cty.String)
		if err != nil || !as.IsKnown() || as.IsNull() {
			known = false
			continue
		}
		made.attrs[as.AsString()], values[as.AsString()] = v, v.v
	}
	if !known {
		return anything()
	}
	made.v = cty.ObjectVal(values)
	return made
}

// conditional examines both results, unless it is known before the run which
// one it is.
func (x *examiner) conditional(expr *hclsyntax.ConditionalExpr, in *bindings) *shape {
	condition := x.shapeOf(expr.Condition, in)
	x.mustBeTruth(condition, expr.Condition)
	switch truth, known := condition.truth(); {
	case known && truth:
		x.aside(expr.FalseResult, in)
		return x.shapeOf(expr.TrueResult, in).unwritten()
	case known:
		x.aside(expr.TrueResult, in)
		return x.shapeOf(expr.FalseResult, in).unwritten()
	}
	return oneOf([]*shape{x.shapeOf(expr.TrueResult, in), x.shapeOf(expr.FalseResult, in)}, true)
}

// truth is the truth that a value is known to be.
func (s *shape) truth() (truth, known bool) {
	v := s.plain()
	if v.Type() != cty.Bool || !v.IsKnown() || v.IsNull() {
		return false, false
	}
	return v.True(), true
}

// loop examines a for expression: its parts once for each element where all
// are known, else once for any.
func (x *examiner) loop(expr *hclsyntax.ForExpr, in *bindings) *shape {
	coll := x.shapeOf(expr.CollExpr, in)
	all, complete := coll.elements()
	if !complete {
		key := typed(cty.String)
		if ty := coll.ty(); ty.IsListType() || ty.IsTupleType() {
			key = typed(cty.Number)
		} else if !ty.IsMapType() && !ty.IsObjectType() && coll.root == "" {
			key = anything()
		}
		all = []entry{{key, x.element(coll)}}
	}
	var values []*shape
	for _, e := range all {
		inner := &bindings{outer: in, shapes: map[string]*shape{expr.ValVar: e.value.unwritten()}}
		if expr.KeyVar != "" {
			inner.shapes[expr.KeyVar] = e.key
		}
		if expr.CondExpr != nil {
			condition := x.shapeOf(expr.CondExpr, inner)
			x.mustBeTruth(condition, expr.CondExpr)
			truth, known := condition.truth()
			if known && !truth {
				continue
			}
			complete = complete && known
		}
		if expr.KeyExpr != nil {
			x.shapeOf(expr.KeyExpr, inner)
		}
		values = append(values, x.shapeOf(expr.ValExpr, inner))
	}
	switch {
	case expr.Group:
		return &shape{v: cty.DynamicVal, elem: anything()}
	case expr.KeyExpr == nil && complete:
		return tupleOf(values)
	}
	return &shape{v: cty.DynamicVal, elem: oneOf(values, false), list: expr.KeyExpr == nil}
}

// tupleOf is a tuple of elements that are known.
func tupleOf(items []*shape) *shape {
	values := make([]cty.Value, len(items))
	for i, item := range items {
		values[i] = item.v
	}
	return &shape{v: cty.TupleVal(values), items: items}
}

// splat examines x[*]: each element of a list, or a single value as a list of
// one.
func (x *examiner) splat(expr *hclsyntax.SplatExpr, in *bindings) *shape {
	source := x.shapeOf(expr.Source, in)
	one := source
	ty := source.ty()
	if ty.IsListType() || ty.IsSetType() || ty.IsTupleType() || source.elem != nil {
		one = x.element(source)
	} else if ty == cty.DynamicPseudoType && source.root == "" && !source.open {
		one = anything()
	}
	inner := &bindings{outer: in, symbol: expr.Item, item: one}
	return &shape{v: cty.DynamicVal, elem: x.shapeOf(expr.Each, inner), list: true}
}
