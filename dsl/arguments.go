package dsl

import (
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/dsl/value"
)

// arguments are the arguments of a step's block, for the decoder of its verb.
type arguments struct {
	l      *loader
	step   *Step
	c      content
	schema *schema.Block
	in     surroundings
}

// Name is the step's label.
func (a *arguments) Name() string { return a.step.Name }

// Range is the block's header.
func (a *arguments) Range() hcl.Range { return a.step.Range }

// Attribute is an argument as it is written; nil if it is omitted.
func (a *arguments) Attribute(name string) *hcl.Attribute { return a.c.args[name] }

// Mistake reports an error.
func (a *arguments) Mistake(at hcl.Range, summary, detail string, args ...any) {
	a.l.errorf(at, summary, detail, args...)
}

// Text checks an argument that must be a string when its step begins.
func (a *arguments) Text(name, what string) hcl.Expression {
	return a.l.aText(a.c.args[name], a.in, what)
}

// Texts checks an argument that must be a string or a list of strings when its
// step begins.
func (a *arguments) Texts(name, what, hint string) hcl.Expression {
	return a.l.written(a.c.args[name], a.in, isTexts, what, hint)
}

// List checks an argument that must be a list of strings when its step begins.
func (a *arguments) List(name, what, hint string) hcl.Expression {
	return a.l.written(a.c.args[name], a.in, isTextList, what, hint)
}

// Value checks an argument that must not be null.
func (a *arguments) Value(name, what string) hcl.Expression {
	attr := a.c.args[name]
	if attr == nil {
		return nil
	}
	if v, ok := a.Check(attr.Expr); ok && v.IsNull() {
		a.l.errorf(attr.Expr.Range(), "Invalid "+name, "The argument %q must be %s, not null.", name, what)
	}
	return attr.Expr
}

// Condition checks an argument that must be true or false.
func (a *arguments) Condition(name string) hcl.Expression {
	return a.l.boolean(a.c.args[name], a.in)
}

// Message checks an argument that gives a text for people.
func (a *arguments) Message(name string) hcl.Expression {
	return a.l.message(a.c.args[name], a.in)
}

// Check evaluates an expression as far as it is known before the run.
func (a *arguments) Check(expr hcl.Expression) (cty.Value, bool) { return a.l.check(expr, a.in) }

// Known is an expression's value if it is known before the run.
func (a *arguments) Known(expr hcl.Expression) (cty.Value, bool) {
	scope := a.l.scope
	scope.Extra, scope.ScenarioLocals = a.in.extra, a.in.locals
	v, diags := scope.Eval(expr)
	return v, !diags.HasErrors() && v.IsWhollyKnown()
}

// String is a string that is known before the run; empty by default.
func (a *arguments) String(name string) string {
	var text string
	a.l.text(a.c.args[name], a.in, &text)
	return text
}

// Flag is true or false. The default is that of the schema.
func (a *arguments) Flag(name string) bool {
	is := a.schema.Argument(name).Default == "true"
	a.l.flag(a.c.args[name], a.in, &is)
	return is
}

// Choice is one of the values in the schema.
func (a *arguments) Choice(name string) string {
	return a.l.choice(a.c.args[name], a.schema.Argument(name), a.in)
}

// Duration is a positive duration. The default is that of the schema, or 0.
func (a *arguments) Duration(name string) time.Duration {
	var d time.Duration
	a.l.durationOr(a.c.args[name], a.schema.Argument(name), a.in, &d)
	return d
}

// OptionalDuration is a duration, which may be 0; nil if it is omitted.
func (a *arguments) OptionalDuration(name string) *time.Duration {
	d, ok := a.l.durationValue(a.c.args[name], a.in, true)
	if !ok {
		return nil
	}
	return &d
}

var _ action.Arguments = (*arguments)(nil)

// written checks that an argument has the right form when its step begins, and
// returns its expression; nil if it is omitted. what describes the form, and
// hint is a further sentence.
func (l *loader) written(attr *hcl.Attribute, in surroundings, is func(cty.Value) bool, what, hint string) hcl.Expression {
	if attr == nil {
		return nil
	}
	if v, ok := l.check(attr.Expr, in); ok && !is(v) {
		l.errorf(attr.Expr.Range(), "Invalid "+attr.Name, "The argument %q must be %s; this is %s.%s", attr.Name, what, value.Format(v), hint)
	}
	return attr.Expr
}
