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
// that is not known yet: the API lags the container runtime by a second or
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
	// never: the time in which it could come true is over.
	never
	// unsettled: it had to be true at once and was not known in time.
	unsettled
	// violated: it must never be false, and was.
	violated
	// kept: it was never false, to the end.
	kept
)

// follower follows a condition's truth over time. It knows neither expressions
// nor records: it is told the truth whenever that may have changed.
type follower interface {
	// step tells that the condition is t from now on. The result is nil while
	// nothing is decided. A change at the deadline itself still counts.
	step(now time.Time, t truth) *ruling
	// pass decides what the time alone decides: a deadline before now, or at
	// it where reached.
	pass(now time.Time, reached bool) *ruling
	// deadline is when it decides if nothing changes until then; zero where it
	// never does.
	deadline() time.Time
}

// ruling is the end of a condition's course.
type ruling struct {
	kind rulingKind
	// met says that the condition came true, and held where that was asked.
	met bool
	// got is what the condition was then.
	got truth
	at  time.Time
	// start is when the condition began to be followed.
	start time.Time
	// since is when it last came true, for cameTrue, held and broke.
	since time.Time
	// seen says that what was observed shows it by itself. Otherwise it shows
	// it only if from needed to at nothing was missed.
	seen   bool
	needed time.Time
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
	// outcome is whether the condition is expected to come true.
	outcome bool
	start   time.Time

	last   truth
	since  time.Time
	isTrue bool
	tally
}

var _ follower = (*machine)(nil)

func (m *machine) deadline() time.Time {
	switch {
	case m.isTrue:
		return m.since.Add(m.hold)
	case m.within > 0:
		return m.start.Add(m.within)
	default:
		return m.start.Add(settle)
	}
}

func (m *machine) step(now time.Time, t truth) *ruling {
	if r := m.pass(now, false); r != nil {
		return r
	}
	m.last = t
	m.count(t)
	var r *ruling
	switch {
	case t == truthTrue:
		r = m.rise(now)
	case m.isTrue:
		r = m.fall(now)
	case t == truthFalse && m.within == 0:
		r = m.rule(wasFalse, now, now)
	}
	if r != nil {
		return r
	}
	return m.pass(now, true)
}

func (m *machine) pass(now time.Time, reached bool) *ruling {
	deadline := m.deadline()
	if now.Before(deadline) || !reached && !now.After(deadline) {
		return nil
	}
	switch {
	case m.isTrue:
		return m.rule(held, deadline, m.since)
	case m.within > 0:
		return m.rule(never, deadline, m.start)
	default:
		return m.rule(unsettled, deadline, m.start)
	}
}

// rise is told when the condition is true.
func (m *machine) rise(now time.Time) *ruling {
	if !m.isTrue {
		m.isTrue, m.since = true, now
	}
	if m.hold > 0 {
		return nil
	}
	r := m.rule(cameTrue, now, now)
	r.seen = m.within > 0
	return r
}

// fall is told when the condition was true and is not any more. Where it is
// not expected to come true and hold, it may do so again until its time is
// over.
func (m *machine) fall(now time.Time) *ruling {
	m.isTrue = false
	if !m.outcome && m.within > 0 {
		if end := m.start.Add(m.within); now.After(end) {
			return m.rule(never, now, m.start)
		}
		return nil
	}
	r := m.rule(broke, now, m.since)
	r.seen = true
	return r
}

func (m *machine) rule(kind rulingKind, at, needed time.Time) *ruling {
	return &ruling{
		kind: kind, met: kind == cameTrue || kind == held, got: m.last,
		at: at, start: m.start, since: m.since, needed: needed, tally: m.tally,
	}
}
