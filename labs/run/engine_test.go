package run_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/run/runtest"
	"github.com/kind-lab/lab/labs/step/verbs"
)

// events keeps what a run tells.
type events struct {
	mu   sync.Mutex
	told []report.Event
}

func (e *events) Event(ev report.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.told = append(e.told, ev)
}

// carryOut runs testdata/small in the world.
func carryOut(t *testing.T, ctx context.Context, w *runtest.World, o plan.Options) (report.Report, string) {
	t.Helper()
	return carryOutFile(t, ctx, w, "testdata/small", o, func(*run.Engine) {})
}

// carryOutFile runs a scenario file in the world, with an engine that is
// changed before.
func carryOutFile(t *testing.T, ctx context.Context, w *runtest.World, file string, o plan.Options, change func(*run.Engine)) (report.Report, string) {
	t.Helper()
	m, problems := dsl.Load(file, dsl.Options{})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	o.Resolve = runtest.Resolve
	p, problems := plan.Build(m, o)
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	log, err := journal.Create(t.TempDir(), "20260102-030405-abcdef")
	if err != nil {
		t.Fatal(err)
	}
	engine := run.Engine{Verbs: verbs.Default(), Provisioners: map[string]run.Provisioner{clusters.ProviderKind: w}, Images: w, Connect: w.Connect, Clock: run.SystemClock{}, Observer: &events{},
		Journal: log, ID: "20260102-030405-abcdef", MaxCreates: 2}
	change(&engine)
	r := engine.Run(ctx, p)
	if err := log.Close(); err != nil {
		t.Error(err)
	}
	return r, log.Dir()
}

// statuses are the steps' statuses as "scenario/cluster/step".
func statuses(r report.Report) map[string]string {
	out := map[string]string{}
	for _, run := range r.Runs {
		for _, s := range run.Steps {
			text := s.Status.String()
			if s.Verdict != nil && s.Status == expect.Pass {
				text += " " + s.Verdict.Got
			}
			out[run.Scenario+"/"+run.Cluster+"/"+s.Name] = text
		}
	}
	return out
}

