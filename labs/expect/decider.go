package expect

import (
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
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
//     condition may become true and break again any number of times, as long as
//     no stretch that begins in W lasts for H.
//   - `when` false is Skip. Unknown, for `when` and `outcome`, waits up to
//     10 s and is then Error; W and H count from when both are known. Null is
//     as if it were not written.
//
// A change counts from when its record was received, so that a caller that is
// behind decides as one that is not, and a replay as both.
//
// Pass and Fail need evidence, which is looked up where the condition's values
// were read: see dsl/value.Read.
//
//   - What a source does not see now is unknown, and what it may have missed
//     makes what is known of the past incomplete. A condition over that is true or
//     false only if it is so whatever was not seen.
//   - A condition that was read from one source holds when that source reports it.
//     If it was read from several, or held already, one source may be behind the
//     others: then the sources must be asked (Asks), and it must still hold. If it
//     no longer holds by then, it perhaps never did: a verdict that depends on that
//     is Error.
//   - That the condition was never true needs all the time from the beginning on
//     without a stretch that such a source did not see, that it held needs the
//     hold. Such a stretch makes an Error of a verdict that needs it. That it
//     became true within W, or broke, was seen and stays Pass or Fail.
//   - Times whose order the sources do not know precisely enough are no evidence
//     either: a condition that is unknown for that reason alone is Error.
type Decider struct {
	e *dsl.Expect
	s *Scope
	// titles are what a diagnostic of a Fail and of an Error is called.
	titles [2]string
	// follow makes the follower of a condition from a time on.
	follow func(start time.Time) follower
	began  time.Time
	// prev is the time of the last record that was looked at; known evaluates
	// over what was known then.
	prev  time.Time
	known Evaluator
	// reads are what was read the last time, and the objects that were looked up
	// then; all what was read at any time.
	reads []value.Read
	all   map[value.Read]bool
	// unseen are the reasons why the condition could not be known at some time,
	// blind those the last time, missed those while something changed.
	unseen, blind, missed []string
	// imprecise says that it once was not known for the precision of times alone;
	// partly that it may have been false then, though it was not known yet.
	imprecise, partly bool
	// isFresh says that what is reported now is of the time after the beginning, or
	// after the last gap: the sources were asked since then.
	isFresh bool
	// staleFrom is since when it is not.
	staleFrom time.Time
	// settledAt is when `when` and `outcome` were first known, where the sources
	// must be asked about them; zero otherwise.
	settledAt time.Time
	// unplaced says that after the deadline something arrived that may have
	// happened before it and changes the condition.
	unplaced bool
	// follower is nil until `when` and `outcome` are known.
	follower follower
	outcome  bool
	verdict  *Verdict
}

// New returns the decider of an expectation.
func New(e *dsl.Expect, s *Scope) *Decider {
	d := &Decider{
		e: e, s: s, outcome: true, all: map[value.Read]bool{},
		titles: [2]string{"Expectation failed", "Expectation could not be decided"},
	}
	d.follow = func(start time.Time) follower {
		return &machine{within: e.Within, hold: e.Hold, outcome: d.outcome, start: start}
	}
	return d
}

// Begin starts the decision at now, over what the timeline holds already. It
// returns as Observe does.
func (d *Decider) Begin(now time.Time) (Verdict, bool) {
	d.began, d.prev, d.staleFrom = now, now, now
	d.look(now, nil)
	return d.decided()
}

// Observe looks at the timeline, to which last was just added, at the time now;
// not before that of the call before. Where last is nil it says that every
// source was asked at now or later, and that all that happened before now was
// observed. It returns the verdict and true once it is decided, and the same
// from then on. A record that cannot change the expectation costs next to
// nothing.
//
// A record tells of the time up to its receipt and no further, since others
// that were received later may still wait to be observed. So Observe must be
// called without one at the Deadline, once all are observed that were received
// by then.
func (d *Decider) Observe(now time.Time, last *collectors.Record) (Verdict, bool) {
	switch {
	case d.verdict != nil:
	case last == nil:
		d.asked(now)
	default:
		at := latest(d.prev, received(last, now))
		d.pass(at, false)
		if d.verdict == nil && d.concerns(last) {
			d.prev = at
			d.look(at, last)
		}
	}
	return d.decided()
}

// Asks says whether the sources must be asked before it can be decided: then
// Observe is to be called without a record, with the time at which they were
// asked, once all that they had by then is observed.
func (d *Decider) Asks() bool {
	if d.verdict != nil {
		return false
	}
	return !d.settledAt.IsZero() || len(d.all) > 0 && !d.isFresh || d.follower != nil && d.follower.asks()
}

// Sources are those that tell of what was read so far.
func (d *Decider) Sources() []collectors.Source {
	of := map[collectors.Source]bool{}
	for r := range d.all {
		switch {
		case r.Stream == value.LifeStream:
			of[collectors.SourceAPI], of[collectors.SourceRuntime] = true, true
		case r.Stream == value.RuntimeStream:
			of[collectors.SourceRuntime] = true
		case r.Stream == value.LogStream:
			of[collectors.SourceLog] = true
		case r.Stream.Kind() != "":
			of[collectors.SourceAPI] = true
		}
	}
	return slices.Sorted(maps.Keys(of))
}

// Unplaced looks at a record that was added to the timeline after the Deadline,
// while the sources were asked about it, and of which nobody knows whether it
// happened before. Observe must be called without a record after it.
func (d *Decider) Unplaced(r *collectors.Record) {
	if d.verdict != nil || d.follower == nil || d.unplaced || !d.concerns(r) {
		return
	}
	before, _ := d.truth(d.known)
	f, after, diags := d.find(d.s.Now())
	d.reads = readsOf(f) // such as a pod that this record tells of
	d.unplaced = diags.HasErrors() || before != after || after == truthUnknown && (len(f.Unseen) > 0 || f.Imprecise || f.Partly)
}

func (d *Decider) truth(eval Evaluator) (truth, hcl.Diagnostics) {
	_, t, diags := d.find(eval)
	return t, diags
}

// find evaluates the condition: what its value rests on, and its truth.
func (d *Decider) find(eval Evaluator) (value.Finding, truth, hcl.Diagnostics) {
	f, diags := eval.Find(d.e.Condition)
	if diags.HasErrors() {
		return f, truthUnknown, diags
	}
	t, diags := truthOf(d.e.Condition, f.Marked())
	return f, t, diags
}

// readsOf lists what a value was read from, and the objects that were looked up.
func readsOf(f value.Finding) []value.Read { return append(slices.Clone(f.Reads), f.Objects...) }

// concerns says whether a record can change what was read.
func (d *Decider) concerns(r *collectors.Record) bool { return touched(d.s, d.reads, r) }

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

// look evaluates what is known at a time, after a record or without one.
func (d *Decider) look(at time.Time, last *collectors.Record) {
	d.known = d.s.Now()
	if d.follower == nil {
		d.prepare(at, last)
	}
	if d.follower != nil && d.verdict == nil {
		d.step(at, last)
	}
}

// asked notes that all that happened before a moment was observed.
func (d *Decider) asked(now time.Time) {
	d.isFresh = d.isFresh || !now.Before(d.staleFrom)
	if !d.settledAt.IsZero() && !d.settledAt.After(now) {
		since := d.settledAt
		d.settledAt = time.Time{}
		d.settle(since)
		if d.verdict == nil {
			d.step(since, nil)
		}
	}
	if d.verdict == nil && d.follower != nil {
		if r := d.follower.asked(now); r != nil {
			d.rule(r, d.known)
		}
	}
	if d.verdict == nil {
		d.pass(now, true)
	}
}

// prepare evaluates when and outcome, and begins to follow the condition once
// both are known.
func (d *Decider) prepare(at time.Time, last *collectors.Record) {
	when, outcome, reads, diags := d.settings()
	d.read(reads)
	switch {
	case diags.HasErrors():
		d.failed(at, diags, d.known)
	case when == truthUnknown || when == truthTrue && outcome == truthUnknown:
		d.settledAt = time.Time{}
	case d.proves(reads, last):
		d.settledAt = time.Time{}
		d.settle(at)
	case d.settledAt.IsZero():
		d.settledAt = at
	}
}

// settings are the truths of when and outcome, with what they were read from.
func (d *Decider) settings() (when, outcome truth, reads []value.Read, diags hcl.Diagnostics) {
	when, reads, diags = setting(d.e.When, d.known)
	if diags.HasErrors() || when == truthFalse {
		return when, truthUnknown, reads, diags
	}
	outcome, more, diags := setting(d.e.Outcome, d.known)
	return when, outcome, append(reads, more...), diags
}

// settle begins to follow the condition, or skips it, with when and outcome as
// they are known.
func (d *Decider) settle(at time.Time) {
	when, outcome, _, _ := d.settings()
	if when == truthFalse {
		d.skip(at, d.known)
		return
	}
	d.outcome = outcome == truthTrue
	d.follower = d.follow(at)
}

// read notes what was read.
func (d *Decider) read(reads []value.Read) {
	d.reads = reads
	for _, r := range reads {
		d.all[r] = true
	}
}

// step evaluates the condition and tells the follower.
func (d *Decider) step(at time.Time, last *collectors.Record) {
	f, t, diags := d.find(d.known)
	d.read(f.Reads)
	d.reads = readsOf(f)
	if last != nil && last.Type == collectors.TypeGap {
		d.isFresh, d.staleFrom = false, at
	}
	if diags.HasErrors() {
		d.failed(at, diags, d.known)
		return
	}
	l := look{
		at: at, t: t, sure: d.proves(d.reads, last), from: at,
		blind: t == truthUnknown && len(f.Unseen) > 0, coarse: t == truthUnknown && f.Imprecise,
	}
	if gap := gapsOf(d.s.Timeline, d.s.Namespace).late(d.reads, at); gap != nil {
		l.from = gap.Gap.From
	}
	d.cannotSee(f.Unseen, l.blind, last)
	d.imprecise, d.partly = d.imprecise || f.Imprecise, d.partly || f.Partly
	if r := d.follower.step(l); r != nil {
		d.rule(r, d.known)
	}
}

// cannotSee notes why the condition is not known, and whether something changed
// meanwhile: a gap in which nothing was lost hides no more than that.
func (d *Decider) cannotSee(why []string, blind bool, last *collectors.Record) {
	if !blind {
		why = nil
	}
	if last != nil && last.Type != collectors.TypeGap {
		d.missed = append(append(d.missed, d.blind...), why...)
	}
	d.blind = why
	for _, one := range why {
		if !slices.Contains(d.unseen, one) {
			d.unseen = append(d.unseen, one)
		}
	}
}

// proves says whether a record shows by itself that what was read is so, and was
// not so only before the beginning.
func (d *Decider) proves(reads []value.Read, r *collectors.Record) bool {
	if !proves(d.s, reads, r) {
		return false
	}
	ownTime := r != nil && (r.Source == collectors.SourceRuntime || r.Source == collectors.SourceLog) && r.Precision < time.Second
	return len(reads) == 0 || d.isFresh || ownTime && !r.Time.Before(d.staleFrom)
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
