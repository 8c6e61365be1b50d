package run

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/player"
	"github.com/kind-lab/lab/labs/step"
)

// asking bounds how long sources have to say that they have reported everything.
const asking = 10 * time.Second

// lastCall brings a decision whose time is over to its verdict. That something
// did not happen is no more than that nobody reported it, so the sources are
// asked first: what they then tell of before the deadline, by their own clocks,
// counts as reported in time, and one that does not answer has a gap. first is a
// record that arrived after the deadline already, or nil. It says whether the
// decision is made.
func (s *scenarioRun) lastCall(ctx context.Context, w *player.Decision, first *collectors.Record) bool {
	deadline := w.Deadline()
	c := &call{s: s, w: w, deadline: deadline}
	if first != nil {
		c.take(*first)
	}
	for n := len(s.records); n > 0; n-- {
		c.take(<-s.records)
	}
	sources := w.Decider.Sources()
	done := s.sync(ctx, sources)
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
	s.answered(deadline, sources)
	decided := w.Decided() || w.Observe(deadline, nil)
	for _, r := range c.later {
		s.take(r)
		decided = w.Observe(s.in.now(), &r) || decided
	}
	return decided
}

// call is what arrives while the sources are asked.
type call struct {
	s        *scenarioRun
	w        *player.Decision
	deadline time.Time
	// later is what happened after the deadline, to be taken after it.
	later []collectors.Record
}

func (c *call) take(r collectors.Record) {
	if r.Received.After(c.deadline) {
		switch expect.Place(c.s.timeline, &r, c.deadline) {
		case expect.InTime:
			r.Received = c.deadline
		case expect.Unplaced:
			c.s.take(r)
			c.w.Decider.Unplaced(&r)
			return
		default:
			c.later = append(c.later, r)
			return
		}
	}
	c.s.take(r)
	if !c.w.Decided() {
		c.w.Observe(c.deadline, &r)
	}
}

// question is one that the sources have not answered yet.
type question struct {
	at      time.Time
	sources []collectors.Source
	done    <-chan struct{}
}

// ask asks the sources what the decision, and the invariants, need to know, if
// they do and were not asked already. It returns what is closed with the answer;
// nil if there is no question.
func (s *scenarioRun) ask(ctx context.Context, d decision) <-chan struct{} {
	if s.question != nil {
		return s.question.done
	}
	var sources []collectors.Source
	asks := false
	if w, ok := d.(*player.Decision); ok && w.Decider.Asks() {
		asks, sources = true, w.Decider.Sources()
	}
	for _, i := range s.player.Watching() {
		if i.Asks() {
			asks, sources = true, append(sources, i.Sources()...)
		}
	}
	if !asks {
		return nil
	}
	slices.Sort(sources)
	sources = slices.Compact(sources)
	s.question = &question{at: s.in.now(), sources: sources, done: s.sync(ctx, sources)}
	return s.question.done
}

// conclude tells the decision and the invariants that the sources have answered,
// and says whether that decides it.
func (s *scenarioRun) conclude(d decision) bool {
	q := s.question
	s.question = nil
	for n := len(s.records); n > 0; n-- {
		r := <-s.records
		s.take(r)
		if d != nil && d.Observe(s.in.now(), &r) {
			return true
		}
	}
	s.answered(q.at, q.sources)
	if w, ok := d.(*player.Decision); ok {
		return w.Observe(q.at, nil)
	}
	return false
}

// answered records that sources have reported what they had at a moment, and tells
// the invariants.
func (s *scenarioRun) answered(at time.Time, sources []collectors.Source) {
	now := s.in.now()
	s.take(collectors.Record{Time: now, Received: now, Precision: time.Nanosecond, Source: collectors.SourceLab, Type: collectors.TypeAsked,
		Asked: &collectors.Asked{At: at, Sources: sources}})
	s.look(at, nil)
}

// seeWrites returns once what a step changed was observed, as far as its sources
// tell of it at once: an expectation after it is about what came of it.
func (s *scenarioRun) seeWrites(ctx context.Context, trace step.Trace) {
	var sources []collectors.Source // all
	switch trace {
	case step.InNone:
		return
	case step.InAPI:
		sources = []collectors.Source{collectors.SourceAPI}
	}
	if err := s.drain(s.sync(ctx, sources)); err != nil {
		s.warn(err.Error())
	}
}

// sync asks sources, or all where none is named, and closes done when they have
// answered, or did not in time.
func (s *scenarioRun) sync(ctx context.Context, sources []collectors.Source) (done <-chan struct{}) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), asking)
	var group sync.WaitGroup
	for _, c := range s.collectors {
		of, ofOne := c.(OfSource)
		asked := !ofOne || len(sources) == 0 || slices.Contains(sources, of.Source())
		if syncer, ok := c.(Syncer); ok && asked {
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
