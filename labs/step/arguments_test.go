package step_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/step"
)

// arguments are those of a step, of which expect_error is an expression.
func arguments(t *testing.T, expectError string) *step.Arguments {
	t.Helper()
	a := &action.Apply{}
	if expectError != "" {
		a.ExpectError = parse(t, expectError)
	}
	return &step.Arguments{Step: &dsl.Step{Name: "x", Verb: "apply", Action: a}, Scope: &value.Scope{}, Files: map[string]*hcl.File{}}
}

func parse(t *testing.T, text string) hcl.Expression {
	t.Helper()
	expr, diags := dsl.ParseExpression([]byte(text), "s.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return expr
}

func TestArguments(t *testing.T) {
	null := hcl.StaticExpr(cty.NullVal(cty.String), hcl.Range{})
	a := arguments(t, "")
	if got := a.Text("t", parse(t, `"a"`)) + a.Text("t", nil) + a.Text("t", null) + a.Required("t", nil); got != "a" {
		t.Errorf("texts: %q", got)
	}
	if got := strings.Join(append(a.Texts("t", parse(t, `["a", "b", 3]`)), a.Texts("t", parse(t, `"c"`))...), " "); got != "a b 3 c" {
		t.Errorf("lists of texts: %q", got)
	}
	if got := a.Manifests(parse(t, `["a", "b"]`)); len(got) != 2 || got[1].Name != `manifest 2 of apply "x"` || got[1].Text != "b" {
		t.Errorf("manifests: %+v", got)
	}
	if got := a.Document("d", parse(t, `{ a = [1, true] }`)) + a.Document("d", parse(t, `"b: 1"`)); got != `{"a":[1,true]}b: 1` {
		t.Errorf("documents: %q", got)
	}
	if got := a.Optional("o", parse(t, `""`)); got == nil || *got != "" || a.Optional("o", nil) != nil {
		t.Errorf("optional: %v", got)
	}
	if a.Err() != nil {
		t.Error(a.Err())
	}
}

func TestNamespaceOfAStepIsThatOfItsCharts(t *testing.T) {
	for name, tt := range map[string]struct{ namespace, want, wrong string }{
		"the run's own": {"", "lab-1", ""},
		"another":       {`"sto${"re"}"`, "store", ""},
		"empty":         {`""`, "lab-1", `the argument "namespace" of apply "x" is null or empty`},
		"unknown":       {`pod.x.node`, "lab-1", "pod.x.node was not observed"},
	} {
		t.Run(name, func(t *testing.T) {
			a := arguments(t, "")
			a.Namespace, a.Scope.Namespace = "lab-1", "lab-1"
			before := a.Scope
			var expr hcl.Expression
			if tt.namespace != "" {
				expr = parse(t, tt.namespace)
			}
			if got := a.Within(expr); got != tt.want || a.Namespace != tt.want || a.Scope.Namespace != tt.want || before.Namespace != "lab-1" {
				t.Errorf("got %q, arguments %q, scope %q, the scope of before %q; want %q", got, a.Namespace, a.Scope.Namespace, before.Namespace, tt.want)
			}
			if (a.Err() == nil) != (tt.wrong == "") || a.Err() != nil && !strings.Contains(a.Err().Error(), tt.wrong) {
				t.Errorf("got %v, want %s", a.Err(), tt.wrong)
			}
		})
	}
}

func TestArgumentsThatCannotBeUsed(t *testing.T) {
	tests := map[string]struct {
		use  func(*step.Arguments)
		want string
	}{
		"empty":                 {func(a *step.Arguments) { a.Required("pod", parse(t, `""`)) }, `the argument "pod" of apply "x" is null or empty`},
		"an object":             {func(a *step.Arguments) { a.Text("pod", parse(t, `{ a = 1 }`)) }, `the argument "pod" of apply "x" must be a string`},
		"a document that is no": {func(a *step.Arguments) { a.Document("patch", parse(t, `null`)) }, `the argument "patch" of apply "x" is null`},
		"an error":              {func(a *step.Arguments) { a.Text("pod", parse(t, `jsondecode("{")`)) }, `s.hcl, line 1: `},
		"not observed":          {func(a *step.Arguments) { a.Text("pod", parse(t, `pod.web.ip`)) }, `the argument "pod" of apply "x" is not known: pod.web.ip was not observed within 10s`},
		"the first counts": {func(a *step.Arguments) {
			a.Fail(errors.New("first"))
			a.Required("pod", parse(t, `""`))
		}, "first"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			a := arguments(t, "")
			tt.use(a)
			if a.Err() == nil || !strings.Contains(a.Err().Error(), tt.want) {
				t.Errorf("error = %v, want %q", a.Err(), tt.want)
			}
			var unobserved *step.UnobservedError
			if errors.As(a.Err(), &unobserved) != (name == "not observed") {
				t.Errorf("%v is distinguished from others as what is not observed yet", a.Err())
			}
		})
	}
}

func TestExpectedFailures(t *testing.T) {
	tests := map[string]struct {
		failure bool
		matches string
		wantErr string
	}{
		"":                           {},
		"false":                      {},
		"null":                       {},
		"true":                       {failure: true, matches: "anything"},
		`"no such .*"`:               {failure: true, matches: "no such pod"},
		`true ? "no" : false`:        {failure: true, matches: "no"},
		`false ? "no" : false`:       {},
		"3":                          {wantErr: "must be true, false or a regular expression"},
		`"("`:                        {failure: true, wantErr: "is no regular expression"},
		`"${pod.web.name} not here"`: {wantErr: "is not known"},
	}
	for text, tt := range tests {
		t.Run(text, func(t *testing.T) {
			a := arguments(t, text)
			got := a.Expected()
			if tt.wantErr != "" {
				if a.Err() == nil || !strings.Contains(a.Err().Error(), tt.wantErr) {
					t.Errorf("error = %v, want %q", a.Err(), tt.wantErr)
				}
				return
			}
			if a.Err() != nil || got.Failure != tt.failure || got.Pattern != nil && !got.Pattern.MatchString(tt.matches) {
				t.Errorf("%+v, %v", got, a.Err())
			}
		})
	}
}
