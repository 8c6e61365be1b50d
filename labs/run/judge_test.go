package run

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/apply"
	"github.com/kind-lab/lab/labs/step/exec"
	"github.com/kind-lab/lab/labs/step/failure"
	"github.com/kind-lab/lab/labs/step/patch"
)

func TestLongRefusalsAreShortenedForPeopleOnly(t *testing.T) {
	long := `Pod "web" is invalid: patch: Invalid value: "` + strings.Repeat("x", 5000) + `": strict decoding error: unknown field "spec.nonsense"`
	no := &failure.Rejection{Message: long}
	for _, w := range []step.Expected{{}, {Failure: true}, {Failure: true, Pattern: regexp.MustCompile("^no$"), Text: `"^no$"`}} {
		_, detail := judge(w, patch.Verb(), step.Result{}, no)
		if len(detail) > 1100 || !strings.Contains(detail, `Pod "web"`) || !strings.Contains(detail, "spec.nonsense") {
			t.Errorf("%d bytes: %s", len(detail), detail)
		}
	}
	if status, _ := judge(step.Expected{Failure: true, Pattern: regexp.MustCompile("^Pod .web. is invalid: .*x{1000}.*nonsense")}, patch.Verb(), step.Result{}, no); status != expect.Pass {
		t.Error("the pattern was not matched with the whole refusal")
	}
	if failed(no) != long {
		t.Error("step.NAME.error is shortened, too")
	}
}

func TestWhatWasDoneIsSaid(t *testing.T) {
	zero := 0
	web := []collectors.Object{{Kind: "Pod", Name: "web"}, {Kind: "Service", Name: "web"}}
	tests := []struct {
		verb step.Verb
		out  step.Result
		want string
	}{
		{apply.Verb(), step.Result{Objects: web, Actions: []string{"created", "unchanged"}}, "pod/web created, service/web unchanged"},
		{exec.Verb(), step.Result{ExitCode: &zero}, "exit code 0"},
		{exec.Verb(), step.Result{ExitCode: &zero, Stdout: "\n one \n two\n"}, "exit code 0: one …"},
		{exec.Verb(), step.Result{ExitCode: &zero, Stdout: strings.Repeat("ä", 100)}, "exit code 0: " + strings.Repeat("ä", 80) + " …"},
	}
	for _, tt := range tests {
		if status, got := judge(step.Expected{}, tt.verb, tt.out, nil); got != tt.want || status != expect.Pass {
			t.Errorf("%s: said %q (%s), want %q", tt.verb.Name(), got, status, tt.want)
		}
	}
	want := `expect_error is true, but the API server accepted pod/web created, service/web unchanged`
	if status, got := judge(step.Expected{Failure: true, Text: "true"}, apply.Verb(), tests[0].out, nil); got != want || status != expect.Fail {
		t.Errorf("said %q (%s)", got, status)
	}
	if status, _ := judge(step.Expected{Failure: true}, apply.Verb(), step.Result{}, errors.New("connection refused")); status != expect.Error {
		t.Errorf("what is unknown is %s", status)
	}
}
