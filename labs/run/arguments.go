package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/step"
)

// arguments evaluates what a step asks for, over what is known at one moment.
// Its first failure stays: what comes after it is empty.
type arguments struct {
	st    *dsl.Step
	scope *value.Scope
	files map[string]*hcl.File
	err   error
}

// unobservedError is an argument that depends on what was not observed yet.
type unobservedError struct {
	argument, step string
	references     []string
}

// Error names what was not observed.
func (e *unobservedError) Error() string {
	what := "what it refers to was"
	if len(e.references) > 0 {
		what = strings.Join(e.references, ", ") + " was"
	}
	return fmt.Sprintf("the argument %q of %s is not known: %s not observed within %s of the step's beginning. Put a wait before it", e.argument, e.step, what, settling)
}

func (a *arguments) fail(err error) {
	if a.err == nil {
		a.err = err
	}
}

// eval is an argument's value, wholly known; false where it is not written, is
// null, or something failed.
func (a *arguments) eval(name string, expr hcl.Expression) (cty.Value, bool) {
	if expr == nil || a.err != nil {
		return cty.NilVal, false
	}
	v, diags := a.scope.Eval(expr)
	if diags.HasErrors() {
		d := diag.FromHCL(diags, a.files)[0]
		text := fmt.Sprintf("%s: %s", d.Summary, d.Detail)
		if d.Range != nil {
			text = fmt.Sprintf("%s, line %d: %s", d.Range.Filename, d.Range.Start.Line, text)
		}
		a.fail(errors.New(text))
		return cty.NilVal, false
	}
	if !v.IsWhollyKnown() {
		a.fail(&unobservedError{argument: name, step: a.title(), references: a.unobserved(expr)})
		return cty.NilVal, false
	}
	return v, !v.IsNull()
}

// unobserved are the references in an expression that are not known.
func (a *arguments) unobserved(expr hcl.Expression) []string {
	var names []string
	for _, ref := range a.scope.References(expr) {
		if ref.State == value.Unknown && ref.Root != "local" && !slices.Contains(names, ref.Expression) {
			names = append(names, ref.Expression)
		}
	}
	return names
}

func (a *arguments) title() string { return fmt.Sprintf("%s %q", a.st.Verb, a.st.Name) }

// text is a string; empty where it is not written.
func (a *arguments) text(name string, expr hcl.Expression) string {
	v, ok := a.eval(name, expr)
	if !ok {
		return ""
	}
	return a.asText(name, v)
}

// need is text that must not be empty where it is written.
func (a *arguments) need(name string, expr hcl.Expression) string {
	text := a.text(name, expr)
	if expr != nil && text == "" {
		a.fail(fmt.Errorf("the argument %q of %s is null or empty", name, a.title()))
	}
	return text
}

func (a *arguments) asText(name string, v cty.Value) string {
	text, err := convert.Convert(v, cty.String)
	if err != nil || text.IsNull() {
		a.fail(fmt.Errorf("the argument %q of %s must be a string, not %s", name, a.title(), value.Format(v)))
		return ""
	}
	return text.AsString()
}

// texts is a string, or a list of strings.
func (a *arguments) texts(name string, expr hcl.Expression) []string {
	v, ok := a.eval(name, expr)
	if !ok {
		return nil
	}
	if ty := v.Type(); !ty.IsTupleType() && !ty.IsListType() && !ty.IsSetType() {
		return []string{a.asText(name, v)}
	}
	var all []string
	for it := v.ElementIterator(); it.Next(); {
		_, e := it.Element()
		all = append(all, a.asText(name, e))
	}
	return all
}

// manifests are texts as manifests.
func (a *arguments) manifests(expr hcl.Expression) []step.Manifest {
	var all []step.Manifest
	for i, text := range a.texts("manifests", expr) {
		all = append(all, step.Manifest{Name: fmt.Sprintf("manifest %d of %s", i+1, a.title()), Text: text})
	}
	return all
}

// document is a string as it is, or a value as JSON.
func (a *arguments) document(name string, expr hcl.Expression) string {
	v, ok := a.eval(name, expr)
	switch {
	case a.err != nil:
		return ""
	case !ok:
		a.fail(fmt.Errorf("the argument %q of %s is null", name, a.title()))
		return ""
	case v.Type() == cty.String:
		return v.AsString()
	}
	text, err := json.Marshal(ctyjson.SimpleJSONValue{Value: v})
	if err != nil {
		a.fail(fmt.Errorf("encoding the argument %q of %s: %w", name, a.title(), err))
	}
	return string(text)
}

// refusal is what refusal of the step is wanted. Of a conditional, the result
// that is chosen counts by its own type; a text that says true or false was one
// of these before a conversion, since the language does not take it as a
// regular expression.
func (a *arguments) refusal(expr hcl.Expression) wanted {
	if expr != nil {
		expr = a.scope.Chosen(expr)
	}
	v, ok := a.eval("expect_error", expr)
	if ok && v.Type() == cty.String && (v.AsString() == "true" || v.AsString() == "false") {
		v = cty.BoolVal(v.AsString() == "true")
	}
	switch {
	case !ok:
		return wanted{}
	case v.Type() == cty.Bool:
		return wanted{refused: v.True(), text: value.Format(v)}
	case v.Type() != cty.String:
		a.fail(fmt.Errorf("expect_error of %s must be true, false or a regular expression, not %s", a.title(), value.Format(v)))
		return wanted{}
	}
	pattern, err := regexp.Compile(v.AsString())
	if err != nil {
		a.fail(fmt.Errorf("expect_error of %s is no regular expression: %w", a.title(), err))
	}
	return wanted{refused: true, pattern: pattern, text: value.Format(v)}
}
