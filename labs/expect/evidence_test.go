package expect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kind-lab/lab/collectors"
)

const gapMain = `job.myapp.pod.container["main"]`

func nodeObject(name string) collectors.Object { return collectors.Object{Kind: "Node", Name: name} }

// gapCases are conditions with gaps that concern them, and that do not.
var gapCases = []struct {
	condition string
	source    collectors.Source
	object    collectors.Object
	container string
	want      bool
}{
	{gapMain + ".exit_code == 0", collectors.SourceRuntime, collectors.Object{}, "", true},
	{gapMain + ".exit_code == 0", collectors.SourceRuntime, nodeObject("node1"), "", true},
	{gapMain + ".exit_code == 0", collectors.SourceRuntime, nodeObject("node2"), "", false},
	{gapMain + ".exit_code == 0", collectors.SourceRuntime, podObject("myapp-x", "p"), "main", true},
	{gapMain + ".exit_code == 0", collectors.SourceRuntime, podObject("myapp-x", "p"), "side", false},
	{gapMain + ".exit_code == 0", collectors.SourceRuntime, podObject("other", "o"), "", false},
	{gapMain + ".exit_code == 0", collectors.SourceLog, podObject("myapp-x", "p"), "main", false},
	{gapMain + ".exit_code == 0", collectors.SourceAPI, podObject("myapp-x", "p"), "", true},
	{gapMain + ".exit_code == 0", collectors.SourceAPI, podObject("myapp-later", "l"), "", true},
	{gapMain + ".ready", collectors.SourceRuntime, podObject("myapp-x", "p"), "main", true}, // what ended is not ready
	{gapMain + ".ready", collectors.SourceAPI, podObject("myapp-x", "p"), "", true},
	{`job.myapp.pod.status == "x"`, collectors.SourceRuntime, podObject("myapp-x", "p"), "", false},
	{`job.myapp.pod.start_order == []`, collectors.SourceRuntime, podObject("myapp-x", "p"), "", true},
	{"job.myapp.complete", collectors.SourceRuntime, podObject("myapp-x", "p"), "", false},
	{`logged(` + gapMain + `, "x")`, collectors.SourceLog, podObject("myapp-x", "p"), "main", true},
	{`logged(` + gapMain + `, "x")`, collectors.SourceLog, podObject("myapp-x", "p"), "side", false},
	{gapMain + `.log.text == ""`, collectors.SourceAPI, podObject("myapp-x", "p"), "", true}, // which pod is the newest
	{`pod["myapp-x"].phase == "x"`, collectors.SourceAPI, podObject("myapp-x", "p"), "", true},
	{`pod["myapp-x"].phase == "x"`, collectors.SourceAPI, podObject("other", "o"), "", false},
	{`pod[join("-", ["myapp", "x"])].phase == null`, collectors.SourceAPI, podObject("other", "o"), "", false},
	{`pod["nobody"].container["c"].exit_code == 0`, collectors.SourceRuntime, nodeObject("node2"), "", false}, // the API tells of pods
	{"job.myapp.complete", collectors.SourceAPI, collectors.Object{Kind: "Pod"}, "", false},
	{"job.myapp.complete", collectors.SourceAPI, collectors.Object{Kind: "Job"}, "", true},
	{`job.myapp.pod.status == "x"`, collectors.SourceAPI, collectors.Object{Kind: "Pod"}, "", true},
	{`job.myapp.pod.status == "x"`, collectors.SourceAPI, collectors.Object{Kind: "Job"}, "", true},
	{`pod["myapp-x"].phase == "x"`, collectors.SourceAPI, collectors.Object{Kind: "Pod"}, "", true},
	{`pod["myapp-x"].phase == "x"`, collectors.SourceAPI, collectors.Object{Kind: "Job"}, "", false},
	{"job.myapp == null", collectors.SourceAPI, collectors.Object{Kind: "Pod"}, "", true},
	{"job.myapp == null", collectors.SourceAPI, collectors.Object{Kind: "Job"}, "", true},
	{`pod["myapp-x"].phase == "x"`, collectors.SourceAPI, collectors.Object{Kind: "Deployment"}, "", false},
	{"step.s.error == null", collectors.SourceAPI, collectors.Object{}, "", false},
	{"target.minor == 1", collectors.SourceAPI, collectors.Object{}, "", false},
}

func TestGapsConcern(t *testing.T) {
	for i, test := range gapCases {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			b := newRealFixture()
			for _, r := range story() {
				b.tl.Add(r)
			}
			gap := gapRecord(20, 19, 20, test.source, test.object)
			gap.Container = test.container
			b.tl.Add(gap)
			e := b.expect(t, test.condition, 0, 0)
			d := New(e, b.scope)
			d.Begin(at(15))
			ev := d.evidence()
			got := ev.gaps().between(ev.reads, at(15), at(25)) != nil
			if got != test.want {
				t.Errorf("%s, a gap of %s of %v: concerns is %v, want %v", test.condition, test.source, test.object, got, test.want)
			}
		})
	}
}

func TestLinesThatAreNoLongerThere(t *testing.T) {
	b := newRealFixture()
	for _, r := range story() {
		b.tl.Add(r)
	}
	for range collectors.MaxLogLines + 1 {
		b.tl.Add(logRecord(9, "main", "x"))
	}
	e := b.expect(t, `length(regexall("absent", job.myapp.pod.container["main"].log.text)) > 0`, 0, 0)
	e.Outcome = b.src.expr(t, "false")
	v := b.run(t, e, 10)
	if v.Status != Error || !strings.Contains(v.Reason, `lines were no longer kept: the first 2 of the log of container "main"`) {
		t.Errorf("%v: %s", v.Status, v.Reason)
	}
}

func TestSpan(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0s", 15: "15s", 60: "60s", 0.25: "0.25s", 300: "5m", 3720: "1h2m", 3600: "1h", 125: "2m5s"} {
		if got := span(sec(seconds)); got != want {
			t.Errorf("span(%v) = %s, want %s", seconds, got, want)
		}
	}
}
