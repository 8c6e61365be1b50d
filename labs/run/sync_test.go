package run_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/run/runtest"
)

// hung is a source that keeps to itself that containers end.
type hung struct {
	mu   sync.Mutex
	held []collectors.Record
}

func (h *hung) holds(r collectors.Record) bool {
	ends := r.Type == collectors.TypeTaskExit
	if r.Pod != nil {
		for _, c := range r.Pod.Containers {
			ends = ends || c.State == "terminated"
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if ends && r.Type == collectors.TypeTaskExit {
		h.held = append(h.held, r)
	}
	return ends
}

func (h *hung) tell(sink collectors.Sink) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.held {
		sink.Add(r)
	}
	h.held = nil
}

// TestSourcesAreAskedBeforeTheTimeIsOver lets a source hang while a container
// ends in time: that nobody reported it is no evidence that it did not.
func TestSourcesAreAskedBeforeTheTimeIsOver(t *testing.T) {
	for name, test := range map[string]struct {
		asked func(*hung) func(context.Context, collectors.Sink) error
		want  expect.Status
		says  string
	}{
		"it tells when it is asked": {
			func(h *hung) func(context.Context, collectors.Sink) error {
				return func(_ context.Context, sink collectors.Sink) error { h.tell(sink); return nil }
			}, expect.Pass, "was true",
		},
		"it has nothing to tell": {
			func(*hung) func(context.Context, collectors.Sink) error {
				return func(context.Context, collectors.Sink) error { return nil }
			}, expect.Fail, "was still unknown",
		},
		"it does not answer": {
			func(*hung) func(context.Context, collectors.Sink) error {
				return func(_ context.Context, sink collectors.Sink) error {
					sink.Add(collectors.Record{Time: time.Now(), Source: collectors.SourceRuntime, Type: collectors.TypeGap,
						Gap: &collectors.Gap{From: time.Now().Add(-500 * time.Millisecond), Reason: "it hangs", Count: -1}})
					return errors.New("it hangs")
				}
			}, expect.Error, "it hangs",
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := &hung{}
			world := &runtest.World{Holds: h.holds, Asked: test.asked(h)}
			r, dir := carryOutFile(t, t.Context(), world, "testdata/hung", plan.Options{}, func(*run.Engine) {})
			s := step(t, r, "main exits 0 in time")
			if s.Status != test.want || !strings.Contains(s.Detail, test.says) {
				t.Errorf("%s: %s, want %s and %q", s.Status, s.Detail, test.want, test.says)
			}
			rec, err := replay.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			m, problems := dsl.Load("testdata/hung", dsl.Options{})
			if problems.HasErrors() {
				t.Fatal(problems)
			}
			again, err := rec.Judge(m, rec.Runs[0])
			if err != nil {
				t.Fatal(err)
			}
			if a := step(t, report.Report{Runs: []report.ScenarioRun{again}}, s.Name); a.Status != s.Status {
				t.Errorf("replayed: %s: %s, want %s", a.Status, a.Detail, s.Status)
			}
		})
	}
}

func step(t *testing.T, r report.Report, name string) report.Step {
	t.Helper()
	for _, run := range r.Runs {
		for _, s := range run.Steps {
			if s.Name == name {
				return s
			}
		}
	}
	t.Fatalf("no step %q in %+v", name, r)
	return report.Step{}
}
