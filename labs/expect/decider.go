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
type Decider struct {
	e    *dsl.Expect
	s    *Scope
	logs bool
	// titles are what a diagnostic of a Fail and of an Error is called.
	titles [2]string
	// follow makes the follower of a condition from a time on.
	follow func(start time.Time) follower
	began  time.Time
	// prev is the time of the last observation.
	prev time.Time
	// follower is nil until `when` and `outcome` are known.
	follower follower
	outcome  bool
	verdict  *Verdict
}

// New returns the decider of an expectation.
func New(e *dsl.Expect, s *Scope) *Decider {
	d := &Decider{
		e: e, s: s, outcome: true, logs: NeedsLogs(e, s.Locals),
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
	return d.look(now, now, true)
}

// Observe looks at the timeline, to which last was added, or to which nothing
// was added where last is nil. now is the time that it is, or was received;
// not before that of the call before. It returns the verdict and true once it
// is decided, and the same from then on. A log line costs nothing where the
// expectation uses no logs.
func (d *Decider) Observe(now time.Time, last *collectors.Record) (Verdict, bool) {
	if d.verdict != nil {
		return *d.verdict, true
	}
	changed := last != nil && (last.Type != collectors.TypeLog || d.logs)
	at := d.prev
	if changed {
		at = latest(d.prev, received(last, now))
	}
	return d.look(at, latest(now, at), changed)
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

// look evaluates what is known at a time, where it changed, and lets the time
// pass until now.
func (d *Decider) look(at, now time.Time, changed bool) (Verdict, bool) {
	d.prev = at
	var eval Evaluator
	if changed {
		eval = d.s.at(d.logs)
		if d.follower == nil {
			d.prepare(at, eval)
		}
		if d.follower != nil && d.verdict == nil {
			d.step(at, eval)
		}
	}
	if d.verdict == nil {
		d.advance(now)
	}
	d.prev = latest(d.prev, now)
	if d.verdict == nil {
		return Verdict{}, false
	}
	return *d.verdict, true
}

// prepare evaluates when and outcome, and begins to follow the condition once
// both are known.
func (d *Decider) prepare(at time.Time, eval Evaluator) {
	if at.After(d.began.Add(settle)) {
		return
	}
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
		// What the time decided before this record stands.
		if r := d.follower.pass(at, false); r != nil {
			d.rule(r, eval)
			return
		}
		d.failed(at, diags, eval)
		return
	}
	if r := d.follower.step(at, t); r != nil {
		d.rule(r, eval)
	}
}

// advance lets the time pass without a change.
func (d *Decider) advance(now time.Time) {
	if d.follower != nil {
		if r := d.follower.pass(now, true); r != nil {
			d.rule(r, d.s.at(d.logs))
		}
		return
	}
	if end := d.began.Add(settle); !now.Before(end) {
		d.unprepared(end, d.s.at(d.logs))
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
