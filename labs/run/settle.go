package run

import (
	"context"
	"errors"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
)

// settling is how long a step waits for its arguments to be known: what is so
// by now is observed a moment later.
const settling = 10 * time.Second

// ready evaluates a step's arguments. What was not observed yet is waited for,
// and then is an *unobservedError.
func (s *session) ready(ctx context.Context, st *dsl.Step) (action, error) {
	try := &attempt{build: func() (action, error) {
		a := &arguments{st: st, scope: s.valuesNow(st), files: s.plan.Module.Files}
		built := s.action(a)
		return built, a.err
	}, end: s.Clock.Now().Add(settling)}
	if !try.once() {
		if err := s.pump(ctx, nil, try); err != nil {
			return action{}, err
		}
	}
	return try.built, try.err
}

// attempt is a decision that is made once a step's arguments are known.
type attempt struct {
	build func() (action, error)
	end   time.Time
	built action
	err   error
}

// once says whether the arguments are known, or cannot be had.
func (t *attempt) once() bool {
	t.built, t.err = t.build()
	var unobserved *unobservedError
	return !errors.As(t.err, &unobserved)
}

func (t *attempt) observe(now time.Time, last *collectors.Record) bool {
	over := !now.Before(t.end)
	if last != nil && last.Type == collectors.TypeLog && !over {
		return false // too many, and of no use for most; the end looks again
	}
	return t.once() || over
}

func (t *attempt) deadline() time.Time { return t.end }

var _ decision = (*attempt)(nil)
