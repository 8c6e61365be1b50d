package expect

import "time"

// truth is what a condition is at one moment.
type truth int

const (
	truthUnknown truth = iota
	truthFalse
	truthTrue
)

// String returns the truth as Verdict.Got has it.
func (t truth) String() string { return [...]string{"unknown", "false", "true"}[t] }

// settle is how long an expectation without `within` waits for a condition
// that is unknown: the API lags the container runtime by a second or
// more.
const settle = 10 * time.Second

// rulingKind says how a condition's course ended.
type rulingKind int

const (
	// cameTrue: it was true, and no hold was asked for.
	cameTrue rulingKind = iota
	// held: it stayed true for the whole hold.
	held
	// broke: it was true and then was not, before the hold was over.
	broke
	// wasFalse: it had to be true at once and was known to be false.
	wasFalse
	// never: the time in which it could become true is over.
	never
	// unsettled: it had to be true at once and was not known in time.
	unsettled
	// violated: it must never be false, and was.
	violated
	// kept: it was never false, to the end.
	kept
)

// look is what a condition is from a moment on.
type look struct {
	at time.Time
	t  truth
	// sure says that what was observed then shows it by itself. Otherwise it
	// counts once the sources have been asked and it is still so.
	sure bool
	// blind says that it is unknown since a source saw nothing.
	blind bool
	// from is since when it may have been so: a source that was late tells of a
	// change when it has caught up.
	from time.Time
	// coarse says that it is unknown since times in it are not precise enough.
	coarse bool
}

// follower follows a condition's truth over time. It knows neither expressions
// nor records: it gets the truth whenever the truth may have changed.
type follower interface {
	// step takes what the condition is from now on, which is not after the
	// deadline. The result is nil while nothing is decided.
	step(look) *ruling
	// asked says that all that happened before a moment was observed.
	asked(now time.Time) *ruling
	// asks says whether something waits for that.
	asks() bool
	// pass decides what the time alone decides: a deadline before now, or at
	// it where reached.
	pass(now time.Time, reached bool) *ruling
	// deadline is when it decides if nothing changes until then; zero if it
	// never does.
	deadline() time.Time
}

// ruling is the end of a condition's course.
type ruling struct {
	kind rulingKind
	// met says that the condition became true, and held where that was asked.
	met bool
	// got is what the condition was then.
	got truth
	at  time.Time
	// start is when the condition began to be followed.
	start time.Time
	// since is when it last became true, for cameTrue, held and broke; from is when
	// it may have, as in look.
	since, from time.Time
	// seen says that what was observed shows it by itself. Otherwise it shows
	// it only if from needed to at nothing was missed.
	seen   bool
	needed time.Time
	// waited says that it was not sure until the sources had been asked.
	waited bool
	// doubted is when the condition was so for a moment that was over before the
	// sources had been asked; zero if that matters to nothing.
	doubted time.Time
	// looks counts how often an invariant was evaluated.
	looks int
	tally
}

// tally says what a condition was at some time of its course.
type tally struct{ wasUnknown, wasFalse, wasTrue bool }

func (y *tally) count(t truth) {
	y.wasUnknown = y.wasUnknown || t == truthUnknown
	y.wasFalse = y.wasFalse || t == truthFalse
	y.wasTrue = y.wasTrue || t == truthTrue
}

// machine follows the condition of an expectation.
type machine struct {
	within, hold time.Duration
	// outcome is whether the condition is expected to become true.
	outcome bool
	start   time.Time

	last   truth
	isTrue bool
	// since and from are when it became true, as in ruling.
	since, from time.Time
	// isSure says that it is known that the condition became true.
	isSure bool
	// waits is a ruling that counts once the sources have been asked.
	waits *ruling
	// doubted is when the condition last was so for a moment only.
	doubted time.Time
	tally
}

var _ follower = (*machine)(nil)

// stretches says whether any time that it stays true counts, and not the first
// alone.
func (m *machine) stretches() bool { return !m.outcome && m.within > 0 }

func (m *machine) deadline() time.Time {
	switch {
	case m.isTrue && m.hold > 0:
		return m.since.Add(m.hold)
	case m.within > 0:
		return m.start.Add(m.within)
	default:
		return m.start.Add(settle)
	}
}

func (m *machine) asks() bool { return m.waits != nil || m.isTrue && !m.isSure }

