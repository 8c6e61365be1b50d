package run

import (
	"context"
	"errors"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/step"
)

// readyStep is a step whose arguments are evaluated.
type readyStep struct {
	prepared step.Prepared
	expected step.Expected
}

// ready evaluates a step's arguments. What was not observed yet is waited for,
// and then is a *step.UnobservedError.
func (s *scenarioRun) ready(ctx context.Context, st *dsl.Step, verb step.Verb) (readyStep, error) {
	try := &attempt{evaluate: func() (readyStep, error) {
		a := &step.Arguments{Step: st, Scope: s.valuesNow(st), Files: s.in.plan.Module.Files, Surroundings: step.Surroundings{
			Namespace: s.planned.Namespace, Dir: s.in.plan.Module.Dir, Handle: s.on.handle,
			AllowHostExec: s.in.engine.AllowHostExec, Clock: s.in.engine.Clock,
		}}
		ready := readyStep{prepared: verb.Prepare(a)}
		ready.expected = a.Expected()
		return ready, a.Err()
	}, end: s.in.now().Add(step.Settling)}
	if !try.once() {
		if err := s.pump(ctx, nil, try); err != nil {
			return readyStep{}, err
		}
	}
	return try.ready, try.err
}

// attempt is a decision that is made once a step's arguments are known.
type attempt struct {
	evaluate func() (readyStep, error)
	end      time.Time
	ready    readyStep
	err      error
}

// once says whether the arguments are known, or cannot be evaluated.
func (t *attempt) once() bool {
	t.ready, t.err = t.evaluate()
	var unobserved *step.UnobservedError
	return !errors.As(t.err, &unobserved)
}

// Observe evaluates the arguments again.
func (t *attempt) Observe(now time.Time, last *collectors.Record) bool {
	over := !now.Before(t.end)
	if last != nil && last.Type == collectors.TypeLog && !over {
		return false // too many, and of no use for most; the end looks again
	}
	return t.once() || over
}

// Deadline is when nothing more is waited for.
func (t *attempt) Deadline() time.Time { return t.end }

var _ decision = (*attempt)(nil)
