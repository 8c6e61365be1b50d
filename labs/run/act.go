package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/step"
)

// act does a step that does something. The error says that the scenario cannot
// go on after it.
func (s *session) act(ctx context.Context, st *dsl.Step) (report.Step, error) {
	began := s.Clock.Now()
	s.begins(st, began)
	s.progressing("doing: " + st.Name)
	result := report.Step{Name: st.Name, Verb: st.Verb, BeganAt: seconds(s.begin, began)}
	a, err := s.ready(ctx, st)
	var out step.Result
	if err == nil {
		s.provide(ctx, a)
		began = s.Clock.Now()
		out, err = s.carryOut(ctx, a)
	}
	var exit *step.ExitError
	if a.anyExit && errors.As(err, &exit) {
		err = nil
	}
	ended := s.Clock.Now()
	if err == nil {
		s.seeWrites(ctx, st)
	}
	result.EndedAt = seconds(s.begin, ended)
	result.Status, result.Detail = a.wanted.judge(st.Verb, out, err)
	result.Detail = s.redact(result.Detail)
	if a.wanted.refused && result.Status == expect.Pass {
		result.Outcome = "refused"
	}
	s.record(st, began, ended, out, err)
	for _, w := range out.Warnings {
		s.warn(fmt.Sprintf("%s: %s", st.Name, s.redact(warning(st.Verb, w))))
	}
	if result.Status < expect.Fail {
		return result, nil
	}
	if errors.Is(err, errInterrupted) || errors.Is(err, errLost) {
		return result, err
	}
	return result, fmt.Errorf("step %q could not be done", st.Name)
}

// warning says who warns.
func warning(verb, text string) string {
	if verb == dsl.VerbExec {
		return text
	}
	return "the API server warns: " + text
}

// carryOut does an action within its time, while records keep being taken.
func (s *session) carryOut(ctx context.Context, a action) (step.Result, error) {
	limited, cancel := context.WithTimeout(ctx, a.limit)
	defer cancel()
	var out step.Result
	var failure error
	done := make(chan struct{})
	go func() {
		defer close(done)
		out, failure = a.do(limited)
	}()
	if err := s.pump(context.WithoutCancel(ctx), done, nil); err != nil {
		cancel()
		<-done
		return out, fmt.Errorf("%w: %w", errLost, err)
	}
	switch {
	case failure == nil:
	case ctx.Err() != nil:
		failure = interrupted(failure)
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		failure = s.overdue(a, failure)
	}
	return out, failure
}

// overdue says of a failure at the end of the step's time that this is why,
// unless it says what was found by then.
func (s *session) overdue(a action, failure error) error {
	var no step.Refusal
	if errors.As(failure, &no) {
		return failure
	}
	return fmt.Errorf("not done within %s: %w", a.limit, failure)
}

// begins notes that a step begins: where among the records it stands tells what
// was known then.
func (s *session) begins(st *dsl.Step, at time.Time) {
	s.take(collectors.Record{Time: at, Received: at, Precision: time.Nanosecond, Source: collectors.SourceLab, Type: collectors.TypeStepBegin,
		Object: collectors.Object{Kind: "Step", Name: st.Name}, Step: &collectors.Step{Name: st.Name, Verb: st.Verb, StartedAt: at}})
}

// record notes that a step was done.
func (s *session) record(st *dsl.Step, began, ended time.Time, out step.Result, err error) {
	record := &collectors.Step{
		Name: st.Name, Verb: st.Verb, StartedAt: began, FinishedAt: ended, Warnings: out.Warnings, Objects: out.Objects,
		Stdout: out.Stdout, Stderr: out.Stderr, ExitCode: out.ExitCode,
	}
	if err != nil {
		record.Error = refusal(err)
	}
	s.take(collectors.Record{Time: ended, Received: ended, Precision: time.Nanosecond, Source: collectors.SourceLab,
		Type: collectors.TypeStep, Object: collectors.Object{Kind: "Step", Name: st.Name}, Step: record})
}

// provide gets the cluster ready for an action: it puts images on the nodes, and
// notes what nobody will be able to undo.
func (s *session) provide(ctx context.Context, a action) {
	s.spoil(a.spoils)
	if a.needs == nil {
		return
	}
	needs, err := a.needs()
	if err != nil {
		return // the step itself will say what is wrong with its manifest
	}
	if len(needs.NodeAccess) > 0 {
		s.spoil("pods got at what is the nodes' own, by " + strings.Join(needs.NodeAccess, ", "))
	}
	if len(needs.Images) > 0 {
		s.sideLoad(ctx, needs.Images)
	}
}

// sideLoad puts images on the nodes. One that cannot be had here is told of
// and left to the nodes, which may reach what we do not.
func (s *session) sideLoad(ctx context.Context, images []string) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, image := range images {
			if err := s.provisioner.LoadImages(ctx, s.handle, []string{image}, s.progress); err != nil && ctx.Err() == nil {
				s.warn(fmt.Sprintf("image %s is left to the nodes to pull: %v", image, err))
			}
		}
	}()
	if err := s.pump(context.WithoutCancel(ctx), done, nil); err != nil {
		s.warn(err.Error())
		<-done
	}
}
