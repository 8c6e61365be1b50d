// Package player carries out the steps of a scenario in their order, and decides
// its expectations: live, as labs/run does, and over a recording, as labs/replay
// does. The two are Stages, each with a clock and a source of records of its
// own; everything else is the same for both.
package player

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
)

// Stage is where a scenario is carried out.
type Stage interface {
	// Now is the time there.
	Now() time.Time
	// Begin goes on to where a step begins, and returns when that is.
	Begin(*dsl.Step) time.Time
	// Scope is what the expressions of a step see.
	Scope(*dsl.Step) *expect.Scope
	// Await lets a decision look at what is observed until it is made. An error
	// that is a *CutOffError ends the decision; any other ends the scenario.
	Await(context.Context, *Decision) error
	// Decided is called when a step that is decided is over; err is that of
	// Await.
	Decided(st *dsl.Step, began, ended time.Time, err error)
	// Do carries out a step that is not decided. The error says that the
	// scenario cannot go on after it.
	Do(context.Context, *dsl.Step) (report.Step, error)
	// Watch is called when an invariant begins that is not decided at once.
	Watch(*expect.Invariant)
	// Close takes what is observed up to the end of the scenario, and returns
	// when that is. early is why the scenario ended before its last step; nil if
	// it did not.
	Close(early error) time.Time
	// Over is called with the result of every step, and Progress with what is
	// being done.
	Over(report.Step)
	Progress(text string)
}

var (
	// ErrInterrupted is why something that was stopped did not reach its end.
	ErrInterrupted = errors.New("interrupted")
	// ErrLost is the loss of what is needed to judge.
	ErrLost = errors.New("the observation was lost")
)

// Interrupted returns an ErrInterrupted with its cause, if it has one that says
// more.
func Interrupted(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return ErrInterrupted
	}
	return fmt.Errorf("%w: %w", ErrInterrupted, err)
}

// Lost returns an ErrLost with its cause, or an interruption as it is.
func Lost(err error) error {
	if err == nil || errors.Is(err, ErrInterrupted) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrLost, err)
}

// CutOffError says that a recording ends before a decision is made.
type CutOffError struct{ Message string }

// Error is the message.
func (e *CutOffError) Error() string { return e.Message }

// Player carries out the steps of one scenario. It is used by one goroutine.
type Player struct {
	stage    Stage
	scenario *dsl.Scenario
	begin    time.Time
	steps    []report.Step
	watches  []*watch
}

// New returns a Player of a scenario whose times count from begin.
func New(stage Stage, scenario *dsl.Scenario, begin time.Time) *Player {
	return &Player{stage: stage, scenario: scenario, begin: begin}
}

// Steps carries out the scenario's steps in order, all but those of finally. An
// expectation that is not met does not end it; a step that could not be done
// does.
func (p *Player) Steps(ctx context.Context) {
	steps := p.scenario.Steps
	for i, st := range steps {
		if err := ctx.Err(); err != nil {
			p.end(steps[i:], Interrupted(err))
			return
		}
		if invariant, ok := st.Action.(*action.Invariant); ok {
			p.watch(st, invariant)
			continue
		}
		result, err := p.Step(ctx, st)
		p.Tell(result)
		if err != nil {
			p.end(steps[i+1:], err)
			return
		}
	}
	p.close(nil)
}

// end ends the scenario before its last step.
func (p *Player) end(rest []*dsl.Step, why error) {
	at := p.stage.Now()
	p.close(why)
	p.abandon(rest, abandoned(why), why, at)
}

// Step carries out one step. The error says that the scenario cannot go on after
// it; it is in the result, too.
func (p *Player) Step(ctx context.Context, st *dsl.Step) (report.Step, error) {
	if decided, ok := st.Action.(action.Decided); ok {
		return p.decide(ctx, st, decided)
	}
	return p.stage.Do(ctx, st)
}

// decide brings an expectation or a wait to its verdict.
func (p *Player) decide(ctx context.Context, st *dsl.Step, a action.Decided) (report.Step, error) {
	doing := "expecting: "
	if !a.Judges() {
		doing = "waiting: "
	}
	p.stage.Progress(doing + st.Name)
	began := p.stage.Begin(st)
	d := &Decision{Decider: expect.New(a.Expectation(), p.stage.Scope(st))}
	d.verdict, d.decided = d.Decider.Begin(began)
	var err error
	if !d.decided {
		err = p.stage.Await(ctx, d)
	}
	ended := p.stage.Now()
	p.stage.Decided(st, began, ended, err)
	result := report.Step{Name: st.Name, Verb: st.Verb, BeganAt: p.seconds(began), EndedAt: p.seconds(ended)}
	var cut *CutOffError
	switch {
	case err != nil:
		result.Status, result.Detail = expect.Error, err.Error()
		if !errors.As(err, &cut) {
			return result, err
		}
	default:
		result.Status, result.Detail = d.verdict.Status, d.verdict.Reason
	}
	if !a.Judges() && result.Status >= expect.Fail {
		return result, fmt.Errorf("what step %q waits for did not come", st.Name)
	}
	if a.Judges() && err == nil {
		result.Verdict = &d.verdict
	}
	return result, nil
}

// abandoned is the status of what comes after the failure: after a step that
// could not be done the rest is skipped; after a loss it is not known.
func abandoned(err error) expect.Status {
	if errors.Is(err, ErrInterrupted) || errors.Is(err, ErrLost) {
		return expect.Error
	}
	return expect.Skip
}

// Abandon reports steps that are not carried out.
func (p *Player) Abandon(steps []*dsl.Step, status expect.Status, why error) {
	p.abandon(steps, status, why, p.stage.Now())
}

func (p *Player) abandon(steps []*dsl.Step, status expect.Status, why error, at time.Time) {
	for _, st := range steps {
		p.Tell(report.Step{Name: st.Name, Verb: st.Verb, Status: status, Detail: why.Error(), BeganAt: p.seconds(at), EndedAt: p.seconds(at)})
	}
}

// Tell reports the result of a step that is over.
func (p *Player) Tell(result report.Step) {
	p.steps = append(p.steps, result)
	p.stage.Over(result)
}

// Results are the steps that are over, and the invariants in their places.
func (p *Player) Results() []report.Step { return p.steps }

// Status is the worst status of all steps.
func (p *Player) Status() expect.Status {
	status := expect.Pending
	for _, s := range p.steps {
		status = max(status, s.Status)
	}
	return status
}

func (p *Player) seconds(at time.Time) float64 { return at.Sub(p.begin).Seconds() }
