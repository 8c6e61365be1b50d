package replay_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/selection"
)

const scenario = `
cluster "v129" { kubernetes = "1.29" }
cluster "v128" {
  kubernetes    = "1.28.15"
  feature_gates = { SidecarContainers = true }
}
cluster "some" { kubernetes = ">= 1.28" }
scenario "exits" {
  clusters = [cluster.v129, cluster.v128, cluster.some]
  locals {
    main = pod.web.container["main"]
  }
  expect "it exits 0" {
    condition = local.main.exit_code == 0
  }
}
scenario "rows" {
  clusters = [cluster.v129]
  matrix { grace = [5, 30] }
  sleep "a little" { duration = "1s" }
}
`

func module(t *testing.T) *dsl.Module {
	t.Helper()
	m, problems := dsl.LoadFS(fstest.MapFS{"scenario.hcl": {Data: []byte(scenario)}}, "scenario.hcl", dsl.Options{})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	return m
}

var begin = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// after is a time after the begin.
func after(seconds float64) time.Time {
	return begin.Add(time.Duration(seconds * float64(time.Second)))
}

// records are those of a pod whose container runs from 2 to 4 s, and whose line
// of 3 s is read at 6 s.
func records() []collectors.Record {
	pod := collectors.Object{Kind: "Pod", Namespace: "lab-exits", Name: "web", UID: "u1"}
	state := func(at float64, status, state string, run *collectors.ContainerRun) collectors.Record {
		return collectors.Record{Time: after(at), Received: after(at), Precision: time.Second, Source: collectors.SourceAPI, Type: collectors.TypePod, Object: pod,
			Pod: &collectors.Pod{Phase: "Running", Status: status, Ready: "1/1", CreatedAt: after(1), Node: "node-1", Containers: []collectors.Container{
				{Name: "main", Kind: collectors.KindMain, Image: "busybox:1.35", ID: "c1", State: state, Current: run},
			}}}
	}
	task := func(at float64, kind collectors.Type) collectors.Record {
		return collectors.Record{Time: after(at), Received: after(at), Precision: 1, Source: collectors.SourceRuntime, Type: kind, Object: pod,
			Container: "main", Task: &collectors.Task{ID: "c1", Node: "node-1"}}
	}
	return []collectors.Record{
		state(1.5, "Pending", "waiting", nil),
		task(2, collectors.TypeTaskStart),
		state(2.5, "Running", "running", &collectors.ContainerRun{ID: "c1", StartedAt: after(2)}),
		task(4, collectors.TypeTaskExit),
		state(5, "Completed", "terminated", &collectors.ContainerRun{ID: "c1", StartedAt: after(2), FinishedAt: after(4)}),
		{Time: after(3), Received: after(6), Precision: 1, Source: collectors.SourceLog, Type: collectors.TypeLog, Object: pod,
			Container: "main", Log: &collectors.Log{Text: "hello"}},
	}
}

