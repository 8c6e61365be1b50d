package replay

import (
	"context"
	"fmt"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/player"
	"github.com/kind-lab/lab/labs/report"
)

// recorded is a recording as the stage of a scenario: its clock is the times at
// which records were received.
type recorded struct {
	view   *View
	run    ScenarioRun
	player *player.Player
	// before is what the run found; its steps are empty if there is no
	// report.
	before report.ScenarioRun
	// records are those that were not taken yet.
	records []collectors.Record
	// begun and done are the records of where steps began and ended.
	begun, done map[string]collectors.Record
	// now is the time that it is; end is when the recording ends.
	now, end time.Time
}

var _ player.Stage = (*recorded)(nil)

// read takes the records that come after the run's begin.
func (s *recorded) read(records []collectors.Record) {
	for _, r := range records {
		switch {
		case r.Type == collectors.TypeStepBegin && r.Step != nil:
			s.begun[stepKey(r.Step.Verb, r.Step.Name)] = r
		case r.Type == collectors.TypeStep && r.Step != nil:
			s.done[stepKey(r.Step.Verb, r.Step.Name)] = r
		}
		if received(r).After(s.run.Begin) {
			s.records = append(s.records, r)
		}
	}
}

func stepKey(verb, name string) string { return verb + " " + name }

// play carries out the scenario. The steps of finally come after the end of what
// is judged: what the recording has of them is passed on unchanged.
func (s *recorded) play() {
	ctx := context.Background()
	s.player = player.New(s, s.view.scenario, s.run.Begin)
	s.player.Steps(ctx)
	s.until(s.end)
	for _, st := range s.view.scenario.Finally {
		result, _ := s.Do(ctx, st) // what failed is in the result
		s.player.Tell(result)
	}
}

// Now is the time that the replay has reached.
func (s *recorded) Now() time.Time { return s.now }

// Begin goes on to where a step began, if that is to come. Old recordings tell
// of its time alone.
func (s *recorded) Begin(st *dsl.Step) time.Time {
	key := stepKey(st.Verb, st.Name)
	if r, ok := s.begun[key]; ok {
		s.through(r.Seq, r.Step.StartedAt)
	} else if r, ok := s.done[key]; ok && r.Step.StartedAt.After(s.now) {
		s.until(r.Step.StartedAt)
	}
	return s.now
}

// Scope is what the expressions of a step see.
func (s *recorded) Scope(st *dsl.Step) *expect.Scope { return s.view.Scope().With(st.Roots) }

// Await takes records until the decision is made, or the recording ends.
func (s *recorded) Await(_ context.Context, d *player.Decision) error {
	for !d.Decided() {
		deadline := d.Deadline()
		switch {
		case d.Decider.Asks() && !s.answers(s.now, s.now.Add(answerIn)):
			d.Observe(s.now, nil)
		case len(s.records) > 0 && (deadline.IsZero() || !received(s.records[0]).After(deadline)):
			s.observe(d)
		case s.answers(deadline, deadline):
			s.lastCall(d, deadline)
		case !deadline.IsZero() && !deadline.After(s.end.Add(slack)):
			s.now = deadline
			d.Observe(s.now, nil)
		default:
			s.now = s.end
			return &player.CutOffError{Message: fmt.Sprintf("the recording ends at %.3fs, before this could be decided", s.seconds(s.end))}
		}
	}
	return nil
}

// Decided does nothing: that the step was decided is in the recording.
func (s *recorded) Decided(*dsl.Step, time.Time, time.Time, error) {}

// Watch lets an invariant that asks the sources look again, where the recording
// has no answer to it.
func (s *recorded) Watch(i *expect.Invariant) {
	if !i.Asks() || s.answers(s.now, s.now.Add(answerIn)) {
		return
	}
	s.player.Observe(func(other *expect.Invariant) (expect.Verdict, bool) {
		if other != i {
			return expect.Verdict{}, false
		}
		return i.Observe(s.now, nil)
	})
}

// Over and Progress do nothing: nobody looks on.
func (s *recorded) Over(report.Step) {}

// Progress is described at Over.
func (s *recorded) Progress(string) {}

// Do tells what the recording has of a step that did something.
func (s *recorded) Do(_ context.Context, st *dsl.Step) (report.Step, error) {
	s.Begin(st)
	done, ok := s.done[stepKey(st.Verb, st.Name)]
	result := report.Step{Name: st.Name, Verb: st.Verb, Status: expect.Error, BeganAt: s.seconds(s.now), EndedAt: s.seconds(s.now),
		Detail: fmt.Sprintf("the recording has no %s %q, and what it would do is unknown", st.Verb, st.Name)}
	if ok {
		s.through(done.Seq, done.Step.FinishedAt)
		result, _ = player.Noted(st, done.Step, s.run.Begin)
		for _, was := range s.before.Steps {
			if was.Name == st.Name && was.Verb == st.Verb {
				result = was
			}
		}
	}
	if result.Status >= expect.Fail {
		return result, fmt.Errorf("step %q could not be done", st.Name)
	}
	return result, nil
}

// Close goes on to the end of the scenario, or, where nobody asked the sources
// about it, of the recording.
func (s *recorded) Close(error) time.Time {
	end, asked := s.now, false
	for _, r := range s.records {
		if r.Asked != nil && !r.Asked.At.Before(s.now) {
			end, asked = r.Asked.At, true
			break
		}
	}
	if !asked {
		s.until(s.end)
		return s.now
	}
	for len(s.records) > 0 {
		if !received(s.records[0]).After(end) {
			s.take()
			continue
		}
		r := s.records[0]
		s.records = s.records[1:]
		s.view.Timeline.Add(r)
		if r.Asked != nil {
			break
		}
		s.player.Unplaced(func(i *expect.Invariant) {
			if expect.Place(s.view.Timeline, &r, end) == expect.Unplaced {
				i.Unplaced(&r)
			}
		})
	}
	return end
}
