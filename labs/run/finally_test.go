package run_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/run/runtest"
)

const back = `
  finally {
    node "back" { action = "uncordon" }
    exec "state" {
      pod     = "web"
      command = ["echo", "still", "there"]
    }
    node "kubelet" {
      action  = "start"
      service = "kubelet"
    }
  }
`

// doneOf are the names and statuses of a run's steps.
func doneOf(lines []string) []string {
	var out []string
	for _, l := range lines {
		head, _, _ := strings.Cut(l, ":")
		out = append(out, head)
	}
	return out
}

func TestFinallyIsDoneWhateverHappened(t *testing.T) {
	tests := []struct {
		name, steps string
		// acting is what is done by its name instead of what is asked for.
		acting func(ctx context.Context, what string) error
		want   []string
		status expect.Status
	}{
		{"all is well", `node "away" { action = "cordon" }`, nil,
			[]string{"pass away", "pass back", "pass state", "pass kubelet"}, expect.Pass},
		{"a step fails", `node "away" {
			node   = "other"
			action = "cordon"
		}
		expect "x" { condition = true }`, nil,
			[]string{"fail away", "skip x", "pass back", "pass state", "pass kubelet"}, expect.Fail},
		{"one of it fails", `node "away" { action = "cordon" }`, func(_ context.Context, what string) error {
			if strings.Contains(what, "uncordon") {
				return errBroken
			}
			return nil
		}, []string{"pass away", "error back", "pass state", "pass kubelet"}, expect.Error},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			defer goleak.VerifyNone(t)
			r, _ := do(t, t.Context(), &runtest.World{Acting: tt.acting}, up+tt.steps+back, nil)
			if diff := cmp.Diff(tt.want, doneOf(lines(r))[2:]); diff != "" {
				t.Errorf("steps differ (-want +got):\n%s\n%s", diff, strings.Join(lines(r), "\n"))
			}
			if r.Status != tt.status {
				t.Errorf("status = %s, want %s", r.Status, tt.status)
			}
		})
	}
}

