package expect

import (
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/collectors"
)

func TestRelevance(t *testing.T) {
	const main = `job.myapp.pod.container["main"]`
	pod, task := podRecord(1, "myapp-x", "p", "Running", "Running"), taskRecord(collectors.TypeTaskExit, 2, "main", "m0", 0)
	foreign, side := podRecord(1, "other", "o", "Running", "Running"), taskRecord(collectors.TypeTaskExit, 2, "side", "s0", 0)
	foreign.Pod.Owner = nil
	elsewhere := podRecord(1, "myapp-x", "p", "Running", "Running")
	elsewhere.Object.Namespace = "elsewhere"
	job, hello := jobRecord(1, collectors.Job{}), logRecord(3, "main", "hello world")
	step := collectors.Record{Type: collectors.TypeStep, Step: &collectors.Step{Name: "s"}, Object: collectors.Object{Kind: "Step", Name: "s"}}
	of := func(kind string) collectors.Record {
		return collectors.Record{Type: "new", Object: collectors.Object{Kind: kind, Namespace: "ns", Name: "x"}}
	}
	for _, test := range []struct {
		condition string
		record    collectors.Record
		want      bool
	}{
		{"job.myapp.complete", job, true},
		{"job.myapp.complete", pod, true}, // its pods are part of it
		{"job.other.complete", job, false},
		{"job.other.complete", pod, false},
		{"job.myapp.complete", elsewhere, false},
		{"job.myapp.complete", gapRecord(1, 1, 2, collectors.SourceAPI, collectors.Object{}), false},
		{"job.a-name-that-is-so-long-that-its-pods-names-begin-with-less-of-it.complete", task, true},
		{main + ".exit_code == 0", task, true},
		{main + ".exit_code == 0", side, false},
		{"job.myapp.pod.start_order == []", side, true},
		{`pod["myapp-x"].phase == "x"`, task, true},
		{`pod["myapp-x"].phase == "x"`, foreign, false},
		{`pod[local.name].phase == "x"`, foreign, true},
		{"step.s.error == null", step, true},
		{"step.t.error == null", step, false},
		{"step.t.error == null", pod, false},
		{"target.minor > 2 && var.n == 3", pod, false},
		{"unheard.of == 1", pod, true},
		{"iterator.value == 1", pod, false},
		{`object("v1", "Pod", "x") == null`, foreign, true},
		{"job.myapp.complete", of("Deployment"), true},
		{"local.deep", side, true},
		{main + ".exit_code == 0", hello, false},
		{`logged(` + main + `, "^hello")`, hello, true},
		{`logged(` + main + `, "bye")`, hello, false},
		{`logged(` + main + `, var.secret)`, hello, true},
		{`logged(` + main + `, "bye") || ` + main + `.log.text == ""`, hello, true},
		{`anytrue([for c in job.myapp.pod.containers : logged(c, "bye")])`, hello, false},
		{`anytrue([for c in job.myapp.pod.containers : jsonencode(c) == "x"])`, hello, true},
		{`anytrue([for c in job.myapp.pod.containers : c.log.text == "x"])`, hello, true},
		{`length(job.myapp.pods) == 1`, hello, false},
		{`jsonencode(job.myapp.pods) == "x"`, hello, true},
		{`length(job.myapp.pod.containers[*].log) == 1`, hello, true},
	} {
		t.Run(test.condition, func(t *testing.T) {
			b := newRealBench()
			b.scope.Locals = map[string]hcl.Expression{"deep": b.src.expr(t, "job.myapp.pod.start_order == []"), "name": b.src.expr(t, `"x"`)}
			b.scope = b.scope.With(map[string]cty.Value{"iterator": cty.ObjectVal(map[string]cty.Value{"value": cty.Zero})})
			d := New(b.expect(t, test.condition, 0, 0), b.scope)
			if got := d.relevance.concerns(&test.record); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

// TestExtraRoots hands the roots of a step to its expressions.
func TestExtraRoots(t *testing.T) {
	b := newRealBench()
	b.scope.Extra = map[string]cty.Value{"matrix": cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("myapp-x")})}
	plain := b.scope
	b.scope = plain.With(map[string]cty.Value{"each": cty.ObjectVal(map[string]cty.Value{"value": cty.StringVal("NotReady")})})
	if plain.With(nil) != plain || len(plain.Extra) != 1 || len(b.scope.Extra) != 2 {
		t.Errorf("%v and %v", plain.Extra, b.scope.Extra)
	}
	v := b.run(t, b.expect(t, "pod[matrix.name].status == each.value", 60, 0), 0, story()...)
	if v.Status != Pass || v.DecidedAt != 9.1 || v.References[0].Expression != `pod["myapp-x"].status` {
		t.Errorf("%v at %v: %s %+v", v.Status, v.DecidedAt, v.Reason, v.References)
	}
}
