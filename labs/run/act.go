package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/player"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/failure"
)

// Do carries out a step that is not decided. The error says that the scenario
// cannot go on after it.
func (s *scenarioRun) Do(ctx context.Context, st *dsl.Step) (report.Step, error) {
	verb, err := s.verb(st)
	doing := "doing"
	if err == nil {
		doing = verb.Doing()
	}
	began := s.Begin(st)
	s.Progress(doing + ": " + st.Name)
	var ready readyStep
	if err == nil {
		ready, err = s.ready(ctx, st, verb)
	}
	var out step.Result
	acted := began
	if err == nil {
		s.provide(ctx, st, ready.prepared)
		acted = s.in.now()
		out, err = s.carryOut(ctx, st, ready.prepared, verb)
	}
	var exit *failure.ExitError
	if l := action.LimitsOf(st.Action); l != nil && l.IgnoreExitCode && errors.As(err, &exit) {
		err = nil
	}
	ended := s.in.now()
	if err == nil {
		s.seeWrites(ctx, verb.Trace())
	}
	record := &collectors.Step{
		Name: st.Name, Verb: st.Verb, StartedAt: acted, FinishedAt: ended, Warnings: out.Warnings, Objects: out.Objects,
		Stdout: out.Stdout, Stderr: out.Stderr, ExitCode: out.ExitCode,
	}
	if err != nil {
		record.Error = failed(err)
	}
	s.judge(record, ready.expected, verb, out, err)
	s.record(record)
	for _, w := range out.Warnings {
		s.warn(fmt.Sprintf("%s: %s", st.Name, s.redact(verb.Words().Warning+w)))
	}
	result, _ := player.Noted(st, record, s.begin) // it was noted just now
	result.BeganAt = seconds(s.begin, began)
	return result, goesOn(st, result, err)
}

// goesOn says why the scenario cannot go on after a step; nil where it can.
func goesOn(st *dsl.Step, result report.Step, err error) error {
	switch {
	case result.Status < expect.Fail:
		return nil
	case errors.Is(err, player.ErrInterrupted) || errors.Is(err, player.ErrLost):
		return err
	}
	return fmt.Errorf("step %q could not be done", st.Name)
}

// verb is the verb of a step.
func (s *scenarioRun) verb(st *dsl.Step) (step.Verb, error) {
	if verb, ok := s.in.engine.Verbs.Verb(st.Verb); ok {
		return verb, nil
	}
	return nil, fmt.Errorf("the verb %q is not known to this version", st.Verb)
}

// judge notes in a step's record what came of it.
func (s *scenarioRun) judge(record *collectors.Step, expected step.Expected, verb step.Verb, out step.Result, err error) {
	status, detail := judge(expected, verb, out, err)
	outcome := ""
	if expected.Failure && status == expect.Pass {
		outcome = "refused"
	}
	player.Note(record, status, s.redact(detail), outcome)
}

// carryOut does a step within its time, while records keep being taken.
func (s *scenarioRun) carryOut(ctx context.Context, st *dsl.Step, p step.Prepared, verb step.Verb) (step.Result, error) {
	if err := s.on.cluster.Allows(verb.Forecast(st)); err != nil {
		return step.Result{}, err
	}
	limited, cancel := context.WithTimeout(ctx, p.Limit)
	defer cancel()
	var out step.Result
	var problem error
	done := make(chan struct{})
	go func() {
		defer close(done)
		out, problem = p.Do(limited, s.on.cluster.Access())
	}()
	if err := s.pump(context.WithoutCancel(ctx), done, nil); err != nil {
		cancel()
		<-done
		return out, fmt.Errorf("%w: %w", player.ErrLost, err)
	}
	switch {
	case problem == nil:
	case ctx.Err() != nil:
		problem = player.Interrupted(problem)
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		problem = overdue(p.Limit, problem)
	}
	return out, problem
}

// overdue says of an error at the end of the step's time that this is why,
// unless it says what was found by then.
func overdue(limit time.Duration, err error) error {
	var no failure.Failure
	if errors.As(err, &no) {
		return err
	}
	return fmt.Errorf("not done within %s: %w", limit, err)
}

// record notes that a step is over.
func (s *scenarioRun) record(r *collectors.Step) {
	s.take(collectors.Record{Time: r.FinishedAt, Received: r.FinishedAt, Precision: time.Nanosecond, Source: collectors.SourceLab,
		Type: collectors.TypeStep, Object: collectors.Object{Kind: "Step", Name: r.Name}, Step: r})
}

// provide gets the cluster ready for a step: it puts images on the nodes, and
// notes what cannot be undone.
func (s *scenarioRun) provide(ctx context.Context, st *dsl.Step, p step.Prepared) {
	s.on.taint(p.Irreversible)
	if p.Needs == nil {
		return
	}
	needs, err := p.Needs()
	if err != nil {
		return // the step itself will say what is wrong with its manifest
	}
	if len(needs.NodeAccess) > 0 {
		s.on.taint("pods got at what is the nodes' own, by " + strings.Join(needs.NodeAccess, ", "))
	}
	if len(needs.Images) > 0 {
		s.sideLoad(ctx, needs.Images)
	}
}

// sideLoad puts images on the nodes. One that is not available here is reported
// and left to the nodes, which may reach what we do not.
func (s *scenarioRun) sideLoad(ctx context.Context, images []string) {
	if !s.on.handle.Capabilities.CanLoadImages {
		s.on.leaveImages(images)
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, image := range images {
			if err := s.on.provisioner.LoadImages(ctx, s.on.handle, []string{image}, s.on.progress); err != nil && ctx.Err() == nil {
				s.warn(fmt.Sprintf("image %s is left to the nodes to pull: %v", image, err))
			}
		}
	}()
	if err := s.pump(context.WithoutCancel(ctx), done, nil); err != nil {
		s.warn(err.Error())
		<-done
	}
}
