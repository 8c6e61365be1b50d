package expect

import (
	"strings"
	"testing"

	"github.com/kind-lab/lab/collectors"
)

// change is the flag's truth from a moment on.
type change struct {
	at float64
	t  truth
}

const (
	u = truthUnknown
	f = truthFalse
	y = truthTrue
)

func changes(all ...change) []collectors.Record {
	var records []collectors.Record
	for _, c := range all {
		records = append(records, flagRecord(c.at, c.t))
	}
	return records
}

// deciderCases are the courses that a condition can take.
var deciderCases = []struct {
	name         string
	within, hold float64
	outcome      string
	when         string
	changes      []change
	want         Status
	at           float64
	got          string
	reason       string
}{
	// neither: it must be true now
	{name: "now true", changes: []change{{1, y}}, want: Pass, at: 10, got: "true", reason: "C was true at once"},
	{name: "now false", changes: []change{{1, f}}, want: Fail, at: 10, got: "false", reason: "C was false"},
	{name: "unknown, then true", changes: []change{{12, y}}, want: Pass, at: 12, got: "true", reason: "C was true after 2s"},
	{name: "unknown, then false", changes: []change{{12, f}}, want: Fail, at: 12, got: "false"},
	{name: "true when it has to be settled", changes: []change{{20, y}}, want: Pass, at: 20, got: "true"},
	{name: "true too late to be settled", changes: []change{{20.001, y}}, want: Fail, at: 20, got: "unknown", reason: "C was still unknown after 10s: job flag was never seen"},
	{name: "never known", want: Fail, at: 20, got: "unknown"},
	{name: "not expected: now true", outcome: "false", changes: []change{{1, y}}, want: Fail, at: 10, got: "true", reason: "C was true at once, which was not expected"},
	{name: "not expected: now false", outcome: "false", changes: []change{{1, f}}, want: Pass, at: 10, got: "false", reason: "C was false, as expected"},
	{name: "not expected: unknown, then true", outcome: "false", changes: []change{{12, y}}, want: Fail, at: 12, got: "true"},
	{name: "not expected: never known", outcome: "false", want: Pass, at: 20, got: "unknown"},
	// within
	{name: "true from the beginning", within: 60, changes: []change{{1, y}}, want: Pass, at: 10, got: "true"},
	{name: "comes true", within: 60, changes: []change{{1, f}, {30.5, y}}, want: Pass, at: 30.5, got: "true", reason: "C was true after 20.5s"},
	{name: "comes true at the deadline", within: 60, changes: []change{{1, f}, {70, y}}, want: Pass, at: 70, got: "true"},
	{name: "comes true after the deadline", within: 60, changes: []change{{1, f}, {70.001, y}}, want: Fail, at: 70, got: "false", reason: "C was still false after 60s"},
	{name: "never known in time", within: 60, want: Fail, at: 70, got: "unknown", reason: "C was still unknown after 60s: job flag was never seen"},
	{name: "known, then unknown to the end", within: 60, changes: []change{{1, f}, {20, u}}, want: Fail, at: 70, got: "unknown"},
	{name: "was true before only", within: 60, changes: []change{{1, y}, {5, f}}, want: Fail, at: 70, got: "false"},
	{name: "must not come true: false", within: 15, outcome: "false", changes: []change{{1, f}}, want: Pass, at: 25, got: "false", reason: "C was false for the whole 15s, as expected"},
	{name: "must not come true: unknown", within: 15, outcome: "false", want: Pass, at: 25, got: "unknown", reason: "C was never true in the whole 15s, as expected"},
	{name: "must not come true: true at the deadline", within: 15, outcome: "false", changes: []change{{1, f}, {25, y}}, want: Fail, at: 25, got: "true", reason: "C was true after 15s, which was not expected"},
	{name: "must not come true: true for a moment", within: 15, outcome: "false", changes: []change{{1, f}, {12, y}, {12.001, f}}, want: Fail, at: 12, got: "true"},
	{name: "must not come true: after the deadline", within: 15, outcome: "false", changes: []change{{1, f}, {25.001, y}}, want: Pass, at: 25, got: "false"},
	// hold
	{name: "holds", hold: 15, changes: []change{{1, y}}, want: Pass, at: 25, got: "true", reason: "C was true for the whole 15s"},
	{name: "does not begin", hold: 15, changes: []change{{1, f}}, want: Fail, at: 10, got: "false"},
	{name: "breaks", hold: 15, changes: []change{{1, y}, {14.5, f}}, want: Fail, at: 14.5, got: "false", reason: "C was true for only 4.5s of the 15s for which it had to stay true, and then false"},
	{name: "breaks too near to the end", hold: 15, changes: []change{{1, y}, {25, f}}, want: Error, at: 25, got: "false", reason: "it was true until less than 1s before the end of the 15s"},
	{name: "breaks before the end", hold: 15, changes: []change{{1, y}, {24, f}}, want: Fail, at: 24, got: "false"},
	{name: "breaks after the end", hold: 15, changes: []change{{1, y}, {25.001, f}}, want: Pass, at: 25, got: "true"},
	{name: "is not known any more", hold: 15, changes: []change{{1, y}, {14, u}}, want: Fail, at: 14, got: "unknown"},
	{name: "holds from when it is known", hold: 15, changes: []change{{13, y}}, want: Pass, at: 28, got: "true", reason: "C became true after 3s and stayed true for the whole 15s"},
	{name: "never known, so never held", hold: 15, want: Fail, at: 20, got: "unknown"},
	{name: "must not hold: false", hold: 15, outcome: "false", changes: []change{{1, f}}, want: Pass, at: 10, got: "false"},
	{name: "must not hold: breaks", hold: 15, outcome: "false", changes: []change{{1, y}, {14, f}}, want: Pass, at: 14, got: "false", reason: "C was true for only 4s of the 15s for which it must not stay true, and then false, as expected"},
	{name: "must not hold: holds", hold: 15, outcome: "false", changes: []change{{1, y}}, want: Fail, at: 25, got: "true", reason: "C was true for the whole 15s, which was not expected"},
	// within and hold
	{name: "comes true and holds", within: 60, hold: 15, changes: []change{{1, f}, {69, y}}, want: Pass, at: 84, got: "true", reason: "C became true after 59s and stayed true for the whole 15s"},
	{name: "comes true and breaks", within: 60, hold: 15, changes: []change{{1, f}, {30, y}, {40, f}, {41, y}}, want: Fail, at: 40, got: "false"},
	{name: "does not come true", within: 60, hold: 15, changes: []change{{1, f}}, want: Fail, at: 70, got: "false"},
	{name: "must not come true and hold: breaks twice", within: 60, hold: 15, outcome: "false",
		changes: []change{{1, f}, {20, y}, {30, u}, {40, y}, {50, f}}, want: Pass, at: 70, got: "false", reason: "C never became true within 60s and then stayed true for 15s, as expected"},
	{name: "must not come true and hold: the second time", within: 60, hold: 15, outcome: "false",
		changes: []change{{1, f}, {20, y}, {30, f}, {69, y}}, want: Fail, at: 84, got: "true"},
	{name: "must not come true and hold: breaks after the deadline", within: 60, hold: 15, outcome: "false",
		changes: []change{{69, y}, {75, f}}, want: Pass, at: 75, got: "false"},
	{name: "must not come true and hold: begins at the deadline", within: 60, hold: 15, outcome: "false",
		changes: []change{{1, f}, {70, y}}, want: Fail, at: 85, got: "true"},
	// when
	{name: "not to be decided", when: "1 > 2", changes: []change{{1, y}}, want: Skip, at: 10, got: "unknown", reason: "does not apply here: `when` is 1 > 2, which is false"},
	{name: "to be decided", when: "1 < 2", changes: []change{{1, y}}, want: Pass, at: 10, got: "true"},
	{name: "when is null", when: "null", changes: []change{{1, y}}, want: Pass, at: 10, got: "true"},
	{name: "when is known later, within counts from then", when: "job.flag.when", within: 30, changes: []change{{15, y}}, want: Pass, at: 15, got: "true"},
	{name: "when comes out false later", when: "job.flag.when", within: 30, changes: []change{{15, f}}, want: Skip, at: 15, got: "unknown"},
	{name: "when is never known", when: "job.flag.when", within: 30, want: Error, at: 20, got: "unknown", reason: "`when` was still unknown after 10s"},
	{name: "when is known too late", when: "job.flag.when", within: 30, changes: []change{{20.5, y}}, want: Error, at: 20, got: "unknown"},
	{name: "outcome is never known", outcome: "job.flag.o", within: 30, want: Error, at: 20, got: "unknown", reason: "`outcome` was still unknown after 10s"},
	{name: "outcome is null", outcome: "null", changes: []change{{1, y}}, want: Pass, at: 10, got: "true"},
	// errors
	{name: "an error at once", within: 30, changes: []change{{1, 9}}, want: Error, at: 10, got: "unknown", reason: "it could not be evaluated: Broken: It broke."},
	{name: "an error later", within: 30, changes: []change{{1, f}, {12, 9}}, want: Error, at: 12, got: "unknown"},
	{name: "an error after it was decided", within: 30, changes: []change{{1, f}, {41, 9}}, want: Fail, at: 40, got: "false"},
}

