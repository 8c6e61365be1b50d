package action

import (
	"regexp"
	"sort"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/internal/suggest"
	"github.com/kind-lab/lab/dsl/value"
)

// Arguments are the arguments of one block while it is decoded. Its methods
// report every mistake that they find. Package dsl implements it.
type Arguments interface {
	// Name is the block's label, and Range is its header.
	Name() string
	Range() hcl.Range
	// Attribute is an argument as it is written; nil if it is omitted.
	Attribute(name string) *hcl.Attribute
	// Mistake reports an error at a range. detail is a format.
	Mistake(at hcl.Range, summary, detail string, args ...any)

	// Text is an argument that must be a string when the step begins. what
	// describes it, such as "a pod's name". Texts is a string or a list of
	// strings, and List is a list of strings. hint is a further sentence, with
	// a leading space.
	Text(name, what string) hcl.Expression
	Texts(name, what, hint string) hcl.Expression
	List(name, what, hint string) hcl.Expression
	// Value is an argument of any type that must not be null.
	Value(name, what string) hcl.Expression
	// Condition is an argument that must be true or false when it is evaluated.
	// Message is an argument with a text for people.
	Condition(name string) hcl.Expression
	Message(name string) hcl.Expression
	// Check evaluates an expression as far as it is known before the run. It
	// reports mistakes, and returns false if there are any. Known does not
	// report anything, and returns false if the value is not wholly known.
	Check(hcl.Expression) (cty.Value, bool)
	Known(hcl.Expression) (cty.Value, bool)

	// String, Flag, Choice and Duration are evaluated before the run. An
	// omitted argument has the default of its schema.
	String(name string) string
	Flag(name string) bool
	Choice(name string) string
	Duration(name string) time.Duration
	// OptionalDuration may be 0. It is nil if the argument is omitted.
	OptionalDuration(name string) *time.Duration
}

// oneOf checks that exactly one of some arguments is written, and says whether
// that is so.
func oneOf(a Arguments, names ...string) bool {
	var written []*hcl.Attribute
	for _, name := range names {
		if attr := a.Attribute(name); attr != nil {
			written = append(written, attr)
		}
	}
	sort.Slice(written, func(i, j int) bool { return written[i].NameRange.Start.Byte < written[j].NameRange.Start.Byte })
	switch {
	case len(written) == 0:
		a.Mistake(a.Range(), "Missing argument", "One of the arguments %s is required.", suggest.Or(suggest.Quoted(names)))
	case len(written) > 1:
		a.Mistake(written[1].NameRange, "Too many arguments", "Only one of the arguments %s is allowed, and %q is set already.",
			suggest.Or(suggest.Quoted(names)), written[0].Name)
	}
	return len(written) == 1
}

// onlyTrue checks an argument that chooses something if it is true, and nothing
// if it is false.
func onlyTrue(a Arguments, name string) {
	attr := a.Attribute(name)
	if attr == nil {
		return
	}
	if v, ok := a.Known(attr.Expr); ok && v.Type() == cty.Bool && !v.IsNull() && v.False() {
		a.Mistake(attr.Expr.Range(), "Missing argument", "The argument %q is false, and nothing else says where to act. Set another argument instead, or set this one to true.", name)
	}
}

// objectForm describes the name of an object.
const objectForm = `an object as kubectl writes it, such as "pod/web"`

var objectName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9.-]*/[^/\s]+$`)

// objectNames checks those names of objects that are known before the run.
func objectNames(a Arguments, name string) {
	attr := a.Attribute(name)
	if attr == nil {
		return
	}
	v, ok := a.Known(attr.Expr)
	if !ok || v.IsNull() {
		return
	}
	names := []cty.Value{v}
	if v.CanIterateElements() {
		names = v.AsValueSlice()
	}
	for _, name := range names {
		if name.Type() == cty.String && !name.IsNull() && !objectName.MatchString(name.AsString()) {
			a.Mistake(attr.Expr.Range(), "Invalid object", "%s does not name an object. Write %s.", value.Format(name), objectForm)
		}
	}
}

// decodeLimits decodes the arguments that every step has that acts.
func decodeLimits(a Arguments, l *Limits) {
	l.Timeout = a.Duration("timeout")
	attr := a.Attribute("expect_error")
	if attr == nil {
		return
	}
	l.ExpectError = attr.Expr
	v, ok := a.Check(attr.Expr)
	v, _ = v.UnmarkDeep()
	switch ty := v.Type(); {
	case !ok || ty == cty.DynamicPseudoType && !v.IsKnown():
	case v.IsNull() || ty != cty.Bool && ty != cty.String:
		a.Mistake(attr.Expr.Range(), "Invalid expect_error",
			"The argument \"expect_error\" must be true or false, or a string with a regular expression that the error must match; this is %s.", value.Format(v))
	case ty == cty.String && v.IsKnown():
		pattern(a, attr, v.AsString())
	}
}

// pattern checks an expect_error that is a regular expression. A literal "true"
// or "false" is a mistake: the author meant the value without the quotes.
func pattern(a Arguments, attr *hcl.Attribute, text string) {
	if text == "true" || text == "false" {
		if Literal(attr.Expr) {
			a.Mistake(attr.Expr.Range(), "Invalid expect_error", "A string is a regular expression that the error must match. Did you mean %s?", text)
		}
		return
	}
	if _, err := regexp.Compile(text); err != nil {
		a.Mistake(attr.Expr.Range(), "Invalid regular expression", "%s.", suggest.Capital(err.Error()))
	}
}