// record writes the folder of a run, with a report where that is asked for.
func record(t *testing.T, withReport bool) string {
	t.Helper()
	j, err := journal.Create(t.TempDir(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	for i, key := range []string{"exits/v129", `rows[grace=5,image="a/b[1]"]/all["x/y"]`} {
		err = errors.Join(err, j.Begin(key, after(100*float64(i)), nil))
	}
	for i, r := range records() {
		r.Seq = uint64(i + 1)
		err = errors.Join(err, j.Record("exits/v129", r))
	}
	if err = errors.Join(err, j.Close()); err != nil {
		t.Fatal(err)
	}
	if withReport {
		err = report.Save(j.Dir(), report.Report{
			Version: report.ModelVersion, ID: "r1", Clusters: []report.Cluster{{Name: "v129", Version: "1.29.15", Nodes: []string{"node-1"}, Runtime: "containerd://2.3.4", Cgroup: 2}},
			Runs: []report.ScenarioRun{{Scenario: "exits", Cluster: "v129", Namespace: "lab-exits"}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return j.Dir()
}

func open(t *testing.T, withReport bool) *replay.Recording {
	t.Helper()
	rec, err := replay.Open(record(t, withReport))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func eval(t *testing.T, v *replay.View, text string) string {
	t.Helper()
	expr, diags := value.ParseExpression([]byte(text), "test")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	got, diags := v.Values().Eval(expr)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return value.Format(got)
}

func TestWhatARunHolds(t *testing.T) {
	rec := open(t, false)
	want := []replay.ScenarioRun{
		{Key: "exits/v129", Scenario: "exits", Cluster: "v129", Begin: begin, End: after(6), Records: 6},
		{Key: `rows[grace=5,image="a/b[1]"]/all["x/y"]`, Scenario: `rows[grace=5,image="a/b[1]"]`, Cluster: `all["x/y"]`, Begin: after(100), End: after(100)},
	}
	if diff := cmp.Diff(want, rec.Runs); diff != "" {
		t.Error(diff)
	}
	if got := rec.Runs[0].Elapsed(); got != 6*time.Second {
		t.Errorf("it took %s", got)
	}
	for _, tt := range []struct {
		scenarios, clusters string
		want                int
	}{{"", "", 2}, {"exits", "", 1}, {"", "v129", 1}, {"rows", "all", 1}, {"rows", "all[x/y]", 1}, {"exit", "", 0}, {"exits", "all", 0},
		{"", "v129,all", 2}, {"exit*", "", 1}, {"*", "v12?", 1}} {
		if got := rec.Find(selection.Split(tt.scenarios), selection.Split(tt.clusters)); len(got) != tt.want {
			t.Errorf("%q on %q: %v", tt.scenarios, tt.clusters, got)
		}
	}
}

func TestWhatWasKnownAtAMoment(t *testing.T) {
	for _, withReport := range []bool{true, false} {
		rec, m := open(t, withReport), module(t)
		tests := []struct {
			at   time.Duration
			expr string
			want string
		}{
			{0, "pod.web.status", value.NotObserved},
			{1500 * time.Millisecond, "pod.web.status", `"Pending"`},
			{2 * time.Second, "local.main.started_at", "2"},
			{2 * time.Second, "local.main.exit_code", value.NotObserved},
			{4 * time.Second, "local.main.exit_code", "0"},
			{4 * time.Second, "pod.web.status", `"Running"`},
			{5 * time.Second, "local.main.finished_at - local.main.started_at", "2"},
			{5 * time.Second, "local.main.log.text", `""`},
			{-1, "local.main.log.text", `"hello\n"`},
			{-1, "pod.web.statuses", `["Pending", "Running", "Completed"]`},
			{-1, "target.name", `"v129"`},
			{-1, "target.native_sidecars", "true"},
		}
		for _, tt := range tests {
			view, err := rec.At(m, rec.Runs[0], tt.at)
			if err != nil {
				t.Fatal(err)
			}
			if got := eval(t, view, tt.expr); got != tt.want {
				t.Errorf("report %t, at %s: %s = %s, want %s", withReport, tt.at, tt.expr, got, tt.want)
			}
		}
		view, err := rec.At(m, rec.Runs[0], -1)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"kubernetes": `"1.29.15"`, "nodes": `["node-1"]`, "runtime": `"containerd://2.3.4"`, "cgroup": "2"}
		for name, known := range want {
			if !withReport {
				known = value.NotObserved
			}
			if got := eval(t, view, "target."+name); got != known {
				t.Errorf("report %t: target.%s = %s, want %s", withReport, name, got, known)
			}
		}
		if (view.Namespace == "lab-exits") != withReport {
			t.Errorf("report %t: namespace %q", withReport, view.Namespace)
		}
	}
}

func TestExpectationsAreJudgedAgain(t *testing.T) {
	rec, m := open(t, true), module(t)
	view, err := rec.At(m, rec.Runs[0], -1)
	if err != nil {
		t.Fatal(err)
	}
	d := expect.New(m.Scenarios[0].Steps[0].Action.(*dsl.Expect), view.Scope())
	if _, decided := d.Begin(after(6)); decided || !d.Asks() {
		t.Errorf("what is so already is asked about: decided %t", decided)
	}
	verdict, decided := d.Observe(after(6), nil)
	if !decided || verdict.Status != expect.Pass {
		t.Errorf("decided %t: %s, %s", decided, verdict.Status, verdict.Reason)
	}
}

func TestBeforeAnythingRuns(t *testing.T) {
	m := module(t)
	for _, tt := range []struct{ cluster, expr, want string }{
		{"v129", "target.minor", "29"},
		{"v129", "target.kubernetes", value.NotObserved},
		{"v128", "target.kubernetes", `"1.28.15"`},
		{"v128", "target.native_sidecars", "true"},
		{"some", "target.minor", value.NotObserved},
		{"some", "target.native_sidecars", value.NotObserved},
		{"", "target.name", value.NotObserved},
		{"v129", "pod.web.status", value.NotObserved},
		{"v129", "local.main.exit_code", value.NotObserved},
	} {
		var on *dsl.Cluster
		for _, c := range m.Clusters {
			if c.Name == tt.cluster {
				on = c
			}
		}
		if got := eval(t, replay.Before(m, m.Scenarios[0], on), tt.expr); got != tt.want {
			t.Errorf("on %q: %s = %s, want %s", tt.cluster, tt.expr, got, tt.want)
		}
	}
	if got := eval(t, replay.Before(m, m.Scenarios[2], nil), "matrix.grace"); got != "30" {
		t.Errorf("matrix.grace = %s", got)
	}
	if got := eval(t, replay.Before(m, nil, nil), "1 + 1"); got != "2" {
		t.Errorf("1 + 1 = %s", got)
	}
}

func TestARunOfAnotherScenarioIsToldOf(t *testing.T) {
	rec, m := open(t, true), module(t)
	for _, tt := range []struct {
		run  replay.ScenarioRun
		want string
	}{
		{replay.ScenarioRun{Scenario: "other", Cluster: "v129"}, `of the scenario "other", and scenario.hcl has exits, rows[grace=5]`},
		{replay.ScenarioRun{Scenario: "exits", Cluster: "v137"}, `on the cluster "v137", and scenario.hcl has v129`},
	} {
		if _, err := rec.At(m, tt.run, -1); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want one with %q", err, tt.want)
		}
	}
}

func TestAJournalThatWasCut(t *testing.T) {
	dir := record(t, false)
	name := filepath.Join(dir, journal.File)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut <= len(whole); cut += 7 {
		if err := os.WriteFile(name, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		rec, err := replay.Open(dir)
		if err != nil {
			t.Fatalf("cut at byte %d: %v", cut, err)
		}
		for _, r := range rec.Runs {
			if _, err := rec.Timeline(r, -1); err != nil {
				t.Fatalf("cut at byte %d: %v", cut, err)
			}
		}
	}
	if err := os.WriteFile(name, []byte("no journal\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := replay.Open(dir); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a damaged journal: %v", err)
	}
	if _, err := replay.Open(t.TempDir()); err == nil {
		t.Error("a folder without a journal was opened")
	}
}
