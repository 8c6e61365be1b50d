package value

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// binary examines an operation with two operands.
func (x *examiner) binary(expr *hclsyntax.BinaryOpExpr, in *bindings) *shape {
	if logic, ok := expr.LHS.(*truthOperands); ok {
		return x.logical(expr, logic.decides, in)
	}
	a, b := x.shapeOf(expr.LHS, in), x.shapeOf(expr.RHS, in)
	if left, ok := expr.LHS.(*operand); ok && left.want == cty.DynamicPseudoType {
		x.mustBeComparable(a, expr.LHS, b, expr.RHS, expr.SrcRange)
		return x.equality(expr, a, b)
	}
	x.mustBeNumbers(a, expr.LHS, b, expr.RHS)
	return typed(expr.Op.Type)
}

// equality is the truth of == or != if both sides are known, so that a
// branch which is never taken is not minded.
func (x *examiner) equality(expr *hclsyntax.BinaryOpExpr, a, b *shape) *shape {
	if !a.v.IsWhollyKnown() || !b.v.IsWhollyKnown() || x.never(a, b) != nil {
		return typed(cty.Bool)
	}
	left, right := cty.TupleVal([]cty.Value{a.plain()}), cty.TupleVal([]cty.Value{b.plain()})
	v, err := expr.Op.Impl.Call([]cty.Value{left, right})
	if err != nil || v.Type() != cty.Bool {
		return typed(cty.Bool)
	}
	return constant(v)
}

// logical examines && and ||, of which decides is the truth that decides. What
// comes after a side that decides is not minded.
func (x *examiner) logical(expr *hclsyntax.BinaryOpExpr, decides bool, in *bindings) *shape {
	a := x.shapeOf(expr.LHS, in)
	x.mustBeTruth(a, expr.LHS)
	left, leftKnown := a.truth()
	if leftKnown && left == decides {
		x.aside(expr.RHS, in)
		return constant(cty.BoolVal(decides))
	}
	b := x.shapeOf(expr.RHS, in)
	x.mustBeTruth(b, expr.RHS)
	switch right, known := b.truth(); {
	case known && right == decides:
		return constant(cty.BoolVal(decides))
	case known && leftKnown:
		return constant(cty.BoolVal(!decides))
	}
	return typed(cty.Bool)
}

// unary examines ! and the unary minus.
func (x *examiner) unary(expr *hclsyntax.UnaryOpExpr, in *bindings) *shape {
	s := x.shapeOf(expr.Val, in)
	if expr.Op.Type == cty.Number {
		x.mustBeNumber(s, expr.Val)
		return typed(cty.Number)
	}
	x.mustBeTruth(s, expr.Val)
	if truth, known := s.truth(); known {
		return constant(cty.BoolVal(!truth))
	}
	return typed(cty.Bool)
}

// mismatch is why two values are never equal.
type mismatch struct {
	// a and b are the parts that differ.
	a, b *shape
	// texts says that their types are the same, but not what they can be.
	texts bool
}

// never says why two values can never be equal; nil if they may be.
func (x *examiner) never(a, b *shape) *mismatch {
	if a.isNull() || b.isNull() {
		return nil
	}
	switch first, second := categoryOf(a), categoryOf(b); {
	case first == someValue || second == someValue:
		return nil
	case first != second:
		return &mismatch{a: a, b: b}
	case first == aText:
		if apart(a, b) {
			return &mismatch{a, b, true}
		}
	case first == aList:
		return x.neverLists(a, b)
	case first == aNamed && len(a.either) == 0 && len(b.either) == 0:
		for name, one := range a.attrs {
			if other := b.attrs[name]; other != nil {
				if m := x.never(one, other); m != nil {
					return m
				}
			}
		}
	}
	return nil
}

// neverLists compares element by element. A list that is written out takes the
// type of one that it is compared with, so that only texts tell then.
func (x *examiner) neverLists(a, b *shape) *mismatch {
	first, complete := a.elements()
	second, bothComplete := b.elements()
	switch {
	case complete && bothComplete:
		if len(first) != len(second) {
			return nil
		}
		for i := range first {
			if m := x.never(first[i].value, second[i].value); m != nil && (m.texts || a.ty().IsTupleType() && b.ty().IsTupleType()) {
				return m
			}
		}
	case complete:
		return x.neverOneOf(b, a, first)
	case bothComplete:
		return x.neverOneOf(a, b, second)
	}
	return nil
}

