package expect

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
)

// TestPictureOfHiddenEvidence holds the picture of the chapter "What a verdict
// means" to what its conditions are before, in and after a gap of all sources.
func TestPictureOfHiddenEvidence(t *testing.T) {
	page, err := os.ReadFile("../../dsl/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(page), "before   in it    after\n")
	rows, _, found := strings.Cut(rows, "\n```")
	if !found {
		t.Fatal("the chapter has no picture")
	}
	type row struct {
		expr hcl.Expression
		want []string
		got  []string
	}
	b := newRealFixture()
	b.scope.Locals = map[string]hcl.Expression{"app": b.src.expr(t, `pod.web.container["app"]`)}
	var all []*row
	for _, line := range strings.Split(rows, "\n") {
		cells := regexp.MustCompile(" {2,}").Split(line, -1)
		if len(cells) != 4 {
			t.Fatalf("%q has %d cells", line, len(cells))
		}
		all = append(all, &row{expr: b.src.expr(t, cells[0]), want: cells[1:]})
	}
	look := func() {
		for _, r := range all {
			f, diags := b.scope.Now().Find(r.expr)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			is, _ := truthOf(r.expr, f.Value)
			r.got = append(r.got, is.String())
		}
	}
	sources := []collectors.Source{collectors.SourceAPI, collectors.SourceRuntime, collectors.SourceLog}
	add := func(records ...collectors.Record) {
		for _, r := range records {
			b.tl.Add(r)
		}
	}
	add(ofWeb(jobRecord(1, collectors.Job{Active: 1})), webRecord(2, "Pending"), ofWeb(taskRecord(collectors.TypeTaskStart, 3, "app", "a0", 0)),
		ofWeb(logRecord(4, "app", "serving")), webRecord(5, "Running"))
	look()
	for _, s := range sources {
		add(gapRecord(8, 7, 0, s, collectors.Object{}))
	}
	look()
	add(webRecord(10, "Running"))
	for _, s := range sources {
		add(gapRecord(10, 7, 10, s, collectors.Object{}))
	}
	look()
	for i, r := range all {
		if got := strings.Join(r.got, " "); got != strings.Join(r.want, " ") {
			t.Errorf("%s: %s, but the page says %s", strings.Split(rows, "\n")[i], got, r.want)
		}
	}
}

// ofWeb is a record of the Job "web" or its pod "web".
func ofWeb(r collectors.Record) collectors.Record {
	r.Object.Name = "web"
	if r.Object.Kind == "Pod" {
		r.Object.UID = "w"
	}
	return r
}

// webRecord is the pod "web" of the Job "web" with its container "app".
func webRecord(received float64, status string) collectors.Record {
	app := collectors.Container{Name: "app", Kind: collectors.KindMain, Image: "busybox:1.35", State: "waiting"}
	if status == "Running" {
		app = mainRunning(3)
		app.Name, app.ID, app.Current = "app", "a0", &collectors.ContainerRun{ID: "a0", StartedAt: at(3)}
	}
	r := ofWeb(podRecord(received, "web", "w", status, status, app))
	r.Pod.Owner.Name = "web"
	return r
}

// TestWhatAGapDoes holds the chapter's table of what a gap does to what was
// asked.
func TestWhatAGapDoes(t *testing.T) {
	of := collectors.Object{Kind: "Job"}
	gap := []collectors.Record{gapRecord(12, 11, 0, collectors.SourceAPI, of), gapRecord(13, 11, 13, collectors.SourceAPI, of)}
	for _, test := range []struct {
		name         string
		within, hold float64
		outcome      string
		at10, at15   truth
		want         Status
	}{
		{"within, seen", 20, 0, "", truthFalse, truthTrue, Pass},
		{"within, not seen", 20, 0, "", truthFalse, truthFalse, Error},
		{"hold", 0, 10, "", truthTrue, truthTrue, Error},
		{"not within", 20, 0, "false", truthFalse, truthFalse, Error},
		{"not within, seen", 20, 0, "false", truthFalse, truthTrue, Fail},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newFixture()
			e := b.expect(t, "job.flag.c", test.within, test.hold)
			e.Outcome = b.src.expr(t, test.outcome)
			records := append([]collectors.Record{flagRecord(9, test.at10)}, append(gap, flagRecord(15, test.at15))...)
			if v := b.run(t, e, 10, records...); v.Status != test.want {
				t.Errorf("%v, want %v: %s", v.Status, test.want, v.Reason)
			}
		})
	}
	for at15, want := range map[truth]Status{truthTrue: Error, truthFalse: Fail} {
		b := newFixture()
		i := &dsl.Invariant{Condition: b.src.expr(t, "job.flag.c")}
		records := append([]collectors.Record{flagRecord(9, truthTrue)}, append(gap, flagRecord(15, at15))...)
		if v := b.watch(t, i, 10, 30, records...); v.Status != want {
			t.Errorf("an invariant: %v, want %v: %s", v.Status, want, v.Reason)
		}
	}
}
