package expect

import (
	"encoding/json"
	"flag"
	"github.com/hashicorp/hcl/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kind-lab/lab/collectors"
)

var update = flag.Bool("update", false, "write the golden files anew")

// story is a Job whose main container ends and whose helper does not.
func story() []collectors.Record {
	side := collectors.Container{
		Name: "side", Kind: collectors.KindMain, Image: "busybox", ID: "s0", State: "running", Ready: true,
		Current: &collectors.ContainerRun{ID: "s0", StartedAt: at(2)},
	}
	return []collectors.Record{
		jobRecord(1, collectors.Job{Active: 1, StartedAt: at(1)}),
		podRecord(1.2, "myapp-x", "p", "Pending", "ContainerCreating", collectors.Container{Name: "main"}, collectors.Container{Name: "side"}),
		taskRecord(collectors.TypeTaskStart, 2.25, "main", "m0", 0),
		taskRecord(collectors.TypeTaskStart, 2.5, "side", "s0", 0),
		podRecord(3.1, "myapp-x", "p", "Running", "Running", mainRunning(2), side),
		logRecord(4, "main", "working"),
		taskRecord(collectors.TypeTaskExit, 8.125, "main", "m0", 0),
		podRecord(9.1, "myapp-x", "p", "Running", "NotReady", mainDone(0, "Completed"), side),
	}
}

func TestVerdicts(t *testing.T) {
	const main, side = `job.myapp.pod.container["main"]`, `job.myapp.pod.container["side"]`
	tests := []struct {
		name, condition, outcome, when, message string
		locals                                  map[string]string
		within, hold                            float64
		more                                    []collectors.Record
		want                                    Status
		reason                                  string
	}{
		{name: "never terminated", condition: side + ".exit_code == 0", within: 60, want: Fail,
			message: `"the helper of job myapp ended with ${` + side + `.exit_code}, and ${var.secret} is ${var.n}"`,
			reason:  side + `.exit_code == 0 was still unknown after 60s: container "side" of job myapp never terminated`},
		{name: "pass", condition: main + ".exit_code == 0", within: 60, want: Pass,
			reason: main + ".exit_code == 0 was true after 8.135s"},
		{name: "not complete, as expected", condition: "job.myapp.complete", within: 15, outcome: "target.minor > 28", want: Pass,
			reason: "job.myapp.complete was false for the whole 15s, as expected"},
		{name: "held", condition: "!job.myapp.complete", hold: 15, want: Pass,
			reason: "!job.myapp.complete was true for the whole 15s"},
		{name: "the last difference", condition: `job.myapp.pod.status == "Completed"`, within: 20, want: Fail,
			reason: `job.myapp.pod.status == "Completed" was still false after 20s: job.myapp.pod.status was "NotReady"`},
		{name: "a gap", condition: "job.myapp.complete", within: 15, outcome: "false", want: Error,
			more:   []collectors.Record{gapRecord(12, 11, 12, collectors.SourceAPI, collectors.Object{})},
			reason: `the source "api" saw nothing from 11.000s to 12.000s of the run (watch lost), so this could not be decided; from what was observed: job.myapp.complete was false for the whole 15s, as expected`},
		{name: "skip", condition: "job.myapp.complete", when: "target.minor >= 29", want: Skip,
			reason: "does not apply here: `when` is target.minor >= 29, which is false: target.minor was 28"},
		{name: "no such container", condition: `job.myapp.pod.container["sidecar"].exit_code == 0`, within: 5, want: Error,
			reason: "it could not be evaluated: "},
		{name: "no such pod", condition: "pod.nobody.ready == \"1/1\"", within: 5, want: Fail,
			reason: "was still unknown after 5s: pod nobody was never seen"},
		{name: "no such step", condition: "step.nothing.error == null", want: Fail,
			reason: `was still unknown after 10s: step "nothing" was not done`},
		{name: "neither true nor false", condition: main + ".exit_code", within: 60, want: Error,
			reason: "it could not be evaluated: Neither true nor false: A condition must be true or false: this is a number, 0. Compare it"},
		{name: "by way of a local", condition: "local.ended", within: 5, want: Fail, locals: map[string]string{"ended": side + ".exit_code == 0"},
			reason: `local.ended was still unknown after 5s: job.myapp.pod.container["side"].exit_code == 0 was unknown, because container "side" of job myapp never terminated`},
		{name: "a log line", condition: `logged(` + main + `, "^work")`, within: 60, want: Pass, reason: "was true after 4.01s"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newRealFixture()
			b.scope.Locals = map[string]hcl.Expression{}
			for name, text := range test.locals {
				b.scope.Locals[name] = b.src.expr(t, text)
			}
			e := b.expect(t, test.condition, test.within, test.hold)
			e.Outcome, e.When, e.Message = b.src.expr(t, test.outcome), b.src.expr(t, test.when), b.src.expr(t, test.message)
			records := append(story(), test.more...)
			v := b.run(t, e, beginOf(test.want, test.within, test.hold), records...)
			if v.Status != test.want || !strings.Contains(v.Reason, test.reason) {
				t.Errorf("%v: %s\nwant %v: %s", v.Status, v.Reason, test.want, test.reason)
			}
			golden(t, strings.NewReplacer(" ", "-", ",", "").Replace(test.name)+".json", v)
		})
	}
}

// beginOf is when an expectation of the story begins: at its beginning where
// it is to become true, else after all of it.
func beginOf(want Status, within, hold float64) float64 {
	if want == Pass && within > 15 && hold == 0 {
		return 0
	}
	return 10
}

// golden compares a value's JSON with a file below testdata.
func golden(t *testing.T, name string, v any) {
	t.Helper()
	got, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: write it with -update", err)
	}
	if string(want) != string(got) {
		t.Errorf("%s differs: write it anew with -update and look at the difference\n%s", path, got)
	}
}

func TestVerdictsAreReadBack(t *testing.T) {
	for s := Pending; s <= Error; s++ {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back Status
		if err := json.Unmarshal(text, &back); err != nil || back != s {
			t.Errorf("%s read back is %v: %v", text, back, err)
		}
	}
	var s Status
	if err := json.Unmarshal([]byte(`"maybe"`), &s); err == nil {
		t.Error("an unknown status is read")
	}
}

func BenchmarkObserve(b *testing.B) {
	fixture := newRealFixture()
	for _, r := range story() {
		fixture.tl.Add(r)
	}
	d := New(fixture.expect(b, `!job.myapp.complete && job.myapp.pod.container["main"].exit_code == 0`, 0, 1e6), fixture.scope)
	d.Begin(at(10))
	r := jobRecord(10, collectors.Job{Active: 1})
	b.ReportAllocs()
	for b.Loop() {
		if v, done := d.Observe(at(10), &r); done {
			b.Fatal(v.Reason)
		}
	}
}