func TestDecider(t *testing.T) {
	for _, test := range deciderCases {
		t.Run(test.name, func(t *testing.T) {
			b := newFixture()
			e := b.expect(t, "job.flag.c", test.within, test.hold)
			e.Outcome, e.When = b.src.expr(t, test.outcome), b.src.expr(t, test.when)
			v := b.run(t, e, 10, changes(test.changes...)...)
			if v.Status != test.want || v.DecidedAt != test.at || v.Got != test.got || v.BeganAt != 10 {
				t.Errorf("%v, got %s, at %vs, want %v, %s, at %vs: %s", v.Status, v.Got, v.DecidedAt, test.want, test.got, test.at, v.Reason)
			}
			if want := strings.Replace(test.reason, "C ", "job.flag.c ", 1); !strings.Contains(v.Reason, want) {
				t.Errorf("reason %q, want %q in it", v.Reason, want)
			}
			if (v.Diagnostic != nil) != (v.Status >= Fail) {
				t.Errorf("a diagnostic is for Fail and Error alone: %v, %+v", v.Status, v.Diagnostic)
			}
		})
	}
}

func TestAnEngineThatIsBehind(t *testing.T) {
	b := newFixture()
	d := New(b.expect(t, "job.flag.c", 60, 0), b.scope)
	d.Begin(at(10))
	d.Observe(at(10), nil)
	r := flagRecord(69.9, y)
	b.tl.Add(r)
	if v, done := d.Observe(at(75), &r); !done || v.Status != Pass || v.DecidedAt != 69.9 {
		t.Errorf("a record counts from when it was received: %+v", v)
	}
	d = New(b.expect(t, "job.flag.c", 60, 0), b.scope)
	b.tl.Add(flagRecord(70, f))
	d.Begin(at(70))
	r = flagRecord(135, y)
	b.tl.Add(r)
	v, done := d.Observe(at(136), &r)
	if !done || v.Status != Fail || v.DecidedAt != 130 || !strings.Contains(v.Reason, "it became true only after that") {
		t.Errorf("what came after the deadline does not count: %+v", v)
	}
}

