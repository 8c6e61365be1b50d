package dsl

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/value"
)

// message checks an argument that must be a text for people when it is used.
func (l *loader) message(attr *hcl.Attribute, in surroundings) hcl.Expression {
	if attr == nil {
		return nil
	}
	if v, ok := l.check(attr.Expr, in); ok && !v.Type().IsPrimitiveType() && v.Type() != cty.DynamicPseudoType {
		l.errorf(attr.Expr.Range(), "Invalid message", "The argument %q must be a string; this is %s.", attr.Name, value.Format(v))
	}
	return attr.Expr
}

// boolean checks an argument that must be true or false when it is evaluated,
// and returns its expression; nil if it is omitted.
func (l *loader) boolean(attr *hcl.Attribute, in surroundings) hcl.Expression {
	if attr == nil {
		return nil
	}
	if v, ok := l.check(attr.Expr, in); ok {
		shown := kind(v)
		v, _ = v.UnmarkDeep()
		switch ty := v.Type(); {
		case v.IsNull():
			l.errorf(attr.Expr.Range(), "Invalid condition", "The argument %q must be true or false; this is null.", attr.Name)
		case ty != cty.Bool && ty != cty.DynamicPseudoType:
			l.errorf(attr.Expr.Range(), "Invalid condition", "The argument %q must be true or false; this is %s.%s", attr.Name, shown, comparisonHint(ty))
		}
	}
	return attr.Expr
}

// kind names the type of a value with its article, and the value if it is known.
func kind(v cty.Value) string {
	name := v.Type().FriendlyName()
	if strings.ContainsRune("aeiou", rune(name[0])) {
		name = "an " + name
	} else {
		name = "a " + name
	}
	if v.IsWhollyKnown() {
		name += ", " + value.Format(v)
	}
	return name
}

func comparisonHint(ty cty.Type) string {
	if ty.IsPrimitiveType() {
		return " Compare it with what is expected, such as == 0 or == \"Running\"."
	}
	return ""
}
