package step

import (
	"fmt"
	"regexp"

	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/value"
)

// Expected is what expect_error says.
type Expected struct {
	// Failure says that the step must fail, and Pattern what the failure must
	// match; nil means anything.
	Failure bool
	Pattern *regexp.Regexp
	// Text is expect_error as people read it.
	Text string
}

// Expected says what failure of the step is expected. Of a conditional, the result
// that is chosen counts by its own type; a text that says true or false was one
// of these before a conversion, since the language does not take it as a
// regular expression.
func (a *Arguments) Expected() Expected {
	limits := action.LimitsOf(a.Step.Action)
	if limits == nil {
		return Expected{}
	}
	expr := limits.ExpectError
	if expr != nil {
		expr = a.Scope.Chosen(expr)
	}
	v, ok := a.eval("expect_error", expr)
	if ok && v.Type() == cty.String && (v.AsString() == "true" || v.AsString() == "false") {
		v = cty.BoolVal(v.AsString() == "true")
	}
	switch {
	case !ok:
		return Expected{}
	case v.Type() == cty.Bool:
		return Expected{Failure: v.True(), Text: value.Format(v)}
	case v.Type() != cty.String:
		a.Fail(fmt.Errorf("expect_error of %s must be true, false or a regular expression, not %s", a.Title(), value.Format(v)))
		return Expected{}
	}
	pattern, err := regexp.Compile(v.AsString())
	if err != nil {
		a.Fail(fmt.Errorf("expect_error of %s is no regular expression: %w", a.Title(), err))
	}
	return Expected{Failure: true, Pattern: pattern, Text: value.Format(v)}
}
