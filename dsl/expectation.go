package dsl

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/dsl/value"
)

func (l *loader) expect(step *Step, c content, in surroundings) *Expect {
	e := &Expect{Name: step.Name, Range: step.Range}
	e.Condition = l.boolean(c.args["condition"], in)
	l.duration(c.args["within"], in, &e.Within)
	l.duration(c.args["hold"], in, &e.Hold)
	e.Outcome = l.boolean(c.args["outcome"], in)
	e.When = l.boolean(c.args["when"], in)
	e.Message = l.message(c.args["message"], in)
	return e
}

func (l *loader) invariant(step *Step, c content, in surroundings) *Invariant {
	return &Invariant{
		Name: step.Name, Range: step.Range, Condition: l.boolean(c.args["condition"], in),
		When: l.boolean(c.args["when"], in), Message: l.message(c.args["message"], in),
	}
}

func (l *loader) wait(c content, b *schema.Block, in surroundings) *Wait {
	w := &Wait{Condition: l.boolean(c.args["condition"], in)}
	l.durationOr(c.args["within"], b.Argument("within"), in, &w.Within)
	l.duration(c.args["hold"], in, &w.Hold)
	return w
}

// message checks an argument that gives a text for people when it is used.
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
// and returns its expression; nil where it is missing.
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

// kind names the type of a value with its article, and the value where it is
// known.
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
