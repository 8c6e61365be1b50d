package hide

import (
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/expect"
)

// Decision is an expect.Decider or an expect.Invariant.
type Decision interface {
	Begin(time.Time) (expect.Verdict, bool)
	Observe(time.Time, *collectors.Record) (expect.Verdict, bool)
	Asks() bool
	Unplaced(*collectors.Record)
}

var (
	_ Decision = (*expect.Decider)(nil)
	_ Decision = (*expect.Invariant)(nil)
)

// Judge brings an expectation that begins at a time to its verdict, as an engine
// does whose sources take Answer to answer. tl is empty; records are ordered by
// Received.
func Judge(d *expect.Decider, tl *collectors.Timeline, records []collectors.Record, begin time.Time) expect.Verdict {
	j := &judge{tl: tl, records: slices.Clone(records)}
	j.skip(begin)
	v, done := d.Begin(begin)
	for !done {
		v, done = j.next(d)
	}
	return v
}

// judge is what is left of a journal.
type judge struct {
	tl      *collectors.Timeline
	records []collectors.Record
	now     time.Time
	// asked is when the sources were asked; zero if no question is open.
	asked time.Time
}

// skip takes what was received by a time.
func (j *judge) skip(by time.Time) {
	j.now = by
	for len(j.records) > 0 && !j.records[0].Received.After(by) {
		j.tl.Add(j.take())
	}
}

func (j *judge) take() collectors.Record {
	r := j.records[0]
	j.records = j.records[1:]
	return r
}

func (j *judge) next(d *expect.Decider) (expect.Verdict, bool) {
	if d.Asks() && j.asked.IsZero() {
		j.asked = j.now
	}
	deadline := d.Deadline()
	until := deadline
	if answer := j.asked.Add(Answer); !j.asked.IsZero() && answer.Before(until) {
		until = answer
	}
	switch {
	case len(j.records) > 0 && !j.records[0].Received.After(until):
		r := j.take()
		j.now = r.Received
		j.tl.Add(r)
		return d.Observe(r.Received, &r)
	case until.Before(deadline):
		at := j.asked
		j.now, j.asked = until, time.Time{}
		return d.Observe(at, nil)
	}
	return j.lastCall(d, deadline)
}

// lastCall takes what arrives while the sources are asked about a deadline.
func (j *judge) lastCall(d *expect.Decider, deadline time.Time) (expect.Verdict, bool) {
	j.asked = time.Time{}
	later := j.answer(d, deadline)
	j.records = append(later, j.records...)
	j.now = deadline
	return d.Observe(deadline, nil)
}

// Watch watches an invariant from a time to another, as Judge does.
func Watch(i *expect.Invariant, tl *collectors.Timeline, records []collectors.Record, begin, end time.Time) expect.Verdict {
	j := &judge{tl: tl, records: slices.Clone(records)}
	j.skip(begin)
	v, done := i.Begin(begin)
	for !done {
		if i.Asks() && j.asked.IsZero() {
			j.asked = j.now
		}
		until := end
		if answer := j.asked.Add(Answer); !j.asked.IsZero() && answer.Before(until) {
			until = answer
		}
		switch {
		case len(j.records) > 0 && !j.records[0].Received.After(until):
			r := j.take()
			j.now = r.Received
			j.tl.Add(r)
			v, done = i.Observe(r.Received, &r)
		case until.Before(end):
			at := j.asked
			j.now, j.asked = until, time.Time{}
			v, done = i.Observe(at, nil)
		default:
			return j.end(i, end)
		}
	}
	return v
}

// end takes what arrives while the sources are asked at the end.
func (j *judge) end(i *expect.Invariant, end time.Time) expect.Verdict {
	j.answer(i, end)
	return i.End(end)
}

// answer takes what arrives while the sources are asked what had happened by a
// moment, and returns what happened after it.
func (j *judge) answer(d Decision, by time.Time) (later []collectors.Record) {
	for len(j.records) > 0 && !j.records[0].Received.After(by.Add(Answer)) {
		r := j.take()
		switch expect.Place(j.tl, &r, by) {
		case expect.InTime:
			r.Received = by
			j.tl.Add(r)
			d.Observe(by, &r)
		case expect.Unplaced:
			j.tl.Add(r)
			d.Unplaced(&r)
		default:
			later = append(later, r)
		}
	}
	return later
}