func TestScenariosAreJudgedOnEveryCluster(t *testing.T) {
	defer goleak.VerifyNone(t)
	w := &runtest.World{}
	r, dir := carryOut(t, t.Context(), w, plan.Options{})
	want := map[string]string{
		"classic/v127/job": "pass", "classic/v129/job": "pass",
		"classic/v127/main exits 0": "pass true", "classic/v129/main exits 0": "pass true",
		"classic/v127/the Job does not complete": "pass true", "classic/v129/the Job does not complete": "pass true",
		"native/v127/strict": "pass", "native/v128/strict": "pass", "native/v129/strict": "pass",
		"native/v127/the refusal names the field": "pass true", "native/v128/the refusal names the field": "skip", "native/v129/the refusal names the field": "skip",
		"native/v127/lenient": "pass", "native/v128/lenient": "pass", "native/v129/lenient": "pass",
		"native/v127/the Job completes": "pass false", "native/v128/the Job completes": "pass false", "native/v129/the Job completes": "pass true",
		"native/v127/the sidecar ends last": "skip", "native/v128/the sidecar ends last": "skip", "native/v129/the sidecar ends last": "pass true",
	}
	if diff := cmp.Diff(want, statuses(r)); diff != "" {
		t.Errorf("statuses differ (-want +got):\n%s\n%s", diff, failures(r))
	}
	if r.Status != expect.Pass {
		t.Errorf("status = %s, want pass: %v", r.Status, r.Errors)
	}
	if left := w.Left(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	open, err := journal.Unfinished(journal.Entries(dir))
	if err != nil || len(open) > 0 {
		t.Errorf("Unfinished = %v, %v; want none", open, err)
	}
	for _, run := range r.Runs {
		if run.Scenario != "classic" {
			continue
		}
		if diff := cmp.Diff([]string{"Pending", "ContainerCreating", "Running", "NotReady"}, run.Pods[0].Statuses); diff != "" {
			t.Errorf("%s: %s", run.Cluster, diff)
		}
	}
}

func failures(r report.Report) string {
	var out []string
	for _, run := range r.Runs {
		for _, s := range run.Steps {
			if s.Status >= expect.Fail {
				out = append(out, fmt.Sprintf("%s/%s/%s: %s", run.Scenario, run.Cluster, s.Name, s.Detail))
			}
		}
	}
	return strings.Join(out, "\n")
}

func TestOneClusterThatFailsDoesNotStopTheOthers(t *testing.T) {
	defer goleak.VerifyNone(t)
	w := &runtest.World{CreateFails: map[string]error{"v127": errors.New("kubelet: unrecognized feature gate")}}
	r, _ := carryOut(t, t.Context(), w, plan.Options{Scenarios: []string{"classic"}})
	got := statuses(r)
	if got["classic/v127/main exits 0"] != "error" || got["classic/v129/main exits 0"] != "pass true" {
		t.Errorf("statuses = %v", got)
	}
	if r.Status != expect.Error || !strings.Contains(r.Clusters[0].Error, "unrecognized feature gate") {
		t.Errorf("status = %s, cluster's error = %q", r.Status, r.Clusters[0].Error)
	}
	if left := w.Left(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAClusterThatCannotBeDestroyedIsAnErrorOfItsOwn(t *testing.T) {
	w := &runtest.World{DestroyFails: map[string]error{"v127": errors.New("device busy")}}
	r, _ := carryOut(t, t.Context(), w, plan.Options{Scenarios: []string{"classic"}, Clusters: []string{"v127"}})
	if r.Runs[0].Status != expect.Pass || r.Status != expect.Error {
		t.Errorf("run = %s, report = %s; want pass and error", r.Runs[0].Status, r.Status)
	}
	if len(r.Errors) != 1 || !strings.Contains(r.Errors[0], "lab gc lab-abcdef-v127") || !strings.Contains(r.Errors[0], "device busy") {
		t.Errorf("errors = %q", r.Errors)
	}
}

func TestAnInterruptDestroysWhatWasMade(t *testing.T) {
	for _, moment := range []string{"creating", "observing"} {
		t.Run(moment, func(t *testing.T) {
			defer goleak.VerifyNone(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			w := &runtest.World{CreateTakes: 50 * time.Millisecond}
			interrupt := func(string) { time.AfterFunc(20*time.Millisecond, cancel) }
			if moment == "creating" {
				w.Creating = interrupt
			} else {
				w.Observing = interrupt
			}
			r, dir := carryOut(t, ctx, w, plan.Options{})
			if !r.Interrupted || r.Status != expect.Error {
				t.Errorf("interrupted = %v, status = %s", r.Interrupted, r.Status)
			}
			if left := w.Left(); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			for _, run := range r.Runs {
				if len(run.Steps) != len(stepsOf(run.Scenario)) {
					t.Errorf("%s/%s reports %d steps", run.Scenario, run.Cluster, len(run.Steps))
				}
			}
			if open, err := journal.Unfinished(journal.Entries(dir)); err != nil || len(open) > 0 {
				t.Errorf("Unfinished = %v, %v", open, err)
			}
		})
	}
}

func stepsOf(scenario string) []string {
	if scenario == "classic" {
		return make([]string, 3)
	}
	return make([]string, 5)
}

func TestKeptClustersStayAndAreTold(t *testing.T) {
	m, _ := dsl.Load("testdata/small", dsl.Options{})
	p, _ := plan.Build(m, plan.Options{Scenarios: []string{"classic"}, Clusters: []string{"v129"}, Resolve: runtest.Resolve})
	log, err := journal.Create(t.TempDir(), "20260102-030405-abcdef")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	w, told := &runtest.World{}, &events{}
	engine := run.Engine{Verbs: verbs.Default(), Provisioners: map[string]run.Provisioner{clusters.ProviderKind: w}, Images: w, Connect: w.Connect, Clock: run.SystemClock{}, Observer: told, Journal: log,
		ID: "20260102-030405-abcdef", Keep: true}
	engine.Run(t.Context(), p)
	if diff := cmp.Diff([]string{"lab-abcdef-v129"}, w.Left()); diff != "" {
		t.Error(diff)
	}
	if err := w.Destroy(t.Context(), "lab-abcdef-v129"); err != nil {
		t.Error(err)
	}
	found := false
	for _, e := range told.told {
		found = found || e.Kind == report.EventWarning && strings.Contains(e.Text, "lab gc lab-abcdef-v129")
	}
	if !found {
		t.Error("nothing says how to remove the kept cluster")
	}
}

func TestSoManyClustersAreInUseAtOnce(t *testing.T) {
	defer goleak.VerifyNone(t)
	var order []string
	w := &runtest.World{}
	w.Creating = func(name string) {
		order = append(order, name)
		if there := w.Left(); len(there) > 0 {
			t.Errorf("%s is made while there is %v", name, there)
		}
	}
	told := &events{}
	r, _ := carryOutFile(t, t.Context(), w, "testdata/small", plan.Options{}, func(e *run.Engine) { e.MaxClusters, e.Observer = 1, told })
	if r.Status != expect.Pass || len(r.Runs) != 5 {
		t.Errorf("status = %s with %d runs, want pass with 5: %v", r.Status, len(r.Runs), r.Errors)
	}
	if diff := cmp.Diff([]string{"v127", "v128", "v129"}, order); diff != "" {
		t.Errorf("they do not come in the plan's order: %s", diff)
	}
	var waits []string
	for _, e := range told.told {
		if strings.HasPrefix(e.Text, "waiting for its turn: at most 1 cluster is in use at once") {
			waits = append(waits, e.Cluster)
		}
	}
	if diff := cmp.Diff([]string{"v128", "v129"}, waits); diff != "" {
		t.Errorf("the wait is not reported: %s", diff)
	}
}

func TestWhoWaitsForItsTurnIsInterrupted(t *testing.T) {
	defer goleak.VerifyNone(t)
	ctx, cancel := context.WithCancel(t.Context())
	w := &runtest.World{Creating: func(string) { cancel() }}
	r, _ := carryOutFile(t, ctx, w, "testdata/small", plan.Options{}, func(e *run.Engine) { e.MaxClusters = 1 })
	if !r.Interrupted || len(r.Runs) != 5 || len(w.Left()) > 0 {
		t.Errorf("interrupted %t with %d runs, left behind %v; want true with 5 and nothing", r.Interrupted, len(r.Runs), w.Left())
	}
	for _, c := range r.Clusters {
		if c.Status != expect.Error || !strings.Contains(c.Error, "interrupted") {
			t.Errorf("%s: %s %q, want an error that says interrupted", c.Name, c.Status, c.Error)
		}
	}
}
