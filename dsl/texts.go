package dsl

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// aText checks an argument that must be a string when its step begins, and
// returns its expression; nil if it is omitted. what describes it.
func (l *loader) aText(attr *hcl.Attribute, in surroundings, what string) hcl.Expression {
	if attr == nil {
		return nil
	}
	if v, ok := l.check(attr.Expr, in); ok && (v.IsNull() || v.Type() != cty.String && v.Type() != cty.DynamicPseudoType) {
		l.errorf(attr.Expr.Range(), "Invalid value", "The argument %q must be %s; this is %s.%s", attr.Name, what, kind(v), nameHint(v.Type()))
	}
	return attr.Expr
}

// nameHint helps an author who wrote an object instead of its name.
func nameHint(ty cty.Type) string {
	if ty.IsObjectType() && ty.HasAttribute("name") {
		return " Add .name to it."
	}
	return ""
}

// isTexts says whether a value is, or may become, a string or a list of them.
func isTexts(v cty.Value) bool {
	plain, _ := v.UnmarkDeep()
	return plain.Type() == cty.String && !plain.IsNull() || isTextList(v)
}

// isTextList says whether a value is, or may become, a list of strings.
func isTextList(v cty.Value) bool {
	v, _ = v.UnmarkDeep()
	ty := v.Type()
	switch {
	case ty == cty.DynamicPseudoType:
		return !v.IsKnown()
	case v.IsNull():
		return false
	case ty.IsListType() || ty.IsSetType():
		return (ty.ElementType() == cty.String || ty.ElementType() == cty.DynamicPseudoType) && !hasNull(v)
	case ty.IsTupleType():
		for _, element := range ty.TupleElementTypes() {
			if element != cty.String && element != cty.DynamicPseudoType {
				return false
			}
		}
		return !hasNull(v)
	}
	return false
}
