package run_test

import (
	"context"
	"fmt"
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

// settings is a ConfigMap whose watch lags: it reports a change only when it is
// asked.
type settings struct {
	mu      sync.Mutex
	mode    string
	version int
	told    int
}

// patched notes that a step changed the ConfigMap.
func (s *settings) patched(_ context.Context, what string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.Contains(what, "patch configmap/settings") {
		s.mode, s.version = "new", s.version+1
	}
	return nil
}

// asked reports the newest version, if it was not reported yet.
func (s *settings) asked(_ context.Context, sink collectors.Sink) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told == s.version || sink == nil {
		return nil
	}
	s.told = s.version
	now := time.Now()
	sink.Add(collectors.Record{
		Time: now, Precision: time.Second, Source: collectors.SourceAPI, Type: collectors.TypeObject,
		Object: collectors.Object{Kind: "ConfigMap", Name: "settings", UID: "uid-settings"},
		Content: &collectors.Content{APIVersion: "v1", ResourceVersion: fmt.Sprint(s.version), CreatedAt: now.Truncate(time.Second),
			JSON: fmt.Appendf(nil, `{"data": {"mode": %q}}`, s.mode)},
	})
	return nil
}

// TestExpectationsSeeWhatTheStepBeforeThemWrote patches an object whose watch
// lags: an expectation without `within` right after it is judged over the new
// object. Before, it was judged over the old one.
func TestExpectationsSeeWhatTheStepBeforeThemWrote(t *testing.T) {
	s := &settings{mode: "old", version: 1}
	world := &runtest.World{Acting: s.patched, Asked: s.asked}
	r, dir := carryOutFile(t, t.Context(), world, "testdata/patched", plan.Options{}, func(*run.Engine) {})
	rec, err := replay.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	m, problems := dsl.Load("testdata/patched", dsl.Options{})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	again, err := rec.Judge(m, rec.Runs[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"the mode is old", "the mode is new", "the mode is not old any more"} {
		if got := step(t, r, name); got.Status != expect.Pass {
			t.Errorf("%s: %s: %s", name, got.Status, got.Detail)
		}
		if got := step(t, report.Report{Runs: []report.ScenarioRun{again}}, name); got.Status != expect.Pass {
			t.Errorf("replayed: %s: %s: %s", name, got.Status, got.Detail)
		}
	}
}
