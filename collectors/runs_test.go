package collectors

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// TestAStartIsBeforeItsEnd folds one run as the sources tell of it, in every
// order of arrival.
func TestAStartIsBeforeItsEnd(t *testing.T) {
	ended := func(started, finished float64) Container {
		return Container{Name: "c", Kind: KindInit, State: "terminated", ID: "x",
			Current: &ContainerRun{ID: "x", StartedAt: whole(started), FinishedAt: whole(finished), Reason: "Completed"}}
	}
	startTask := func(seconds float64) Record { return task(TypeTaskStart, seconds, "u", "c", "x", 0) }
	exitTask := func(seconds float64) Record { return task(TypeTaskExit, seconds, "u", "c", "x", 0) }
	api := func(started, finished float64) Record {
		return podRecord(7, "p", "u", "Running", ended(started, finished))
	}
	for name, test := range map[string]struct {
		records []Record
		start   time.Time
		end     time.Time
	}{
		"reported in order":                  {[]Record{startTask(1.1), exitTask(1.15)}, at(1.1), at(1.15)},
		"stamped after the end":              {[]Record{startTask(1.2), exitTask(1.15)}, at(1.15).Add(-1), at(1.15)},
		"stamped at the end":                 {[]Record{startTask(1.15), exitTask(1.15)}, at(1.15).Add(-1), at(1.15)},
		"stamped seconds late":               {[]Record{startTask(4.5), exitTask(1.15)}, at(1.15).Add(-1), at(1.15)},
		"the API's second is that of both":   {[]Record{startTask(1.3), api(1, 1)}, at(1.3), whole(1)},
		"late for the API's end too":         {[]Record{startTask(4.5), api(4, 1)}, whole(2).Add(-1), whole(1)},
		"the API's start in the next second": {[]Record{api(2, 1), exitTask(1.9)}, whole(1), at(1.9)},
		"the API's own":                      {[]Record{api(2, 1)}, whole(1), whole(1)},
		"all of them":                        {[]Record{startTask(2.1), api(2, 1), exitTask(1.9)}, at(1.9).Add(-1), at(1.9)},
	} {
		t.Run(name, func(t *testing.T) {
			bare := podRecord(0.5, "p", "u", "Pending", Container{Name: "c", Kind: KindInit})
			permute(test.records, func(records []Record) {
				got := runsOf(fold(append([]Record{bare}, records...)...))["c"]
				if len(got) != 1 || !got[0].StartedAt.Time.Equal(test.start) || !got[0].FinishedAt.Time.Equal(test.end) {
					t.Errorf("after %s: %+v", arrival(records), got)
				}
				if n, certain := Order(got[0].StartedAt, got[0].FinishedAt); certain && n >= 0 {
					t.Errorf("after %s it ended before it started", arrival(records))
				}
			})
		})
	}
}

func arrival(records []Record) string {
	text := ""
	for _, r := range records {
		text += fmt.Sprint(r.Type, " ")
	}
	return text
}

// permute calls do with every order of the records.
func permute(records []Record, do func([]Record)) {
	var place func(done, rest []Record)
	place = func(done, rest []Record) {
		if len(rest) == 0 {
			do(done)
		}
		for i := range rest {
			next := append(append([]Record(nil), rest[:i]...), rest[i+1:]...)
			place(append(append([]Record(nil), done...), rest[i]), next)
		}
	}
	place(nil, records)
}

// TestShortRunsNeverEndBeforeTheyStart makes runs of which the start is stamped
// late by up to three seconds, and tells of them in any order.
func TestShortRunsNeverEndBeforeTheyStart(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		var api, runtime []Record
		var last *ContainerRun
		now := 1.0
		for i := range 1 + rnd.IntN(5) {
			id := fmt.Sprint("x", i)
			began := now + 4*rnd.Float64()
			end := began + 0.05*rnd.Float64()
			stamped := began + 3*rnd.Float64()*float64(rnd.IntN(2))
			now = max(end, stamped) + 1
			runtime = append(runtime, task(TypeTaskStart, stamped, "u", "c", id, 0), task(TypeTaskExit, end, "u", "c", id, i))
			run := &ContainerRun{ID: id, StartedAt: whole(stamped), FinishedAt: whole(end), ExitCode: i, Reason: "Error"}
			api = append(api, podRecord(now, "p", "u", "Running",
				Container{Name: "c", Kind: KindMain, State: "terminated", ID: id, Restarts: i, Current: run, Last: last}))
			last = run
		}
		all := merged(rnd, api, runtime)
		for n := range all {
			for i, r := range runsOf(fold(all[:n+1]...))["c"] {
				if order, certain := Order(r.StartedAt, r.FinishedAt); certain && order >= 0 {
					t.Fatalf("seed %d, after %s: run %d of %+v", seed, arrival(all[:n+1]), i, r)
				}
			}
		}
		for i, r := range runsOf(fold(all...))["c"] {
			if r.ExitCode != i || !r.StartedAt.Time.Before(r.FinishedAt.Time) {
				t.Fatalf("seed %d: run %d is %+v", seed, i, r)
			}
		}
	}
}

// TestTheFinerOfTwoMomentsIsKept takes two moments in both orders.
func TestTheFinerOfTwoMomentsIsKept(t *testing.T) {
	fine, coarse, never := Moment{Time: at(1.3), Precision: time.Nanosecond}, Moment{Time: at(1), Precision: time.Second}, Moment{}
	later := Moment{Time: at(2), Precision: time.Second}
	for _, test := range []struct{ a, b, want Moment }{
		{fine, coarse, fine}, {coarse, later, coarse}, {never, coarse, coarse}, {never, never, never},
	} {
		if one, other := finest(test.a, test.b), finest(test.b, test.a); one != test.want || other != test.want {
			t.Errorf("of %v and %v: %v and %v, want %v", test.a, test.b, one, other, test.want)
		}
	}
}
