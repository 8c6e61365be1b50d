package expect

import (
	"math"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
)

// base is when the runs of these tests begin.
var base = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// at is base and so many seconds.
func at(seconds float64) time.Time {
	return base.Add(sec(seconds))
}

func sec(seconds float64) time.Duration { return time.Duration(math.Round(seconds * 1e9)) }

// source is a scenario file that holds one expression for each line.
type source struct {
	bytes []byte
	files map[string]*hcl.File
}

func newSource() *source {
	s := &source{files: map[string]*hcl.File{}}
	s.files["scenario.hcl"] = &hcl.File{}
	return s
}

// expr parses an expression on a line of its own.
func (s *source) expr(t testing.TB, text string) hcl.Expression {
	t.Helper()
	if text == "" {
		return nil
	}
	begin := len(s.bytes)
	s.bytes = append(s.bytes, "  x = "+text+"\n"...)
	s.files["scenario.hcl"].Bytes = s.bytes
	line := 1
	for _, b := range s.bytes[:begin] {
		if b == '\n' {
			line++
		}
	}
	expr, diags := hclsyntax.ParseExpression([]byte(text), "scenario.hcl", hcl.Pos{Line: line, Column: 7, Byte: begin + 6})
	if diags.HasErrors() {
		t.Fatalf("%s: %v", text, diags)
	}
	value.Prepare(expr)
	return expr
}

// fakeEvaluator is an evaluator for the Job "flag", whose state tells the truth
// of everything it is asked: 1 false, 2 true, else unknown; 9 is an error.
type fakeEvaluator struct {
	o Observed
	// is is the truth of an expression, if that is not the flag's Active.
	is func(hcl.Expression, *value.Job) truth
}

func (f fakeEvaluator) Find(expr hcl.Expression) (value.Finding, hcl.Diagnostics) {
	if v, diags := expr.Value(nil); !diags.HasErrors() {
		return value.Finding{Value: v}, nil
	}
	found := value.Finding{Value: cty.UnknownVal(cty.Bool), Reads: []value.Read{{Stream: value.JobStream, Name: "flag"}}}
	job := f.o.Jobs["flag"]
	if job == nil {
		if why := f.o.Missed[value.JobStream]; why != "" {
			found.Unseen = []string{why}
		}
		return found, nil
	}
	t := truth(job.Active)
	if f.is != nil {
		t = f.is(expr, job)
	}
	switch {
	case t == wrong:
		return value.Finding{Value: cty.DynamicVal}, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Broken", Detail: "It broke.", Subject: expr.Range().Ptr()}}
	case job.Blind != "":
		found.Unseen = []string{job.Blind}
	case t == truthFalse:
		found.Value = cty.False
	case t == truthTrue:
		found.Value = cty.True
	}
	return found, nil
}

func (f fakeEvaluator) EvalMarked(expr hcl.Expression) (cty.Value, hcl.Diagnostics) {
	found, diags := f.Find(expr)
	return found.Value, diags
}

func (f fakeEvaluator) References(expr hcl.Expression) []value.Ref {
	var refs []value.Ref
	for _, t := range expr.Variables() {
		found, _ := f.Find(expr)
		refs = append(refs, value.Ref{
			Expression: value.FormatTraversal(t), Value: value.Format(found.Value), State: value.StateOf(found.Value), Root: t.RootName(), Traversal: t,
		})
	}
	return refs
}

func (f fakeEvaluator) Decisive(hcl.Expression) []value.Part { return nil }

// flagRecord makes the flag's truth so.
func flagRecord(seconds float64, t truth) collectors.Record {
	return collectors.Record{
		Time: at(seconds), Received: at(seconds), Precision: time.Second, Source: collectors.SourceAPI, Type: collectors.TypeJob,
		Object: collectors.Object{Kind: "Job", Namespace: "ns", Name: "flag", UID: "f"}, Job: &collectors.Job{Active: int(t)},
	}
}

func gapRecord(received, from, to float64, source collectors.Source, o collectors.Object) collectors.Record {
	g := &collectors.Gap{From: at(from), Reason: "watch lost", Count: -1}
	if to > 0 {
		g.To = at(to)
	}
	return collectors.Record{Time: at(received), Received: at(received), Source: source, Type: collectors.TypeGap, Object: o, Gap: g}
}

// fixture drives a decider as an engine does.
type fixture struct {
	tl    *collectors.Timeline
	scope *Scope
	src   *source
}

// newFixture is a fixture whose conditions are the flag's truth.
func newFixture() *fixture {
	b := &fixture{tl: collectors.NewTimeline(base), src: newSource()}
	b.scope = &Scope{
		Timeline: b.tl, Namespace: "ns", Files: b.src.files,
		Evaluator: func(o Observed) Evaluator { return fakeEvaluator{o: o} },
	}
	return b
}

// newRealFixture is a fixture whose conditions are judged over what was observed.
func newRealFixture() *fixture {
	b := newFixture()
	shared := value.NewShared(nil, "")
	b.scope.Evaluator = func(o Observed) Evaluator {
		return &value.Scope{
			Shared: shared,
			Vars:   cty.ObjectVal(map[string]cty.Value{"secret": cty.StringVal("hunter2").Mark(value.Sensitive), "n": cty.NumberIntVal(3)}),
			Target: &value.Target{Name: "v128", Minor: 28}, Pods: o.Pods, Jobs: o.Jobs, Steps: o.Steps, Objects: o.Objects, Missed: o.Missed, ScenarioLocals: b.scope.Locals, Extra: o.Extra, Cache: o.Cache,
		}
	}
	return b
}

func (b *fixture) expect(t testing.TB, condition string, within, hold float64) *dsl.Expect {
	t.Helper()
	return &dsl.Expect{Name: "it works", Condition: b.src.expr(t, condition), Within: sec(within), Hold: sec(hold)}
}

// run begins at a time and adds the records as they are received, waking the
// decider at its deadlines. What was received by then is there already.
func (b *fixture) run(t testing.TB, e *dsl.Expect, begin float64, records ...collectors.Record) Verdict {
	t.Helper()
	d := New(e, b.scope)
	if !d.Deadline().IsZero() {
		t.Fatal("a deadline before it began")
	}
	for len(records) > 0 && !records[0].Received.After(at(begin)) {
		b.tl.Add(records[0])
		records = records[1:]
	}
	v, done := d.Begin(at(begin))
	now := at(begin)
	for !done && (len(records) > 0 || d.Asks()) {
		if d.Asks() { // they answer at once
			if v, done = d.Observe(now, nil); done {
				break
			}
			if d.Asks() {
				t.Fatal("it asks again")
			}
			continue
		}
		r := records[0]
		if deadline := d.Deadline(); deadline.Before(r.Received) {
			v, done = d.Observe(deadline, nil)
			if done {
				break
			}
			continue
		}
		records = records[1:]
		b.tl.Add(r)
		now = latest(now, r.Received)
		v, done = d.Observe(r.Received, &r)
	}
	for range 3 {
		if !done {
			v, done = d.Observe(d.Deadline(), nil)
		}
	}
	if !done {
		t.Fatal("not decided at its last deadline")
	}
	if !d.Deadline().IsZero() {
		t.Error("a deadline after it was decided")
	}
	if again, done := d.Observe(at(9999), nil); !done || again.Reason != v.Reason {
		t.Errorf("another verdict after it was decided: %+v", again)
	}
	return v
}
