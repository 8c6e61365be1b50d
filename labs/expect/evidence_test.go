package expect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kind-lab/lab/collectors"
)

func TestGapsConcern(t *testing.T) {
	const main = `job.myapp.pod.container["main"]`
	api, runtime, logs := collectors.SourceAPI, collectors.SourceRuntime, collectors.SourceLog
	node := func(name string) collectors.Object { return collectors.Object{Kind: "Node", Name: name} }
	pod := podObject("myapp-x", "p")
	tests := []struct {
		condition string
		source    collectors.Source
		object    collectors.Object
		container string
		want      bool
	}{
		{main + ".exit_code == 0", runtime, collectors.Object{}, "", true},
		{main + ".exit_code == 0", runtime, node("node1"), "", true},
		{main + ".exit_code == 0", runtime, node("node2"), "", false},
		{main + ".exit_code == 0", runtime, pod, "main", true},
		{main + ".exit_code == 0", runtime, pod, "side", false},
		{main + ".exit_code == 0", runtime, podObject("other", "o"), "", false},
		{main + ".exit_code == 0", logs, pod, "main", false},
		{main + ".exit_code == 0", api, pod, "", true},
		{main + ".exit_code == 0", api, podObject("myapp-later", "l"), "", true},
		{main + ".ready", runtime, pod, "main", true}, // what ended is not ready
		{main + ".ready", api, pod, "", true},
		{`job.myapp.pod.status == "x"`, runtime, pod, "", false},
		{`job.myapp.pod.start_order == []`, runtime, pod, "", true},
		{"job.myapp.complete", runtime, pod, "", false},
		{`logged(` + main + `, "x")`, logs, pod, "main", true},
		{`logged(` + main + `, "x")`, logs, pod, "side", false},
		{main + `.log.text == ""`, api, pod, "", true}, // which pod is the newest
		{`pod["myapp-x"].phase == "x"`, api, pod, "", true},
		{`pod["myapp-x"].phase == "x"`, api, podObject("other", "o"), "", false},
		{`pod[join("-", ["myapp", "x"])].phase == null`, api, podObject("other", "o"), "", false},
		{`pod["nobody"].container["c"].exit_code == 0`, runtime, node("node2"), "", false}, // the API tells of pods
		{"job.myapp.complete", api, collectors.Object{Kind: "Pod"}, "", false},
		{"job.myapp.complete", api, collectors.Object{Kind: "Job"}, "", true},
		{`job.myapp.pod.status == "x"`, api, collectors.Object{Kind: "Pod"}, "", true},
		{`job.myapp.pod.status == "x"`, api, collectors.Object{Kind: "Job"}, "", true},
		{`pod["myapp-x"].phase == "x"`, api, collectors.Object{Kind: "Pod"}, "", true},
		{`pod["myapp-x"].phase == "x"`, api, collectors.Object{Kind: "Job"}, "", false},
		{"job.myapp == null", api, collectors.Object{Kind: "Pod"}, "", true},
		{"job.myapp == null", api, collectors.Object{Kind: "Job"}, "", true},
		{`pod["myapp-x"].phase == "x"`, api, collectors.Object{Kind: "Deployment"}, "", false},
		{"step.s.error == null", api, collectors.Object{}, "", false},
		{"target.minor == 1", api, collectors.Object{}, "", false},
	}
	for i, test := range tests {
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
