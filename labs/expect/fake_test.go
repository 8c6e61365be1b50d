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

// flagEvaluator is an evaluator for the Job "flag", whose Active tells the truth of
// everything it is asked: 1 false, 2 true, else unknown; 9 is an error.
type flagEvaluator struct{ o Observed }

func (f flagEvaluator) Eval(expr hcl.Expression) (cty.Value, hcl.Diagnostics) {
	if v, diags := expr.Value(nil); !diags.HasErrors() {
		return v, nil
	}
	job := f.o.Jobs["flag"]
	if job == nil {
		return cty.UnknownVal(cty.Bool), nil
	}
	switch job.Active {
	case 1:
		return cty.False, nil
	case 2:
		return cty.True, nil
	case 9:
		return cty.NilVal, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Broken", Detail: "It broke.", Subject: expr.Range().Ptr()}}
	}
	return cty.UnknownVal(cty.Bool), nil
}

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

// bench drives a decider as an engine does.
type bench struct {
	tl    *collectors.Timeline
	scope *Scope
	src   *source
}

// newBench is a bench whose conditions are the flag's truth.
func newBench() *bench {
	b := &bench{tl: collectors.NewTimeline(base), src: newSource()}
	b.scope = &Scope{
		Timeline: b.tl, Namespace: "ns", Files: b.src.files,
		Evaluator: func(o Observed) Evaluator { return flagEvaluator{o} },
	}
	return b
}

// newRealBench is a bench whose conditions are judged over what was observed.
func newRealBench() *bench {
	b := newBench()
	shared := value.NewShared(nil, "")
	b.scope.Evaluator = func(o Observed) Evaluator {
		return &value.Scope{
			Shared: shared,
			Vars:   cty.ObjectVal(map[string]cty.Value{"secret": cty.StringVal("hunter2").Mark(value.Sensitive), "n": cty.NumberIntVal(3)}),
			Target: &value.Target{Name: "v128", Minor: 28}, Pods: o.Pods, Jobs: o.Jobs, Steps: o.Steps, ScenarioLocals: b.scope.Locals, Extra: o.Extra, Cache: o.Cache,
		}
	}
	return b
}

func (b *bench) expect(t testing.TB, condition string, within, hold float64) *dsl.Expect {
	t.Helper()
	return &dsl.Expect{Name: "it works", Condition: b.src.expr(t, condition), Within: sec(within), Hold: sec(hold)}
}

// run begins at a time and adds the records as they are received, waking the
// decider at its deadlines. What was received by then is there already.
func (b *bench) run(t testing.TB, e *dsl.Expect, begin float64, records ...collectors.Record) Verdict {
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
	for !done && len(records) > 0 {
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
