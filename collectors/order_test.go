package collectors

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestOrders(t *testing.T) {
	three := func(s1, s2, s3 float64) []Container {
		return []Container{running("a", "a1", s1), running("b", "b1", s2), running("c", "c1", s3)}
	}
	tests := []struct {
		name    string
		records []Record
		start   []string
		known   bool
	}{
		{"seconds apart", []Record{podRecord(9, "p", "u", "Running", three(5, 1, 3)...)}, []string{"b", "c", "a"}, true},
		{"the same second", []Record{podRecord(9, "p", "u", "Running", three(1, 1.5, 3)...)}, nil, false},
		{"the runtime tells them apart",
			[]Record{podRecord(9, "p", "u", "Running", three(1, 1.5, 3)...),
				task(TypeTaskStart, 1.2, "u", "a", "a1", 0), task(TypeTaskStart, 1.1, "u", "b", "b1", 0)}, []string{"b", "a", "c"}, true},
		{"one precise time within the other's second",
			[]Record{podRecord(9, "p", "u", "Running", three(1, 1, 3)...), task(TypeTaskStart, 1.9, "u", "a", "a1", 0)}, nil, false},
		{"one only of which the end was seen",
			[]Record{podRecord(9, "p", "u", "Running", running("a", "a1", 1), Container{Name: "b"}),
				task(TypeTaskExit, 3, "u", "b", "b1", 0)}, nil, false},
		{"none", []Record{podRecord(9, "p", "u", "Pending", Container{Name: "a"})}, []string{}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, known := fold(test.records...).Pods()[0].StartOrder()
			if known != test.known || !cmp.Equal(got, test.start) {
				t.Errorf("start order %v, %v; want %v, %v", got, known, test.start, test.known)
			}
		})
	}
}

func TestExitOrder(t *testing.T) {
	tl := fold(podRecord(9, "p", "u", "Completed",
		terminated("a", "a1", 1, 7, 0, "Completed"), terminated("b", "b1", 1, 5, 0, "Completed"), running("c", "c1", 1)))
	got, known := tl.Pods()[0].ExitOrder()
	if !known || !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("exit order %v, %v", got, known)
	}
}

func TestOrder(t *testing.T) {
	api, ns := time.Second, time.Nanosecond
	tests := []struct {
		name   string
		a, b   Moment
		want   int
		wantOK bool
	}{
		{"not known", Moment{}, Moment{Time: at(1)}, 0, false},
		{"nanoseconds", Moment{at(1), ns, SourceRuntime}, Moment{at(1).Add(1), ns, SourceRuntime}, -1, true},
		{"the same nanosecond", Moment{at(1), ns, SourceRuntime}, Moment{at(1), ns, SourceRuntime}, 0, false},
		{"the same second", Moment{at(1), api, SourceAPI}, Moment{at(1), api, SourceAPI}, 0, false},
		{"a second apart", Moment{at(2), api, SourceAPI}, Moment{at(1), api, SourceAPI}, 1, true},
		{"less than a second, one precise", Moment{at(1), api, SourceAPI}, Moment{at(1.9), ns, SourceRuntime}, 0, false},
		{"a second, one precise", Moment{at(1), api, SourceAPI}, Moment{at(2), ns, SourceRuntime}, -1, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, ok := Order(test.a, test.b); got != test.want || ok != test.wantOK {
				t.Errorf("Order = %d, %v; want %d, %v", got, ok, test.want, test.wantOK)
			}
		})
	}
}

func TestGapsAreClosed(t *testing.T) {
	open := Record{Time: at(5), Source: SourceAPI, Type: TypeGap, Gap: &Gap{From: at(4), Reason: "watch lost", Count: -1}}
	closed := open
	closed.Gap = &Gap{From: at(4), To: at(6), Reason: "watch lost", Count: -1}
	other := open
	other.Source = SourceRuntime
	tl := fold(open, other)
	before := tl.Gaps()
	tl.Add(closed)
	if len(before) != 2 || !before[0].Gap.To.IsZero() {
		t.Errorf("before: %+v", before)
	}
	after := tl.Gaps()
	if len(after) != 2 || !after[0].Gap.To.Equal(at(6)) || !after[1].Gap.To.IsZero() {
		t.Errorf("after: %+v", after)
	}
}

