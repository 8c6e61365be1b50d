package run

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/step"
)

func TestLongRefusalsAreShortenedForPeopleOnly(t *testing.T) {
	long := `Pod "web" is invalid: patch: Invalid value: "` + strings.Repeat("x", 5000) + `": strict decoding error: unknown field "spec.nonsense"`
	no := &step.RefusedError{Message: long}
	for _, w := range []wanted{{}, {refused: true}, {refused: true, pattern: regexp.MustCompile("^no$"), text: `"^no$"`}} {
		_, detail := w.judge(dsl.VerbPatch, step.Result{}, no)
		if len(detail) > 1100 || !strings.Contains(detail, `Pod "web"`) || !strings.Contains(detail, "spec.nonsense") {
			t.Errorf("%d bytes: %s", len(detail), detail)
		}
	}
	if status, _ := (wanted{refused: true, pattern: regexp.MustCompile("^Pod .web. is invalid: .*x{1000}.*nonsense")}).judge(dsl.VerbPatch, step.Result{}, no); status != expect.Pass {
		t.Error("the pattern was not matched with the whole refusal")
	}
	if refusal(no) != long {
		t.Error("step.NAME.error is shortened, too")
	}
}

func TestWhatWasDoneIsSaid(t *testing.T) {
	zero := 0
	web := []collectors.Object{{Kind: "Pod", Name: "web"}, {Kind: "Service", Name: "web"}}
	tests := []struct {
		verb string
		out  step.Result
		want string
	}{
		{dsl.VerbApply, step.Result{Objects: web, Actions: []string{"created", "unchanged"}}, "pod/web created, service/web unchanged"},
		{dsl.VerbExec, step.Result{ExitCode: &zero}, "exit code 0"},
		{dsl.VerbExec, step.Result{ExitCode: &zero, Stdout: "\n one \n two\n"}, "exit code 0: one …"},
		{dsl.VerbExec, step.Result{ExitCode: &zero, Stdout: strings.Repeat("ä", 100)}, "exit code 0: " + strings.Repeat("ä", 80) + " …"},
	}
	for _, tt := range tests {
		if status, got := (wanted{}).judge(tt.verb, tt.out, nil); got != tt.want || status != expect.Pass {
			t.Errorf("%s: said %q (%s), want %q", tt.verb, got, status, tt.want)
		}
	}
	want := `expect_error is true, but the API server accepted pod/web created, service/web unchanged`
	if status, got := (wanted{refused: true, text: "true"}).judge(dsl.VerbApply, tests[0].out, nil); got != want || status != expect.Fail {
		t.Errorf("said %q (%s)", got, status)
	}
	if status, _ := (wanted{refused: true}).judge(dsl.VerbApply, step.Result{}, errors.New("connection refused")); status != expect.Error {
		t.Errorf("what could not be told is %s", status)
	}
}
