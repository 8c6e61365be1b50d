package step

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/dsl/value"
)

// Settling is how long a step waits for its arguments to be known: what is so by
// now is observed a moment later.
const Settling = 10 * time.Second

// Arguments evaluates what a step asks for, over what is known at one moment.
// Its first failure stays: what comes after it is empty.
type Arguments struct {
	Step  *dsl.Step
	Scope *value.Scope
	// Files are the sources of the scenario, for messages.
	Files map[string]*hcl.File
	Surroundings
	err error
}

// Surroundings are where a scenario runs.
type Surroundings struct {
	// Namespace is the run's own, and Dir the scenario's folder.
	Namespace, Dir string
	// Handle says which nodes the cluster has.
	Handle clusters.Handle
	// AllowHostExec says that commands may run on this machine.
	AllowHostExec bool
	// Clock tells the time.
	Clock Clock
}

// Clock tells the time.
type Clock interface {
	Now() time.Time
	// At returns a channel that receives once the time has come, and a
	// function that gives it up.
	At(time.Time) (<-chan time.Time, func())
}

// UnobservedError is an argument that depends on what was not observed yet.
type UnobservedError struct {
	argument, step string
	references     []string
}

// Error names what was not observed.
func (e *UnobservedError) Error() string {
	what := "what it refers to was"
	if len(e.references) > 0 {
		what = strings.Join(e.references, ", ") + " was"
	}
	return fmt.Sprintf("the argument %q of %s is not known: %s not observed within %s of the step's beginning. Put a wait before it", e.argument, e.step, what, Settling)
}

// Err is why the arguments cannot be used; nil where they can.
func (a *Arguments) Err() error { return a.err }

// Fail notes why the step cannot be done. The first failure counts.
func (a *Arguments) Fail(err error) {
	if a.err == nil {
		a.err = err
	}
}

// eval is an argument's value, wholly known; false where it is not written, is
// null, or something failed.
func (a *Arguments) eval(name string, expr hcl.Expression) (cty.Value, bool) {
	if expr == nil || a.err != nil {
		return cty.NilVal, false
	}
	v, diags := a.Scope.Eval(expr)
	if diags.HasErrors() {
		d := diag.FromHCL(diags, a.Files)[0]
		text := fmt.Sprintf("%s: %s", d.Summary, d.Detail)
		if d.Range != nil {
			text = fmt.Sprintf("%s, line %d: %s", d.Range.Filename, d.Range.Start.Line, text)
		}
		a.Fail(errors.New(text))
		return cty.NilVal, false
	}
	if !v.IsWhollyKnown() {
		a.Fail(&UnobservedError{argument: name, step: a.Title(), references: a.unobserved(expr)})
		return cty.NilVal, false
	}
	return v, !v.IsNull()
}

// unobserved are the references in an expression that are not known.
func (a *Arguments) unobserved(expr hcl.Expression) []string {
	var names []string
	for _, ref := range a.Scope.References(expr) {
		if ref.State == value.Unknown && ref.Root != "local" && !slices.Contains(names, ref.Expression) {
			names = append(names, ref.Expression)
		}
	}
	return names
}

// Title names the step: its verb and its name.
func (a *Arguments) Title() string { return fmt.Sprintf("%s %q", a.Step.Verb, a.Step.Name) }

// Text is a string; empty where it is not written.
func (a *Arguments) Text(name string, expr hcl.Expression) string {
	v, ok := a.eval(name, expr)
	if !ok {
		return ""
	}
	return a.asText(name, v)
}

// Required is a string that must not be empty where it is written.
func (a *Arguments) Required(name string, expr hcl.Expression) string {
	text := a.Text(name, expr)
	if expr != nil && text == "" {
		a.Fail(fmt.Errorf("the argument %q of %s is null or empty", name, a.Title()))
	}
	return text
}

func (a *Arguments) asText(name string, v cty.Value) string {
	text, err := convert.Convert(v, cty.String)
	if err != nil || text.IsNull() {
		a.Fail(fmt.Errorf("the argument %q of %s must be a string, not %s", name, a.Title(), value.Format(v)))
		return ""
	}
	return text.AsString()
}

// Texts is a string, or a list of strings.
func (a *Arguments) Texts(name string, expr hcl.Expression) []string {
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

// Within is the namespace of objects that name none: the one that is written, or
// the run's own. From then on it is also that of a chart's release.
func (a *Arguments) Within(expr hcl.Expression) string {
	if text := a.Required("namespace", expr); text != "" {
		scope := *a.Scope
		scope.Namespace = text
		a.Namespace, a.Scope = text, &scope
	}
	return a.Namespace
}

// Manifests are texts as manifests.
func (a *Arguments) Manifests(expr hcl.Expression) []Manifest {
	var all []Manifest
	for i, text := range a.Texts("manifests", expr) {
		all = append(all, Manifest{Name: fmt.Sprintf("manifest %d of %s", i+1, a.Title()), Text: text})
	}
	return all
}

// Document is a string as it is, or a value as JSON.
func (a *Arguments) Document(name string, expr hcl.Expression) string {
	v, ok := a.eval(name, expr)
	switch {
	case a.err != nil:
		return ""
	case !ok:
		a.Fail(fmt.Errorf("the argument %q of %s is null", name, a.Title()))
		return ""
	case v.Type() == cty.String:
		return v.AsString()
	}
	text, err := json.Marshal(ctyjson.SimpleJSONValue{Value: v})
	if err != nil {
		a.Fail(fmt.Errorf("encoding the argument %q of %s: %w", name, a.Title(), err))
	}
	return string(text)
}

// Optional is a string; nil where it is not written or null.
func (a *Arguments) Optional(name string, expr hcl.Expression) *string {
	v, ok := a.eval(name, expr)
	if !ok {
		return nil
	}
	text := a.asText(name, v)
	return &text
}