func TestLogLinesCostNothing(t *testing.T) {
	b := newFixture()
	evaluations := 0
	inner := b.scope.Evaluator
	b.scope.Evaluator = func(o Observed) Evaluator { evaluations++; return inner(o) }
	d := New(b.expect(t, "job.flag.complete", 60, 0), b.scope)
	d.Begin(at(1))
	for i := range 100 {
		r := collectors.Record{Time: at(float64(i)), Received: at(2), Type: collectors.TypeLog, Log: &collectors.Log{Text: "x"}}
		b.tl.Add(r)
		if _, done := d.Observe(at(2), &r); done {
			t.Fatal("decided")
		}
	}
	if evaluations != 1 {
		t.Errorf("%d evaluations, want 1", evaluations)
	}
}

func TestGaps(t *testing.T) {
	flagObject := collectors.Object{Kind: "Job", Namespace: "ns", Name: "flag"}
	other := collectors.Object{Kind: "Job", Namespace: "ns", Name: "other"}
	api := collectors.SourceAPI
	gap := func(from, to float64) collectors.Record {
		return gapRecord(max(from, to), from, to, api, collectors.Object{})
	}
	of := func(r collectors.Record, o collectors.Object) collectors.Record { r.Object = o; return r }
	late := func(from, to float64) collectors.Record {
		r := gapRecord(from, from, to, api, collectors.Object{})
		r.Gap.Count = 0
		return r
	}
	from := func(r collectors.Record, s collectors.Source) collectors.Record { r.Source = s; return r }
	tests := []struct {
		name         string
		within, hold float64
		outcome      string
		records      []collectors.Record
		want         Status
	}{
		{"a gap before it began", 60, 0, "false", []collectors.Record{flagRecord(1, f), gap(2, 10)}, Pass},
		{"a gap after it was decided", 15, 0, "false", []collectors.Record{flagRecord(1, f), gap(26, 27)}, Pass},
		{"never true, with a gap", 15, 0, "false", []collectors.Record{flagRecord(1, f), gap(12, 13)}, Error},
		{"never true, with a gap that reaches into it", 15, 0, "false", []collectors.Record{flagRecord(1, f), gap(5, 11)}, Error},
		{"never true, with a gap of no length", 15, 0, "false", []collectors.Record{flagRecord(1, f), gap(12, 12)}, Error},
		{"never true, with a gap that goes on", 15, 0, "false", []collectors.Record{flagRecord(1, f), gapRecord(12, 12, 0, api, collectors.Object{})}, Error},
		{"did not come true, with a gap", 15, 0, "", []collectors.Record{flagRecord(1, f), gap(12, 13)}, Error},
		{"came true after a gap", 15, 0, "", []collectors.Record{flagRecord(1, f), gap(12, 13), flagRecord(13, y)}, Pass},
		{"came true although it must not, after a gap", 15, 0, "false", []collectors.Record{flagRecord(1, f), gap(12, 13), flagRecord(13, y)}, Fail},
		{"held, with a gap", 0, 15, "", []collectors.Record{flagRecord(1, y), gap(12, 13)}, Error},
		{"held although it must not, with a gap", 0, 15, "false", []collectors.Record{flagRecord(1, y), gap(12, 13)}, Error},
		{"broke after a gap", 0, 15, "", []collectors.Record{flagRecord(1, y), gap(12, 13), flagRecord(13, f)}, Fail},
		{"came true after a gap, in which it may have broken, and held", 30, 15, "", []collectors.Record{flagRecord(1, f), gap(12, 13), flagRecord(13, y)}, Error},
		{"true now, after a gap", 0, 0, "", []collectors.Record{flagRecord(1, y), gap(2, 10)}, Pass},
		{"true now, in a gap", 0, 0, "", []collectors.Record{flagRecord(1, y), gapRecord(5, 5, 0, api, collectors.Object{})}, Error},
		{"false now, in a gap", 0, 0, "", []collectors.Record{flagRecord(1, f), gapRecord(5, 5, 0, api, collectors.Object{})}, Error},
		{"not known, with a gap", 0, 0, "", []collectors.Record{gap(12, 13)}, Error},
		{"never true, with a gap in which nothing was lost", 15, 0, "false", []collectors.Record{flagRecord(1, f), late(12, 13)}, Pass},
		{"of the Job itself", 15, 0, "false", []collectors.Record{flagRecord(1, f), of(gap(12, 13), flagObject)}, Error},
		{"of another Job", 15, 0, "false", []collectors.Record{flagRecord(1, f), of(gap(12, 13), other)}, Pass},
		{"of objects of another kind", 15, 0, "false", []collectors.Record{flagRecord(1, f), of(gap(12, 13), collectors.Object{Kind: "Namespace", Name: "ns"})}, Pass},
		{"of the runtime, which tells nothing of Jobs", 15, 0, "false", []collectors.Record{flagRecord(1, f), from(gap(12, 13), collectors.SourceRuntime)}, Pass},
		{"of the logs", 15, 0, "false", []collectors.Record{flagRecord(1, f), from(gap(12, 13), collectors.SourceLog)}, Pass},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newFixture()
			e := b.expect(t, "job.flag.complete", test.within, test.hold)
			e.Outcome = b.src.expr(t, test.outcome)
			v := b.run(t, e, 10, test.records...)
			if v.Status != test.want {
				t.Errorf("%v, want %v: %s", v.Status, test.want, v.Reason)
			}
			if v.Status == Error && !strings.Contains(v.Reason, `the source "api" saw nothing`) {
				t.Errorf("the reason does not name the gap: %s", v.Reason)
			}
		})
	}
}
