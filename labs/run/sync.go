package run

import (
	"context"
	"sync"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// asking bounds how long sources have to say that they have told everything.
const asking = 10 * time.Second

// lastCall brings a decision whose time is over to its verdict. That something
// did not happen is no more than that nobody told of it, so the sources are
// asked first: what they then tell of before the deadline, by their own clocks,
// counts as told in time, and one that does not answer has a gap. first is a
// record that arrived after the deadline already, or nil. It says whether the
// decision is made.
func (s *session) lastCall(ctx context.Context, w *waiting, first *collectors.Record) bool {
	deadline := w.deadline()
	c := &call{s: s, w: w, deadline: deadline}
	if first != nil {
		c.take(*first)
	}
	for n := len(s.records); n > 0; n-- {
		c.take(<-s.records)
	}
	done := s.sync(ctx)
	for waits := true; waits; {
		select {
		case r := <-s.records:
			c.take(r)
		case <-done:
			waits = false
		}
	}
	for n := len(s.records); n > 0; n-- {
		c.take(<-s.records)
	}
	decided := w.decided || w.observe(s.Clock.Now(), nil)
	for _, r := range c.later {
		s.take(r)
		decided = w.observe(s.Clock.Now(), &r) || decided
	}
	return decided
}

// call is what arrives while the sources are asked.
type call struct {
	s        *session
	w        *waiting
	deadline time.Time
	// later is what happened after the deadline, to be taken after it.
	later []collectors.Record
}

func (c *call) take(r collectors.Record) {
	if r.Received.After(c.deadline) {
		if !c.inTime(r) {
			c.later = append(c.later, r)
			return
		}
		r.Received = c.deadline
	}
	c.s.take(r)
	if !c.w.decided {
		c.w.observe(c.deadline, &r)
	}
}

// inTime says whether a record that arrived late tells of something before the
// deadline: by a clock that is precise enough, or because its source is blind
// since before it.
func (c *call) inTime(r collectors.Record) bool {
	if r.Gap != nil {
		return !r.Gap.From.After(c.deadline) && (r.Gap.To.IsZero() || r.Gap.Count == 0)
	}
	if r.Source != collectors.SourceRuntime && r.Source != collectors.SourceLog {
		return false
	}
	return r.Precision < time.Second && !r.Time.After(c.deadline)
}

// sync asks all sources and closes done when they have answered, or did not in
// time.
func (s *session) sync(ctx context.Context) (done <-chan struct{}) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), asking)
	var group sync.WaitGroup
	for _, c := range s.collectors {
		if syncer, ok := c.(Syncer); ok {
			// What a source says to it is in a gap.
			group.Go(func() { _ = syncer.Sync(limited) })
		}
	}
	all := make(chan struct{})
	go func() {
		group.Wait()
		cancel()
		close(all)
	}()
	return all
}
