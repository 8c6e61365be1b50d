package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/player"
)

// decision is what a scenario waits for: a verdict, or the arguments of a step.
type decision interface {
	// Observe looks at the timeline and says whether that decides it.
	Observe(now time.Time, last *collectors.Record) bool
	// Deadline is when it has to look again although nothing arrived; zero
	// where there is no such time.
	Deadline() time.Time
}

// pump takes records until finished is closed, the decision is made, ctx ends
// or a collector gives up. Either of finished and d may be nil.
func (s *scenarioRun) pump(ctx context.Context, finished <-chan struct{}, d decision) error {
	for {
		timer, stop := s.timer(d)
		select {
		case <-s.ask(ctx, d):
			if s.conclude(d) {
				stop()
				return nil
			}
		case r := <-s.records:
			if w, ok := d.(*player.Decision); ok && !d.Deadline().IsZero() && r.Received.After(d.Deadline()) {
				if s.lastCall(ctx, w, &r) {
					stop()
					return nil
				}
				break
			}
			s.take(r)
			if d != nil && d.Observe(s.in.now(), &r) {
				stop()
				return nil
			}
		case <-finished:
			stop()
			return nil
		case <-timer:
			if w, ok := d.(*player.Decision); ok {
				if s.lastCall(ctx, w, nil) {
					return nil
				}
				break
			}
			if s.backlog(d) || d.Observe(s.in.now(), nil) {
				return nil
			}
		case err := <-s.broken:
			stop()
			if s.finishing {
				s.warn(fmt.Sprintf("an observer gave up: %v", err))
				continue
			}
			return fmt.Errorf("an observer gave up: %w", err)
		case <-ctx.Done():
			stop()
			return s.ended(ctx)
		}
		stop()
	}
}

// backlog takes the records that have already arrived, so that a deadline is
// not judged over less than what is there, and says whether one decided it.
func (s *scenarioRun) backlog(d decision) bool {
	for n := len(s.records); n > 0; n-- {
		r := <-s.records
		s.take(r)
		if d.Observe(s.in.now(), &r) {
			return true
		}
	}
	return false
}

func (s *scenarioRun) timer(d decision) (<-chan time.Time, func()) {
	if d == nil || d.Deadline().IsZero() {
		return nil, func() {}
	}
	return s.in.engine.Clock.At(d.Deadline())
}

func (s *scenarioRun) ended(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return player.Interrupted(ctx.Err())
	}
	return ctx.Err()
}
