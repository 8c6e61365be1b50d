package run

import (
	"context"
	"errors"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/player"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/step"
)

var _ player.Stage = (*scenarioRun)(nil)

// Now is the engine's time.
func (s *scenarioRun) Now() time.Time { return s.in.now() }

// Begin notes that a step begins: where among the records it stands tells what
// was known then.
func (s *scenarioRun) Begin(st *dsl.Step) time.Time {
	at := s.in.now()
	s.take(collectors.Record{Time: at, Received: at, Precision: time.Nanosecond, Source: collectors.SourceLab, Type: collectors.TypeStepBegin,
		Object: collectors.Object{Kind: "Step", Name: st.Name}, Step: &collectors.Step{Name: st.Name, Verb: st.Verb, StartedAt: at}})
	return at
}

// Scope is what the expressions of a step can see: what all steps of the run
// see, and the step's own roots.
func (s *scenarioRun) Scope(st *dsl.Step) *expect.Scope { return s.scopeOf(st) }

// Await takes records until the decision is made.
func (s *scenarioRun) Await(ctx context.Context, d *player.Decision) error {
	return player.Lost(s.pump(ctx, nil, d))
}

// Decided notes that a step was decided.
func (s *scenarioRun) Decided(st *dsl.Step, began, ended time.Time, err error) {
	record := &collectors.Step{Name: st.Name, Verb: st.Verb, StartedAt: began, FinishedAt: ended}
	if err != nil {
		record.Error = failed(err)
	}
	s.record(record)
}

// Watch does nothing more: the sources are asked as records are taken.
func (s *scenarioRun) Watch(*expect.Invariant) {}

// Over tells of a step that is over.
func (s *scenarioRun) Over(result report.Step) {
	kind := report.EventStep
	if result.Verdict != nil {
		kind = report.EventVerdict
	}
	s.in.event(report.Event{Kind: kind, Cluster: s.planned.Cluster, Scenario: s.planned.Scenario, Text: result.Detail, Step: &result})
}

// Progress tells what is being done.
func (s *scenarioRun) Progress(text string) {
	s.in.event(report.Event{Kind: report.EventProgress, Cluster: s.planned.Cluster, Scenario: s.planned.Scenario, Text: text})
}

// look lets the invariants look at a record that was just taken.
func (s *scenarioRun) look(now time.Time, r *collectors.Record) {
	s.player.Observe(func(i *expect.Invariant) (expect.Verdict, bool) { return i.Observe(now, r) })
}

// Close takes what was observed up to now. That nothing broke an invariant is no
// more than that nobody reported it, so the sources are asked first, unless the
// scenario did not reach its end.
func (s *scenarioRun) Close(early error) time.Time {
	at := s.in.now()
	if early == nil && len(s.player.Watching()) > 0 {
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
	return at
}

// last takes a record at the end of the scenario: what happened after it is no
// matter of the invariants, and of what the API tells nobody knows when it was.
func (s *scenarioRun) last(r collectors.Record, end time.Time) {
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
		s.player.Unplaced(func(i *expect.Invariant) { i.Unplaced(&r) })
	}
}

// slack is what the steps of finally may need beside their own times.
const slack = time.Minute

// errHurried is why steps of finally were not done.
var errHurried = errors.New("not done: somebody asked to stop for the second time")

// finally does the steps that are done whatever happened, each of them even
// where one before it could not be done. They have a context of their own,
// which ends when somebody asked to stop for the second time.
func (s *scenarioRun) finally(ctx context.Context) {
	steps := s.planned.Source.Finally
	if len(steps) == 0 {
		return
	}
	s.finishing = true
	limit := slack
	for _, st := range s.planned.Steps {
		if st.Finally {
			limit += st.Longest() + step.Settling
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	go func() {
		select {
		case <-s.in.engine.ForceStop:
			cancel()
		case <-ctx.Done():
		}
	}()
	for i, st := range steps {
		if s.in.forceStopped() {
			s.player.Abandon(steps[i:], expect.Error, errHurried)
			return
		}
		result, _ := s.player.Step(ctx, st) // what failed is in the result
		s.player.Tell(result)
	}
}
