package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
)

// watch is an invariant from its place in the scenario to the end.
type watch struct {
	st        *dsl.Step
	invariant *expect.Invariant
	// place is where its result belongs in the report.
	place int
	began time.Time
	over  bool
}

// watch begins to watch an invariant; the place of its result is kept.
func (s *session) watch(st *dsl.Step) {
	s.begins(st, s.Clock.Now())
	w := &watch{st: st, invariant: expect.NewInvariant(st.Invariant, s.scopeOf(st)), place: len(s.report.Steps), began: s.Clock.Now()}
	s.report.Steps = append(s.report.Steps, report.Step{Name: st.Name, Verb: st.Verb, Status: expect.Pending, BeganAt: seconds(s.begin, w.began)})
	s.watches = append(s.watches, w)
	if verdict, decided := w.invariant.Begin(w.began); decided {
		s.rule(w, verdict)
	}
}

// observe lets the invariants look at a record that was just taken.
func (s *session) observe(r *collectors.Record) {
	for _, w := range s.watches {
		if w.over {
			continue
		}
		if verdict, decided := w.invariant.Observe(s.Clock.Now(), r); decided {
			s.rule(w, verdict)
		}
	}
}

// endWatches ends the invariants that are not decided, over all that has
// arrived. early is why the scenario did not come to its end, if it did not:
// what was not broken until then is not known to hold where somebody stopped
// it, or nothing was seen any more.
func (s *session) endWatches(early error) {
	at := s.Clock.Now()
	if early == nil && slices.ContainsFunc(s.watches, func(w *watch) bool { return !w.over }) {
		// That nothing broke one is no more than that nobody told of it.
		done := s.sync(context.Background(), nil)
		for waits := true; waits; {
			select {
			case r := <-s.records:
				s.last(r, at)
			case <-done:
				waits = false
			}
		}
		for n := len(s.records); n > 0; n-- {
			s.last(<-s.records, at)
		}
		s.answered(at, nil)
	}
	for n := len(s.records); n > 0; n-- {
		s.last(<-s.records, at)
	}
	for _, w := range s.watches {
		if w.over {
			continue
		}
		verdict := w.invariant.End(at)
		if early != nil && verdict.Status == expect.Pass && abandoned(early) == expect.Error {
			verdict.Status = expect.Error
			verdict.Reason = fmt.Sprintf("%s before the scenario's end; until then: %s", early, verdict.Reason)
		}
		s.rule(w, verdict)
	}
}

// last takes a record at the end of the scenario: what happened after it is no
// matter of the invariants, and of what the API tells nobody knows when it was.
func (s *session) last(r collectors.Record, end time.Time) {
	where := expect.Place(s.timeline, &r, end)
	switch {
	case !r.Received.After(end):
		s.take(r)
	case where == expect.InTime:
		r.Received = end
		s.take(r)
	default:
		s.keep(&r)
		if where == expect.Later {
			return
		}
		for _, w := range s.watches {
			w.invariant.Unplaced(&r)
		}
	}
}

// rule reports the verdict over an invariant, in its place.
func (s *session) rule(w *watch, verdict expect.Verdict) {
	w.over = true
	result := report.Step{
		Name: w.st.Name, Verb: w.st.Verb, Status: verdict.Status, Detail: verdict.Reason, Verdict: &verdict,
		BeganAt: seconds(s.begin, w.began), EndedAt: seconds(s.begin, s.Clock.Now()),
	}
	s.report.Steps[w.place] = result
	s.tell(result)
}
