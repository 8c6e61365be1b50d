package run

import (
	"context"
	"fmt"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/step"
)

// waiting is a decision that an expect.Decider makes.
type waiting struct {
	decider *expect.Decider
	verdict expect.Verdict
	decided bool
}

func (w *waiting) observe(now time.Time, last *collectors.Record) bool {
	w.verdict, w.decided = w.decider.Observe(now, last)
	return w.decided
}

// asked tells that the sources have told what they had at a moment.
func (w *waiting) asked(at time.Time) bool { return w.observe(at, nil) }

func (w *waiting) deadline() time.Time { return w.decider.Deadline() }

var _ decision = (*waiting)(nil)

// decide brings an expectation to its verdict. The error says that there is
// none, and ends the scenario; it is in the result then, too.
func (s *session) decide(ctx context.Context, st *dsl.Step, e *dsl.Expect) (expect.Verdict, report.Step, error) {
	began := s.Clock.Now()
	s.begins(st, began)
	w := &waiting{decider: expect.New(e, s.scopeOf(st))}
	w.verdict, w.decided = w.decider.Begin(began)
	var err error
	if !w.decided {
		err = lost(s.pump(ctx, nil, w))
	}
	ended := s.Clock.Now()
	result := report.Step{Name: st.Name, Verb: st.Verb, BeganAt: seconds(s.begin, began), EndedAt: seconds(s.begin, ended)}
	if err != nil {
		result.Status, result.Detail = expect.Error, err.Error()
	}
	s.record(st, began, ended, step.Result{}, err)
	return w.verdict, result, err
}

// expect decides an expectation. The error ends the scenario.
func (s *session) expect(ctx context.Context, st *dsl.Step) (report.Step, error) {
	s.progressing("expecting: " + st.Name)
	verdict, result, err := s.decide(ctx, st, st.Expect)
	if err == nil {
		result.Status, result.Detail, result.Verdict = verdict.Status, verdict.Reason, &verdict
	}
	return result, err
}

// wait waits for a condition. Where it does not come true in time the step
// failed, and ends the scenario.
func (s *session) wait(ctx context.Context, st *dsl.Step) (report.Step, error) {
	s.progressing("waiting: " + st.Name)
	verdict, result, err := s.decide(ctx, st, &dsl.Expect{
		Name: st.Name, Condition: st.Wait.Condition, Within: st.Wait.Within, Hold: st.Wait.Hold, Range: st.Range,
	})
	if err != nil {
		return result, err
	}
	result.Status, result.Detail = verdict.Status, verdict.Reason
	if verdict.Status >= expect.Fail {
		return result, fmt.Errorf("what step %q waits for did not come", st.Name)
	}
	return result, nil
}

// pause is a decision that the time makes.
type pause struct{ end time.Time }

func (p pause) observe(now time.Time, _ *collectors.Record) bool { return !now.Before(p.end) }

func (p pause) deadline() time.Time { return p.end }

var _ decision = pause{}

// sleep lets time pass. The error, an interruption or a loss, ends the
// scenario.
func (s *session) sleep(ctx context.Context, st *dsl.Step) (report.Step, error) {
	began := s.Clock.Now()
	s.begins(st, began)
	s.progressing("sleeping: " + st.Name)
	err := lost(s.pump(ctx, nil, pause{began.Add(st.Sleep.Duration)}))
	ended := s.Clock.Now()
	result := report.Step{Name: st.Name, Verb: st.Verb, BeganAt: seconds(s.begin, began), EndedAt: seconds(s.begin, ended),
		Status: expect.Pass, Detail: fmt.Sprintf("slept %s", st.Sleep.Duration)}
	if err != nil {
		result.Status, result.Detail = expect.Error, err.Error()
	}
	s.record(st, began, ended, step.Result{}, err)
	return result, err
}
