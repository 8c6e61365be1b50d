package replay

import (
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/player"
)

// answerIn is how long after a question an answer to it was recorded at the
// latest, if at all: a scenario that has changed asks at other times, and an old
// recording has no answers. Then what was recorded counts as all that there was.
const answerIn = time.Second

// asking is how long the engine waits for an answer, and a little more.
const asking = 15 * time.Second

// slack is how much a deadline may lie behind the end of the recording: the
// run's own clock was read between its last record and the end.
const slack = time.Second

// answers says whether the recording has an answer to a question that was asked
// between two moments.
func (s *recorded) answers(from, to time.Time) bool {
	for _, r := range s.records {
		if r.Asked != nil && !r.Asked.At.Before(from) && !r.Asked.At.After(to) {
			return true
		}
		if received(r).After(to.Add(asking)) {
			break
		}
	}
	return false
}

// observe takes the next record and lets a decision look at it.
func (s *recorded) observe(d *player.Decision) {
	r := s.take()
	if r.Asked != nil {
		d.Observe(r.Asked.At, nil)
		return
	}
	d.Observe(s.now, &r)
}

// lastCall takes what was recorded while the sources were asked what had happened
// by the deadline.
func (s *recorded) lastCall(d *player.Decision, deadline time.Time) {
	for len(s.records) > 0 {
		late := received(s.records[0]).After(deadline)
		r := s.take()
		switch {
		case r.Asked != nil && r.Asked.At.Equal(deadline):
			d.Observe(deadline, nil)
			return
		case r.Asked != nil:
		case late:
			d.Decider.Unplaced(&r)
		default:
			d.Observe(deadline, &r)
		}
	}
	d.Observe(deadline, nil)
}

// through takes the records up to one, which tells of a time.
func (s *recorded) through(seq uint64, at time.Time) {
	for len(s.records) > 0 && s.records[0].Seq <= seq {
		s.take()
	}
	if at.After(s.now) {
		s.now = at
	}
}

// until takes the records that were received by then.
func (s *recorded) until(at time.Time) {
	for len(s.records) > 0 && !received(s.records[0]).After(at) {
		s.take()
	}
	if at.After(s.now) {
		s.now = at
	}
}

// take takes the next record, and lets the invariants look at it.
func (s *recorded) take() collectors.Record {
	r := s.records[0]
	s.records = s.records[1:]
	if at := received(r); at.After(s.now) {
		s.now = at
	}
	s.view.Timeline.Add(r)
	s.player.Observe(func(i *expect.Invariant) (expect.Verdict, bool) {
		v, decided := i.Observe(s.now, &r)
		switch {
		case decided:
		case r.Asked != nil:
			v, decided = i.Observe(r.Asked.At, nil)
		case i.Asks() && !s.answers(s.now, s.now.Add(answerIn)):
			v, decided = i.Observe(s.now, nil)
		}
		return v, decided
	})
	return r
}

func (s *recorded) seconds(at time.Time) float64 { return at.Sub(s.run.Begin).Seconds() }
