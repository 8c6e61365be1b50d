package expect

import (
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
)

// watch drives an invariant from begin to end as an engine does.
func (b *fixture) watch(t testing.TB, i *dsl.Invariant, begin, end float64, records ...collectors.Record) Verdict {
	t.Helper()
	inv := NewInvariant(i, b.scope)
	for len(records) > 0 && !records[0].Received.After(at(begin)) {
		b.tl.Add(records[0])
		records = records[1:]
	}
	first, done := inv.Begin(at(begin))
	answer := func(now time.Time) { // the sources answer at once
		if !done && inv.Asks() {
			first, done = inv.Observe(now, nil)
		}
	}
	answer(at(begin))
	for i := range records {
		if records[i].Received.After(at(end)) {
			break
		}
		b.tl.Add(records[i])
		v, now := inv.Observe(records[i].Received, &records[i])
		if done && (!now || v.Reason != first.Reason || v.DecidedAt != first.DecidedAt) {
			t.Errorf("another verdict after it was decided: %+v", v)
		}
		first, done = v, now
		answer(records[i].Received)
	}
	v := inv.End(at(end))
	if done && v.Reason != first.Reason {
		t.Errorf("another verdict at the end: %+v", v)
	}
	if again := inv.End(at(end + 100)); again.Reason != v.Reason || again.DecidedAt != v.DecidedAt {
		t.Errorf("another verdict after the end: %+v", again)
	}
	return v
}

func TestInvariant(t *testing.T) {
	other := collectors.Object{Kind: "Job", Namespace: "ns", Name: "other"}
	api := collectors.SourceAPI
	gap := func(from, to float64) collectors.Record { return gapRecord(to, from, to, api, collectors.Object{}) }
	ofOther := gap(12, 13)
	ofOther.Object = other
	late := gapRecord(12, 12, 13, api, collectors.Object{})
	late.Gap.Count = 0
	tests := []struct {
		name    string
		when    string
		records []collectors.Record
		want    Status
		at      float64
		got     string
		reason  string
	}{
		{name: "kept", records: changes(change{1, y}, change{15, y}), want: Pass, at: 30, got: "true", reason: "C was never false in 20s, at 2 observations"},
		{name: "kept, known at times", records: changes(change{12, y}, change{15, u}), want: Pass, at: 30, got: "unknown", reason: "C was never false in 20s, at 3 observations"},
		{name: "false before it began only", records: changes(change{1, f}, change{9, y}), want: Pass, at: 30, got: "true"},
		{name: "false from the beginning", records: changes(change{1, f}), want: Fail, at: 10, got: "false", reason: "C was false from the beginning"},
		{name: "broken", records: changes(change{1, y}, change{14.5, f}), want: Fail, at: 14.5, got: "false", reason: "C was false after 4.5s, at 14.500s of the run"},
		{name: "broken for a moment", records: changes(change{1, y}, change{14.5, f}, change{14.5, y}), want: Fail, at: 14.5, got: "false"},
		{name: "false as soon as it is known", records: changes(change{1, u}, change{13, f}), want: Fail, at: 13, got: "false", reason: "C was false as soon as it was known, after 3s"},
		{name: "broken at the end", records: changes(change{1, y}, change{30, f}), want: Fail, at: 30, got: "false"},
		{name: "false after the end", records: changes(change{1, y}, change{30.5, f}), want: Pass, at: 30, got: "true"},
		{name: "never known, of what was seen", records: changes(change{1, u}), want: Pass, at: 30, got: "unknown", reason: "C was never false in 20s, and was never known: "},
		{name: "of what was never seen", want: Error, at: 30, got: "unknown", reason: "C was never false in 20s, and was never known: job flag was never seen, so there was nothing to watch"},
		{name: "an error", records: changes(change{1, y}, change{12, 9}), want: Error, at: 12, got: "unknown", reason: "it could not be evaluated: Broken: It broke."},
		{name: "a gap", records: []collectors.Record{flagRecord(1, y), gap(12, 13)}, want: Error, at: 30, got: "true", reason: `the source "api" saw nothing from 12.000s to 13.000s of the run (watch lost), so this could not be decided; from what was observed: C was never false in 20s`},
		{name: "a gap that goes on", records: []collectors.Record{flagRecord(1, y), gapRecord(12, 12, 0, api, collectors.Object{})}, want: Error, at: 30, got: "unknown"},
		{name: "a gap before it began", records: []collectors.Record{flagRecord(1, y), gap(2, 10)}, want: Pass, at: 30, got: "true"},
		{name: "a gap of another Job", records: []collectors.Record{flagRecord(1, y), ofOther}, want: Pass, at: 30, got: "true"},
		{name: "a gap in which nothing was lost", records: []collectors.Record{flagRecord(1, y), late}, want: Pass, at: 30, got: "unknown"},
		{name: "broken after a gap", records: []collectors.Record{flagRecord(1, y), gap(12, 13), flagRecord(13, f)}, want: Fail, at: 13, got: "false"},
		{name: "not to be watched", when: "1 > 2", records: changes(change{1, f}), want: Skip, at: 10, got: "unknown", reason: "does not apply here: `when` is 1 > 2, which is false"},
		{name: "when is known later: watched from then", when: "job.flag.when", records: changes(change{15, y}), want: Pass, at: 30, got: "true", reason: "C was never false in 15s"},
		{name: "when comes out false", when: "job.flag.when", records: changes(change{15, f}), want: Skip, at: 15, got: "unknown"},
		{name: "when is never known", when: "job.flag.when", want: Error, at: 20, got: "unknown", reason: "`when` was still unknown after 10s"},
		{name: "when is null", when: "null", records: changes(change{1, y}), want: Pass, at: 30, got: "true"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newFixture()
			i := &dsl.Invariant{Name: "it works", Condition: b.src.expr(t, "job.flag.c"), When: b.src.expr(t, test.when)}
			v := b.watch(t, i, 10, 30, test.records...)
			if v.Status != test.want || v.DecidedAt != test.at || v.Got != test.got || v.BeganAt != 10 || !v.Expected {
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

func TestInvariantEndsEarly(t *testing.T) {
	b := newFixture()
	i := &dsl.Invariant{Name: "it works", Condition: b.src.expr(t, "job.flag.c"), When: b.src.expr(t, "job.flag.when")}
	if v := b.watch(t, i, 10, 12); v.Status != Error || !strings.Contains(v.Reason, "`when` was still unknown after 2s") {
		t.Errorf("%v: %s", v.Status, v.Reason)
	}
	b.tl.Add(flagRecord(1, y))
	i.When = nil
	if v := NewInvariant(i, b.scope).End(at(12)); v.Status != Pass || v.BeganAt != 12 {
		t.Errorf("one that ends without a beginning: %v: %s", v.Status, v.Reason)
	}
}

func TestInvariantTellsWhatBrokeIt(t *testing.T) {
	b := newRealFixture()
	i := &dsl.Invariant{Name: "it stays", Condition: b.src.expr(t, `job.myapp.pod.status != "NotReady"`),
		Message: b.src.expr(t, `"it was ${job.myapp.pod.status}"`)}
	v := b.watch(t, i, 0, 30, story()...)
	if v.Status != Fail || v.DecidedAt != 9.1 || v.Message != `it was NotReady` || len(v.Records) != 4 || v.Diagnostic.Summary != "Invariant broken" {
		t.Errorf("%+v", v)
	}
	if want := `was false after 9.1s, at 9.100s of the run: job.myapp.pod.status was "NotReady"`; !strings.Contains(v.Reason, want) {
		t.Errorf("reason %q, want %q in it", v.Reason, want)
	}
}