// neverOneOf compares any element of a list with those of one that is written
// out.
func (x *examiner) neverOneOf(list, written *shape, all []entry) *mismatch {
	one := x.element(list)
	for _, e := range all {
		if m := x.never(one, e.value); m != nil && (m.texts || list.list && written.ty().IsTupleType()) {
			return m
		}
	}
	return nil
}

// category is what a value is for a comparison.
type category int

// The categories of values. Those of different ones are never equal.
const (
	someValue category = iota
	aNumber
	aText
	aTruth
	aList
	aSet
	aNamed
)

func categoryOf(s *shape) category {
	switch ty := s.ty(); {
	case s.list:
		return aList
	case ty == cty.Number:
		return aNumber
	case ty == cty.String:
		return aText
	case ty == cty.Bool:
		return aTruth
	case ty.IsListType() || ty.IsTupleType():
		return aList
	case ty.IsSetType():
		return aSet
	case ty.IsMapType() || ty.IsObjectType():
		return aNamed
	}
	return someValue
}

// apart says whether two texts have no value in common, as far as the language
// knows at least one of them. The empty text may be compared with any: != ""
// asks whether there is something.
func apart(a, b *shape) bool {
	first, second := a.textsOf(), b.textsOf()
	if !first.closed() || !second.closed() || first.of == "" && second.of == "" {
		return false
	}
	for _, s := range []*shape{a, b} {
		if text, ok := s.text(); ok && text == "" {
			return false
		}
	}
	if first.all == nil {
		first, second = second, first
	}
	for _, text := range first.all {
		if second.has(text) {
			return false
		}
	}
	return first.all != nil
}

// mustBeComparable tells of two operands of == or != that are never equal.
func (x *examiner) mustBeComparable(a *shape, left hclsyntax.Expression, b *shape, right hclsyntax.Expression, at hcl.Range) {
	m := x.never(a, b)
	switch {
	case m == nil:
	case m.texts:
		x.tellTexts(m, at)
	case m.a == a && m.b == b:
		x.tell(at, "Impossible comparison", fmt.Sprintf("%s and %s: they are never equal.%s",
			whatIs(a, left, "The left side"), lower(whatIs(b, right, "the right side")), x.meant(a, left, b, right)))
	default:
		x.tell(at, "Impossible comparison", fmt.Sprintf("The lists are never equal: an element of one is %s, and of the other %s.%s",
			m.a.noun(), m.b.noun(), x.meant(m.a, nil, m.b, nil)))
	}
}

// mustBeNumbers tells of an operand of an ordered comparison or arithmetic that
// is no number: of the first, since the other may be meant to be like it.
func (x *examiner) mustBeNumbers(a *shape, left hclsyntax.Expression, b *shape, right hclsyntax.Expression) {
	if x.mustBeNumber(a, left) {
		x.mustBeNumber(b, right)
	}
}

// mustBeNumber tells of an operand that is no number and cannot become one. It
// says whether the operand will do.
func (x *examiner) mustBeNumber(s *shape, expr hclsyntax.Expression) bool {
	if s.mayBeNumber() {
		return true
	}
	x.tell(expr.Range(), "Not a number", fmt.Sprintf("%s; a number is needed here.%s", whatIs(s, expr, "This"), x.meantNumber(s, expr)))
	return false
}

// mayBeNumber says whether a value can be, or become, a number. A text that is
// written out, and an attribute that is a text, are meant to be texts.
func (s *shape) mayBeNumber() bool {
	if s.isNull() {
		return true
	}
	switch categoryOf(s) {
	case someValue, aNumber:
		return true
	case aText:
	default:
		return false
	}
	if text, ok := s.text(); ok {
		_, err := cty.ParseNumberVal(text)
		return err == nil && !s.written
	}
	return s.texts == nil || s.texts.of == "" || s.texts.free
}

// mustBeTruth tells of an operand of a logical operator that is neither true
// nor false.
func (x *examiner) mustBeTruth(s *shape, expr hclsyntax.Expression) {
	if s.mayBeTruth() {
		return
	}
	x.tell(expr.Range(), "Not true or false", fmt.Sprintf("%s; true or false is needed here.%s", whatIs(s, expr, "This"), x.meantTruth(s, expr)))
}

// mayBeTruth says whether a value can be, or become, true or false.
func (s *shape) mayBeTruth() bool {
	if s.isNull() {
		return true
	}
	switch categoryOf(s) {
	case someValue, aTruth:
		return true
	case aText:
	default:
		return false
	}
	if text, ok := s.text(); ok {
		_, err := convert.Convert(cty.StringVal(text), cty.Bool)
		return err == nil && !s.written
	}
	return s.texts == nil || s.texts.of == "" || s.texts.free
}