func TestFinallyIsDoneAfterAnInterrupt(t *testing.T) {
	defer goleak.VerifyNone(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := &runtest.World{Acting: func(ctx context.Context, what string) error {
		if strings.Contains(what, "sleep") {
			time.AfterFunc(20*time.Millisecond, cancel)
		}
		return ctx.Err()
	}}
	r, _ := do(t, ctx, w, up+`
  exec "long" {
    pod     = "web"
    command = ["sleep", "60"]
  }
  expect "after" { condition = true }
`+back, nil)
	want := []string{"error long", "error after", "pass back", "pass state", "pass kubelet"}
	if diff := cmp.Diff(want, doneOf(lines(r))[2:]); diff != "" {
		t.Errorf("steps differ (-want +got):\n%s\n%s", diff, strings.Join(lines(r), "\n"))
	}
	if left := w.Left(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestASecondSignalEndsFinally(t *testing.T) {
	defer goleak.VerifyNone(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	forceStop := make(chan struct{})
	w := &runtest.World{Acting: func(ctx context.Context, what string) error {
		switch {
		case strings.Contains(what, "sleep"):
			time.AfterFunc(20*time.Millisecond, cancel)
		case strings.Contains(what, "still there"):
			time.AfterFunc(20*time.Millisecond, func() { close(forceStop) })
			<-ctx.Done()
		}
		return ctx.Err()
	}}
	r, _ := do(t, ctx, w, up+`
  exec "long" {
    pod     = "web"
    command = ["sleep", "60"]
  }
`+back, func(e *run.Engine) { e.ForceStop = forceStop })
	got := lines(r)[3:]
	if !slices.Equal(doneOf(got), []string{"pass back", "error state", "error kubelet"}) || !strings.Contains(got[2], "for the second time") {
		t.Errorf("steps = %q", got)
	}
	if left := w.Left(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestALostObservationEndsTheStepsButNotFinally(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, at := range []string{"sleep", "still there"} {
		breaks := make(chan error, 1)
		w := &runtest.World{Breaks: breaks, Acting: func(_ context.Context, what string) error {
			if strings.Contains(what, at) {
				breaks <- errBroken
			}
			return nil
		}}
		r, _ := do(t, t.Context(), w, up+`
  invariant "main runs" { condition = pod.web.container["main"].state == "running" }
  exec "x" {
    pod          = "web"
    command      = ["sleep", "60"]
    timeout      = "300ms"
    expect_error = true
  }
  expect "after" { condition = true }
`+back, nil)
		want := []string{"pass main runs", "pass x", "pass after", "pass back", "pass state", "pass kubelet"}
		if at == "sleep" {
			want = []string{"error main runs", "error x", "error after", "pass back", "pass state", "pass kubelet"}
		}
		if diff := cmp.Diff(want, doneOf(lines(r))[2:]); diff != "" {
			t.Errorf("broken at %s: steps differ (-want +got):\n%s\n%s", at, diff, strings.Join(lines(r), "\n"))
		}
	}
}

// invariantCases are steps with an invariant, and how they come out.
var invariantCases = []struct {
	name, steps string
	want        []string
	detail      string
}{
	{"kept", `
  invariant "main runs" {
    condition = pod.web.container["main"].state == "running"
  }
  sleep "x" { duration = "20ms" }`, []string{"pass main runs", "pass x"}, "never false"},
	{"broken, and the scenario goes on", `
  invariant "main runs" {
    condition = pod.web.container["main"].state == "running"
    message   = "it is ${pod.web.container["main"].state}"
  }
  signal "stop" {
    pod       = "web"
    container = "main"
  }
  wait "over" { condition = pod.web.container["main"].state == "terminated" }
  expect "x" { condition = true }`, []string{"fail main runs", "pass stop", "pass over", "pass x"}, "was false after"},
	{"not watched", `
  invariant "main runs" {
    condition = false
    when      = target.minor < 20
  }
  sleep "x" { duration = "1ms" }`, []string{"skip main runs", "pass x"}, "`when` is"},
	{"not broken until a step failed", `
  invariant "main runs" {
    condition = pod.web.container["main"].state == "running"
  }
  exec "x" {
    pod     = "web"
    command = ["false"]
  }
  invariant "not reached" {
    condition = pod.web.container["main"].state == "running"
  }`, []string{"pass main runs", "fail x", "skip not reached"}, "never false"},
	{"finally is not watched", `
  invariant "main runs" {
    condition = pod.web.container["main"].state == "running"
  }
  finally {
    signal "stop" {
      pod       = "web"
      container = "main"
    }
    wait "over" { condition = pod.web.container["main"].state == "terminated" }
  }`, []string{"pass main runs", "pass stop", "pass over"}, "never false"},
}

func TestInvariants(t *testing.T) {
	for _, tt := range invariantCases {
		t.Run(tt.name, func(t *testing.T) {
			defer goleak.VerifyNone(t)
			r, _ := do(t, t.Context(), &runtest.World{}, up+tt.steps, nil)
			got := lines(r)[2:]
			if diff := cmp.Diff(tt.want, doneOf(got)); diff != "" {
				t.Errorf("steps differ (-want +got):\n%s\n%s", diff, strings.Join(got, "\n"))
			}
			if !strings.Contains(got[0], tt.detail) {
				t.Errorf("verdict = %q, want %q in it", got[0], tt.detail)
			}
		})
	}
}

func TestAnInterruptedInvariantIsNoPass(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := &runtest.World{Acting: func(context.Context, string) error {
		time.AfterFunc(20*time.Millisecond, cancel)
		return nil
	}}
	r, _ := do(t, ctx, w, up+`
  invariant "main runs" {
    condition = pod.web.container["main"].state == "running"
  }
  exec "long" {
    pod     = "web"
    command = ["sleep", "60"]
  }`, nil)
	if got := lines(r)[2]; !strings.HasPrefix(got, "error main runs: interrupted before the scenario's end; until then: ") {
		t.Errorf("verdict = %q", got)
	}
}

func TestRowsOfAMatrixAndClustersOfAForEach(t *testing.T) {
	w := &runtest.World{}
	r, dir := carryOutFile(t, t.Context(), w, "testdata/rows", plan.Options{}, func(e *run.Engine) { e.Keep = true }) // the kubeconfigs too
	var got []string
	for _, run := range r.Runs {
		got = append(got, fmt.Sprintf("%s on %s in %s: %s", run.Scenario, run.Cluster, run.Namespace, strings.Join(doneOf(lines(run)), ", ")))
	}
	want := []string{
		`echo[word="a/b"] on all["1.28"] in lab-echo-word-a-b: pass say, pass said, pass one, pass two, pass both`,
		`echo[word="a/b"] on all["1.29"] in lab-echo-word-a-b: pass say, pass said, pass one, pass two, pass both`,
		`echo[word="c"] on all["1.28"] in lab-echo-word-c: pass say, pass said, pass one, pass two, pass both`,
		`echo[word="c"] on all["1.29"] in lab-echo-word-c: pass say, pass said, pass one, pass two, pass both`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("runs differ (-want +got):\n%s", diff)
	}
	if r.Status != expect.Pass {
		t.Errorf("status = %s: %s", r.Status, failures(r))
	}
	wantDid := `all["1.28"]: exec lab-abcdef-all-1-28-control-plane echo a/b`
	if !slices.Contains(w.Did(), wantDid) {
		t.Errorf("did %q, want %q among it", w.Did(), wantDid)
	}
	for _, name := range []string{"all-1.28.yaml", "all-1.29.yaml"} {
		if _, err := os.Stat(filepath.Join(dir, "kubeconfig", name)); err != nil {
			t.Error(err)
		}
	}
}
