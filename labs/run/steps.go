package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/step"
)

// applying bounds one apply step, its retries by the client included.
const applying = time.Minute

// newScope is what the expressions of this run can see.
func (s *session) newScope() *expect.Scope {
	m := s.plan.Module
	target, shared := newTarget(s.bench.planned, s.handle), value.NewShared(m.FS, m.Dir)
	return &expect.Scope{
		Timeline: s.timeline, Namespace: s.planned.Namespace, Locals: s.planned.Source.Locals, Files: m.Files,
		Evaluator: func(o expect.Observed) expect.Evaluator {
			return &value.Scope{
				Vars: m.Vars, Locals: m.Locals, ScenarioLocals: s.planned.Source.Locals, Target: target,
				Pods: o.Pods, Jobs: o.Jobs, Steps: o.Steps, Objects: o.Objects, Dir: m.FS, PathScenario: m.Dir, Extra: o.Extra, Cache: o.Cache, Shared: shared,
			}
		},
	}
}

// steps does the scenario's steps in order. An expectation that is not met
// does not end it, a step that could not be done does.
func (s *session) steps(ctx context.Context) {
	steps := s.planned.Source.Steps
	for i, st := range steps {
		if err := ctx.Err(); err != nil {
			s.abandon(steps[i:], expect.Error, interrupted(err))
			return
		}
		var result report.Step
		var err error
		switch st.Verb {
		case dsl.VerbApply:
			result = s.apply(ctx, st)
			if result.Status >= expect.Fail {
				err = fmt.Errorf("step %q could not be done", st.Name)
			}
		case dsl.VerbExpect:
			result, err = s.expect(ctx, st)
		default:
			err = fmt.Errorf("the verb %q is not known to this version", st.Verb)
			result = report.Step{Name: st.Name, Verb: st.Verb, Status: expect.Error, Detail: err.Error()}
		}
		s.done(result)
		if err != nil {
			s.abandon(steps[i+1:], abandoned(err), err)
			return
		}
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

// done reports a step.
func (s *session) done(result report.Step) {
	s.report.Steps = append(s.report.Steps, result)
	kind := report.EventStep
	if result.Verdict != nil {
		kind = report.EventVerdict
	}
	s.event(report.Event{Kind: kind, Cluster: s.planned.Cluster, Scenario: s.planned.Scenario, Text: result.Detail, Step: &result})
}

// expect decides an expectation. The error ends the scenario.
func (s *session) expect(ctx context.Context, st *dsl.Step) (report.Step, error) {
	began := s.Clock.Now()
	s.event(report.Event{Kind: report.EventProgress, Cluster: s.planned.Cluster, Scenario: s.planned.Scenario, Text: "expecting: " + st.Name})
	w := &waiting{decider: expect.New(st.Expect, s.scope)}
	w.verdict, w.decided = w.decider.Begin(began)
	var err error
	if !w.decided {
		err = s.pump(ctx, nil, w)
	}
	result := report.Step{Name: st.Name, Verb: st.Verb, BeganAt: seconds(s.begin, began), EndedAt: seconds(s.begin, s.Clock.Now())}
	if err != nil {
		if !errors.Is(err, errInterrupted) {
			err = fmt.Errorf("%w: %w", errLost, err)
		}
		result.Status, result.Detail = expect.Error, err.Error()
		return result, err
	}
	result.Status, result.Detail, result.Verdict = w.verdict.Status, w.verdict.Reason, &w.verdict
	return result, nil
}

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

func (w *waiting) deadline() time.Time { return w.decider.Deadline() }

// apply does an apply step.
func (s *session) apply(ctx context.Context, st *dsl.Step) report.Step {
	began := s.Clock.Now()
	result := report.Step{Name: st.Name, Verb: st.Verb, BeganAt: seconds(s.begin, began)}
	in, refused, err := s.applyInput(st)
	var out step.Applied
	if err == nil {
		s.sideLoad(ctx, in.Manifests)
		began = s.Clock.Now()
		out, err = s.doApply(ctx, in)
	}
	ended := s.Clock.Now()
	result.EndedAt = seconds(s.begin, ended)
	result.Status, result.Detail = judgeApply(out, err, refused)
	if refused && result.Status == expect.Pass {
		result.Outcome = "refused"
	}
	record := &collectors.Step{Name: st.Name, Verb: st.Verb, StartedAt: began, FinishedAt: ended, Warnings: out.Warnings, Objects: out.Objects}
	if err != nil {
		record.Error = refusal(err)
	}
	s.take(collectors.Record{Time: ended, Received: ended, Precision: time.Nanosecond, Source: collectors.SourceLab,
		Type: collectors.TypeStep, Object: collectors.Object{Kind: "Step", Name: st.Name}, Step: record})
	for _, w := range out.Warnings {
		s.warn(fmt.Sprintf("%s: the API server warns: %s", st.Name, w))
	}
	return result
}

// doApply applies while records keep being taken.
func (s *session) doApply(ctx context.Context, in step.Apply) (step.Applied, error) {
	limited, cancel := context.WithTimeout(ctx, applying)
	defer cancel()
	var out step.Applied
	var failure error
	done := make(chan struct{})
	go func() {
		defer close(done)
		out, failure = s.cluster.Apply(limited, in)
	}()
	if err := s.pump(context.WithoutCancel(ctx), done, nil); err != nil {
		cancel()
		<-done
		return out, err
	}
	if failure != nil && ctx.Err() != nil {
		failure = interrupted(failure)
	}
	return out, failure
}

// judgeApply says what became of an apply step of which it was expected, or
// not, that the API server refuses it.
func judgeApply(out step.Applied, err error, refused bool) (expect.Status, string) {
	var no *step.RefusedError
	switch {
	case errors.As(err, &no) && refused:
		return expect.Pass, "refused as expected: " + no.Message
	case errors.As(err, &no):
		return expect.Fail, no.Error()
	case err != nil:
		return expect.Error, err.Error()
	case refused:
		return expect.Fail, "expect_error is true, but the API server accepted " + actions(out)
	}
	return expect.Pass, actions(out)
}

// refusal is what step.NAME.error holds.
func refusal(err error) string {
	var no *step.RefusedError
	if errors.As(err, &no) {
		return no.Message
	}
	return err.Error()
}

// actions says what was done, as kubectl does: "job/myapp created".
func actions(out step.Applied) string {
	var done []string
	for i, o := range out.Objects {
		done = append(done, fmt.Sprintf("%s/%s %s", strings.ToLower(o.Kind), o.Name, out.Actions[i]))
	}
	return strings.Join(done, ", ")
}

// applyInput evaluates what the step asks for, and whether it is to be
// refused.
func (s *session) applyInput(st *dsl.Step) (step.Apply, bool, error) {
	in := step.Apply{Namespace: s.planned.Namespace, FieldValidation: st.Apply.FieldValidation}
	texts, err := s.texts(st.Apply.Manifests)
	if err != nil {
		return in, false, err
	}
	for i, text := range texts {
		name := fmt.Sprintf("manifest %d of apply %q", i+1, st.Name)
		in.Manifests = append(in.Manifests, step.Manifest{Name: name, Text: text})
	}
	if st.Apply.ExpectError == nil {
		return in, false, nil
	}
	v, err := s.eval(st.Apply.ExpectError)
	if err != nil {
		return in, false, err
	}
	if v.IsNull() {
		return in, false, nil
	}
	if !v.IsKnown() || v.Type() != cty.Bool {
		return in, false, fmt.Errorf("expect_error of apply %q must be true or false when the step begins", st.Name)
	}
	return in, v.True(), nil
}

// texts evaluates a string, or a list of strings.
func (s *session) texts(expr hcl.Expression) ([]string, error) {
	v, err := s.eval(expr)
	if err != nil {
		return nil, err
	}
	if !v.IsWhollyKnown() || v.IsNull() {
		return nil, errors.New("manifests are not known when the step begins")
	}
	if v.Type() == cty.String {
		return []string{v.AsString()}, nil
	}
	if !v.CanIterateElements() {
		return nil, fmt.Errorf("manifests must be a string of YAML or a list of such, not %s", v.Type().FriendlyName())
	}
	var texts []string
	for it := v.ElementIterator(); it.Next(); {
		_, e := it.Element()
		if e.IsNull() || e.Type() != cty.String {
			return nil, fmt.Errorf("manifests must hold strings of YAML, not %s", e.Type().FriendlyName())
		}
		texts = append(texts, e.AsString())
	}
	return texts, nil
}

// eval evaluates an expression over what is known now.
func (s *session) eval(expr hcl.Expression) (cty.Value, error) {
	v, diags := s.scope.Now().Eval(expr)
	if diags.HasErrors() {
		d := diag.FromHCL(diags, s.plan.Module.Files)[0]
		return v, fmt.Errorf("%s, line %d: %s: %s", d.Range.Filename, d.Range.Start.Line, d.Summary, d.Detail)
	}
	return v, nil
}

// sideLoad puts the manifests' images on the nodes. One that cannot be had
// here is told of and left to the nodes, which may reach what we do not.
func (s *session) sideLoad(ctx context.Context, manifests []step.Manifest) {
	images, err := s.cluster.Images(manifests)
	if err != nil {
		return // the step itself will say what is wrong with the manifest
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, image := range images {
			if err := s.Provisioner.LoadImages(ctx, s.handle, []string{image}, s.progress); err != nil && ctx.Err() == nil {
				s.warn(fmt.Sprintf("%v (it is left to the nodes to pull %s)", err, image))
			}
		}
	}()
	if err := s.pump(context.WithoutCancel(ctx), done, nil); err != nil {
		s.warn(err.Error())
		<-done
	}
}