func (m *machine) asked(now time.Time) *ruling {
	if m.isTrue && !m.since.After(now) {
		m.isSure = true
	}
	r := m.waits
	if r == nil || r.at.After(now) {
		return nil
	}
	m.waits = nil
	if r.kind == broke && m.stretches() {
		return m.fell(r.at)
	}
	return r
}

func (m *machine) step(l look) *ruling {
	m.last = l.t
	m.count(l.t)
	m.reconsider(l)
	if (l.blind || l.coarse) && m.within == 0 && !m.isTrue { // what it is later is not what it is now
		m.doubted = l.at
	}
	switch {
	case l.t == truthTrue:
		return m.rise(l)
	case m.isTrue:
		return m.fall(l)
	case l.t == truthFalse && m.within == 0:
		return m.unless(l.sure, m.rule(wasFalse, l.at, l.at))
	}
	return nil
}

// reconsider gives up what waits for the sources to be asked if it is no
// longer so.
func (m *machine) reconsider(l look) {
	switch {
	case m.waits == nil || m.waits.got == l.t || m.waits.kind == broke && l.t != truthTrue:
	default:
		m.waits, m.doubted = nil, l.at
	}
}

// unless is a ruling, or nil while it waits for the sources to be asked.
func (m *machine) unless(sure bool, r *ruling) *ruling {
	if sure {
		r.seen = true
		return r
	}
	if m.waits == nil {
		r.seen, r.waited = true, true
		m.waits = r
	}
	return nil
}

func (m *machine) pass(now time.Time, reached bool) *ruling {
	deadline := m.deadline()
	if now.Before(deadline) || !reached && !now.After(deadline) {
		return nil
	}
	if r := m.asked(deadline); r != nil || m.deadline().After(deadline) {
		return r
	}
	switch {
	case m.isTrue:
		needed := m.since
		if m.within > 0 && m.outcome {
			needed = m.start // it may have become true before, and broken
		}
		return m.rule(held, deadline, needed)
	case m.within > 0:
		return m.rule(never, deadline, m.start)
	default:
		return m.rule(unsettled, deadline, m.start)
	}
}

// rise is called when the condition is true.
func (m *machine) rise(l look) *ruling {
	if !m.isTrue {
		m.isTrue, m.since, m.from, m.isSure = true, l.at, l.from, l.sure
	}
	m.isSure = m.isSure || l.sure
	if m.hold > 0 {
		return nil
	}
	return m.unless(m.isSure, m.rule(cameTrue, m.since, m.since))
}

// fall is called when the condition was true and no longer is. If it is not
// expected to become true and hold, it may become true again until its time is
// over.
func (m *machine) fall(l look) *ruling {
	switch {
	case m.hold > 0 && l.blind && !m.isSure: // what is not seen now may have come before it
		m.isTrue, m.doubted = false, l.at
		return nil
	case m.hold > 0 && l.blind: // it may still be true; the gap is looked at in the end
		return nil
	case m.hold > 0 && l.coarse:
		return m.blur(l.at)
	case !m.isSure: // it may never have been true
		m.isTrue, m.doubted = false, l.at
		if l.t == truthFalse && m.within == 0 {
			return m.unless(l.sure, m.rule(wasFalse, l.at, l.at))
		}
		return nil
	case m.stretches() && l.sure:
		return m.fell(l.at)
	}
	return m.unless(l.sure, m.rule(broke, l.at, m.since))
}

// blur ends a stretch in which the condition was true, and may still be, since
// times are not precise enough.
func (m *machine) blur(at time.Time) *ruling {
	m.doubted = at
	if m.stretches() {
		return m.fell(at)
	}
	return m.rule(broke, at, m.since) // which was not seen
}

// fell ends a stretch in which the condition was true.
func (m *machine) fell(at time.Time) *ruling {
	m.isTrue = false
	if at.Sub(m.from) > m.hold-tooNear { // it may have held
		m.doubted = at
	}
	if end := m.start.Add(m.within); at.After(end) {
		return m.rule(never, at, m.start)
	}
	return nil
}

func (m *machine) rule(kind rulingKind, at, needed time.Time) *ruling {
	r := &ruling{
		kind: kind, met: kind == cameTrue || kind == held, got: m.last,
		at: at, start: m.start, since: m.since, from: m.from, needed: needed, tally: m.tally,
	}
	if m.within == 0 || kind == never || kind == unsettled || kind == held && !(m.stretches() && !m.doubted.After(m.since)) {
		r.doubted = m.doubted
	}
	return r
}
