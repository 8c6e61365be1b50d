package expect

import (
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
)

// Decider decides one expectation as records arrive. It is driven by its
// caller: Begin once, then Observe after each record and when the Deadline
// passes, until one of them says that it is decided. It never reads a clock.
//
// What it decides, with W for `within` and H for `hold`:
//
//   - W: the condition is true at some observation from the beginning to W
//     after it, that moment included. With H it must stay true for H from the
//     first such moment on, which may end after W; false or unknown in between
//     ends it as not met.
//   - H alone, or neither: the condition must be true now, and with H stay
//     true that long. Known to be false decides at once. Unknown waits up to
//     10 s, since sources lag, and is then not met.
//   - `outcome = false` expects that this is not met. With W and H the
//     condition may come true and break again any number of times, as long as
//     no stretch that begins in W lasts for H.
//   - `when` false is Skip. Unknown, for `when` and `outcome`, waits up to
//     10 s and is then Error; W and H count from when both are known. Null is
//     as if it were not written.
//
// A change counts from when its record was received, so that a caller that is
// behind decides as one that is not, and a replay as both.
//
// Pass and Fail need evidence. A stretch that a source did not see, of an
// object in the condition, makes an Error of a verdict that needs it:
// that the condition was never true, needs all the time from the beginning on;
// that it held, needs the hold; that it is so now, needs this moment. That it
// came true within W, or broke, was seen by itself and stays Pass or Fail.
// Times whose order the sources do not know finely enough are no evidence
// either: a condition that is not known for that alone is Error.
type Decider struct {
	e    *dsl.Expect
	s    *Scope
	logs bool
	// relevance says which records are worth a look.
	relevance *relevance
	// titles are what a diagnostic of a Fail and of an Error is called.
	titles [2]string
	// follow makes the follower of a condition from a time on.
	follow func(start time.Time) follower
	began  time.Time
	// prev is the time of the last record that was looked at; known evaluates
	// over what was known then.
	prev  time.Time
	known Evaluator
	// follower is nil until `when` and `outcome` are known.
	follower follower
	outcome  bool
	verdict  *Verdict
}

// New returns the decider of an expectation.
func New(e *dsl.Expect, s *Scope) *Decider {
	looks := newRelevance(e, s, NeedsLogs(e, s.Locals))
	d := &Decider{
		e: e, s: s, outcome: true, logs: looks.uses(), relevance: looks,
		titles: [2]string{"Expectation not met", "Expectation could not be decided"},
	}
	d.follow = func(start time.Time) follower {
		return &machine{within: e.Within, hold: e.Hold, outcome: d.outcome, start: start}
	}
	return d
}

// Begin starts the decision at now, over what the timeline holds already. It
// returns as Observe does.
func (d *Decider) Begin(now time.Time) (Verdict, bool) {
	d.began, d.prev = now, now
	d.look(now)
	return d.decided()
}

// Observe looks at the timeline, to which last was just added, or to which
// nothing was added where last is nil. now is the time that it is; not before
// that of the call before. It returns the verdict and true once it is decided,
// and the same from then on. A record that cannot change the expectation costs
// next to nothing.
//
// A record tells of the time up to its receipt and no further, since others
// that were received later may still wait to be observed. So Observe must be
// called without one at the Deadline, once all are observed that were received
// by then.
func (d *Decider) Observe(now time.Time, last *collectors.Record) (Verdict, bool) {
	switch {
	case d.verdict != nil:
	case last == nil:
		d.pass(now, true)
	default:
		at := latest(d.prev, received(last, now))
		d.pass(at, false)
		if d.verdict == nil && d.relevance.concerns(last) {
			d.prev = at
			d.look(at)
		}
	}
	return d.decided()
}

func (d *Decider) decided() (Verdict, bool) {
	if d.verdict == nil {
		return Verdict{}, false
	}
	return *d.verdict, true
}

// Deadline is when Observe must be called although nothing arrived; zero once
// it is decided and before Begin.
func (d *Decider) Deadline() time.Time {
	switch {
	case d.verdict != nil || d.began.IsZero():
		return time.Time{}
	case d.follower == nil:
		return d.began.Add(settle)
	default:
		return d.follower.deadline()
	}
}

// NeedsLogs says whether log lines can change the verdict.
func (d *Decider) NeedsLogs() bool { return d.logs }

// look evaluates what is known at a time.
func (d *Decider) look(at time.Time) {
	d.known = d.s.at(d.logs)
	if d.follower == nil {
		d.prepare(at, d.known)
	}
	if d.follower != nil && d.verdict == nil {
		d.step(at, d.known)
	}
}

// prepare evaluates when and outcome, and begins to follow the condition once
// both are known.
func (d *Decider) prepare(at time.Time, eval Evaluator) {
	when, diags := setting(d.e.When, eval)
	if diags.HasErrors() {
		d.failed(at, diags, eval)
		return
	}
	if when == truthFalse {
		d.skip(at, eval)
		return
	}
	outcome, diags := setting(d.e.Outcome, eval)
	if diags.HasErrors() {
		d.failed(at, diags, eval)
		return
	}
	if when == truthUnknown || outcome == truthUnknown {
		return
	}
	d.outcome = outcome == truthTrue
	d.follower = d.follow(at)
}

// step evaluates the condition and tells the follower.
func (d *Decider) step(at time.Time, eval Evaluator) {
	t, diags := evaluate(d.e.Condition, eval)
	if diags.HasErrors() {
		d.failed(at, diags, eval)
		return
	}
	if r := d.follower.step(at, t); r != nil {
		d.rule(r, eval)
	}
}

// pass lets the time pass until now: what it decides by a deadline before now,
// or at it where reached, it decides over what was known then.
func (d *Decider) pass(now time.Time, reached bool) {
	if d.follower != nil {
		if r := d.follower.pass(now, reached); r != nil {
			d.rule(r, d.known)
		}
		return
	}
	if end := d.began.Add(settle); now.After(end) || reached && now.Equal(end) {
		d.unprepared(end, d.known)
	}
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// received is when the record was, not after now.
func received(r *collectors.Record, now time.Time) time.Time {
	if r.Received.IsZero() || r.Received.After(now) {
		return now
	}
	return r.Received
}