func TestLogsAreBounded(t *testing.T) {
	tl := NewTimeline(base)
	for i := range MaxLogLines + 5 {
		tl.Add(logLine(float64(i)/1000, "c", fmt.Sprint(i)))
	}
	log := tl.Log(podObject("p", "u"), "c")
	if len(log.Lines) != MaxLogLines || log.Dropped != 5 || log.Lines[0].Log.Text != "5" {
		t.Errorf("%d lines, %d dropped, first %q", len(log.Lines), log.Dropped, log.Lines[0].Log.Text)
	}
	long := make([]byte, MaxLogBytes)
	tl.Add(logLine(99, "c", string(long)))
	if log := tl.Log(podObject("p", "u"), "c"); len(log.Lines) != 1 || log.Dropped != MaxLogLines+5 {
		t.Errorf("after a line as large as the bound: %d lines, %d dropped", len(log.Lines), log.Dropped)
	}
	if records, dropped := tl.Records(); len(records)+dropped != 0 {
		t.Errorf("log lines are among the records: %d", len(records))
	}
}

func TestRecent(t *testing.T) {
	tl := fold(
		podRecord(1, "p", "u", "Pending", Container{Name: "c"}),
		logLine(2.5, "c", "one"),
		podRecord(2, "q", "u2", "Pending"),
		logLine(3, "c", "two"),
		task(TypeTaskExit, 2.7, "u", "c", "id", 0),
	)
	got := tl.Recent(func(r *Record) bool { return r.Object.Name == "p" }, 3)
	var types []Type
	for _, r := range got {
		types = append(types, r.Type)
	}
	if want := []Type{TypeLog, TypeTaskExit, TypeLog}; !slices.Equal(types, want) {
		t.Errorf("recent: %v, want %v", types, want)
	}
	if got := tl.Recent(func(*Record) bool { return true }, 0); got != nil {
		t.Errorf("none asked for: %v", got)
	}
}

func TestManifestsAreNotKept(t *testing.T) {
	r := podRecord(1, "p", "u", "Pending")
	r.Pod.Manifest = json.RawMessage(`{}`)
	tl := fold(r)
	if tl.Pods()[0].Pod().Manifest != nil || r.Pod.Manifest == nil {
		t.Error("the timeline keeps none, and leaves the caller's record alone")
	}
}

func TestCompareIsATotalOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	var records []Record
	for seq := range uint64(60) {
		records = append(records, Record{
			Seq: seq, Time: at(float64(rnd.IntN(4))), Received: at(float64(rnd.IntN(3))),
			Precision: []time.Duration{1, time.Second}[rnd.IntN(2)],
		})
	}
	for _, a := range records {
		for _, b := range records {
			if Compare(a, b) != -Compare(b, a) || Compare(a, b) == 0 && a.Seq != b.Seq {
				t.Fatalf("no order of %+v and %+v", a, b)
			}
			for _, c := range records {
				if Less(a, b) && Less(b, c) && !Less(a, c) {
					t.Fatalf("not transitive: %+v, %+v, %+v", a, b, c)
				}
			}
		}
	}
	precise := Record{Time: at(1), Precision: 1, Seq: 9}
	coarse := Record{Time: at(1), Precision: time.Second, Seq: 1}
	if !Less(precise, coarse) {
		t.Error("of the same time the more precise one goes first")
	}
}

func TestRecordsWithoutTheirField(t *testing.T) {
	tl := NewTimeline(base)
	for _, kind := range []Type{TypePod, TypePodGone, TypeJob, TypeJobGone, TypeTaskStart, TypeTaskExit, TypeTaskOOM, TypeLog, TypeGap, TypeStep, "later"} {
		tl.Add(Record{Type: kind, Time: at(1), Object: Object{Name: "x"}})
	}
	if len(tl.Pods())+len(tl.Jobs())+len(tl.Steps())+len(tl.Gaps()) != 0 || tl.Len() != 11 {
		t.Errorf("%d records made a state", tl.Len())
	}
}

func TestJobs(t *testing.T) {
	o := Object{Kind: "Job", Namespace: "ns", Name: "j", UID: "u"}
	record := func(s float64, kind Type, job *Job) Record {
		return Record{Time: at(s), Source: SourceAPI, Type: kind, Object: o, Job: job}
	}
	tl := fold(record(1, TypeJob, &Job{Active: 1}), record(2, TypeJob, &Job{Succeeded: 1}), record(3, TypeJobGone, nil))
	jobs := tl.Jobs()
	if len(jobs) != 1 || jobs[0].Job().Succeeded != 1 || !jobs[0].GoneAt.Time.Equal(at(3)) || !jobs[0].First.Time.Equal(at(1)) {
		t.Errorf("jobs: %+v", jobs[0])
	}
}
