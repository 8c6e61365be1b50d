package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
)

// steps does the scenario's steps in order. An expectation that is not met
// does not end it, a step that could not be done does.
func (s *session) steps(ctx context.Context) {
	steps := s.planned.Source.Steps
	for i, st := range steps {
		if err := ctx.Err(); err != nil {
			s.endWatches(interrupted(err))
			s.abandon(steps[i:], expect.Error, interrupted(err))
			return
		}
		if st.Verb == dsl.VerbInvariant {
			s.watch(st)
			continue
		}
		result, err := s.step(ctx, st)
		s.done(result)
		if err != nil {
			s.endWatches(err)
			s.abandon(steps[i+1:], abandoned(err), err)
			return
		}
	}
	s.endWatches(nil)
}

// step does one step, or decides one expectation. The error says that the
// scenario cannot go on after it.
func (s *session) step(ctx context.Context, st *dsl.Step) (report.Step, error) {
	switch st.Verb {
	case dsl.VerbExpect:
		return s.expect(ctx, st)
	case dsl.VerbWait:
		return s.wait(ctx, st)
	case dsl.VerbSleep:
		return s.sleep(ctx, st)
	}
	return s.act(ctx, st)
}

// slack is what the steps of finally may need beside their own times.
const slack = time.Minute

// errHurried is why steps of finally were not done.
var errHurried = errors.New("not done: somebody asked to stop for the second time")

// finally does the steps that are done whatever happened, each of them even
// where one before it could not be done. They have a context of their own,
// which ends when somebody asked to stop for the second time.
func (s *session) finally(ctx context.Context) {
	steps := s.planned.Source.Finally
	if len(steps) == 0 {
		return
	}
	s.finishing = true
	limit := slack
	for _, st := range s.planned.Steps {
		if st.Finally {
			limit += st.Longest() + settling
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	go func() {
		select {
		case <-s.Hurry:
			cancel()
		case <-ctx.Done():
		}
	}()
	for i, st := range steps {
		if s.hurry() {
			s.abandon(steps[i:], expect.Error, errHurried)
			return
		}
		result, _ := s.step(ctx, st) // what failed is in the result
		s.done(result)
	}
}

// abandoned is the status of what comes after the failure: after a step that
// could not be done the rest is skipped; after a loss it could not be told.
func abandoned(err error) expect.Status {
	if errors.Is(err, errInterrupted) || errors.Is(err, errLost) {
		return expect.Error
	}
	return expect.Skip
}

// errLost is the loss of what is needed to judge.
var errLost = errors.New("the observation was lost")

// lost is the failure of a wait, told from an interruption.
func lost(err error) error {
	if err == nil || errors.Is(err, errInterrupted) {
		return err
	}
	return fmt.Errorf("%w: %w", errLost, err)
}

// done reports a step.
func (s *session) done(result report.Step) {
	s.report.Steps = append(s.report.Steps, result)
	s.tell(result)
}

// tell tells of a step that is over.
func (s *session) tell(result report.Step) {
	kind := report.EventStep
	if result.Verdict != nil {
		kind = report.EventVerdict
	}
	s.event(report.Event{Kind: kind, Cluster: s.planned.Cluster, Scenario: s.planned.Scenario, Text: result.Detail, Step: &result})
}

// progressing tells what is being done.
func (s *session) progressing(text string) {
	s.event(report.Event{Kind: report.EventProgress, Cluster: s.planned.Cluster, Scenario: s.planned.Scenario, Text: text})
}

// abandon reports steps that were not come to.
func (s *session) abandon(steps []*dsl.Step, status expect.Status, why error) {
	for _, st := range steps {
		now := seconds(s.begin, s.Clock.Now())
		s.done(report.Step{Name: st.Name, Verb: st.Verb, Status: status, Detail: why.Error(), BeganAt: now, EndedAt: now})
	}
}
