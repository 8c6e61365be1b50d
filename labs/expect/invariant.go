package expect

import (
	"fmt"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
)

// Invariant watches a condition that must not be false at any observation. It
// is driven as a Decider is: Begin once, Observe after each record, and End at
// the scenario's end. It never reads a clock.
//
//   - Known to be false is Fail, at once where what was seen shows it by itself,
//     else once the sources have been asked; no gap takes it away.
//   - Never false to the end is Pass, also if it was not known at times.
//   - It is Error at the end where a source missed something of what the
//     condition is about, by the rules of the Decider and over all the time
//     from the beginning on; and if the condition was never known, because an
//     object in it was never observed or an order of times in it is unknown:
//     then nothing was watched.
//   - `when` is as that of a Decider: false is Skip, unknown waits up to 10 s
//     and is then, or at the end where that is sooner, Error.
//   - What cannot be evaluated decides at once: Error.
type Invariant struct {
	d *Decider
	w *watch
}

// NewInvariant returns the watch over an invariant.
func NewInvariant(i *dsl.Invariant, s *Scope) *Invariant {
	d := New(&dsl.Expect{Name: i.Name, Condition: i.Condition, When: i.When, Message: i.Message, Range: i.Range}, s)
	d.titles = [2]string{"Invariant broken", "Invariant could not be decided"}
	inv := &Invariant{d: d}
	d.follow = func(start time.Time) follower {
		inv.w = &watch{start: start}
		return inv.w
	}
	return inv
}

// Begin begins the watch at now, over what the timeline holds already. It
// returns as Observe does.
func (i *Invariant) Begin(now time.Time) (Verdict, bool) { return i.d.Begin(now) }

// Observe looks at the timeline, to which last was added, or to which nothing
// was added where last is nil; now is as for a Decider. It returns the verdict
// and true once it is decided, and the same from then on.
func (i *Invariant) Observe(now time.Time, last *collectors.Record) (Verdict, bool) {
	return i.d.Observe(now, last)
}

// End ends the watch at now and returns the verdict. Records must have been
// observed before; those that were not do not count.
func (i *Invariant) End(now time.Time) Verdict {
	d := i.d
	if d.began.IsZero() {
		d.Begin(now)
	}
	if v, done := d.Observe(now, nil); done {
		return v
	}
	at := latest(d.prev, now)
	switch {
	case i.w == nil:
		d.unprepared(at, d.known)
	default:
		d.rule(i.w.end(at), d.known)
	}
	return *d.verdict
}

// Asks says whether the sources must be asked before it can be decided, as for a
// Decider.
func (i *Invariant) Asks() bool { return i.d.Asks() }

// Unplaced looks at a record that was added to the timeline while the sources
// were asked about the end, as for a Decider.
func (i *Invariant) Unplaced(r *collectors.Record) { i.d.Unplaced(r) }

// Sources are those that tell of what was read so far.
func (i *Invariant) Sources() []collectors.Source { return i.d.Sources() }

// watch follows the condition of an invariant.
type watch struct {
	start time.Time
	last  truth
	// changed is when it last became what it is.
	changed time.Time
	looks   int
	// waits is that it was broken, which counts once the sources have been
	// asked; doubted is when it was false for a moment only.
	waits   *ruling
	doubted time.Time
	tally
}

var _ follower = (*watch)(nil)

func (w *watch) step(l look) *ruling {
	if w.looks == 0 || l.t != w.last {
		w.last, w.changed = l.t, l.at
	}
	w.looks++
	w.count(l.t)
	if l.t != truthFalse {
		if w.waits != nil {
			w.waits, w.doubted = nil, l.at
		}
		return nil
	}
	r := w.rule(violated, l.at)
	r.seen = true
	if l.sure {
		return r
	}
	if w.waits == nil {
		r.waited = true
		w.waits = r
	}
	return nil
}

func (w *watch) asked(now time.Time) *ruling {
	if w.waits == nil || w.waits.at.After(now) {
		return nil
	}
	return w.waits
}

func (w *watch) asks() bool { return w.waits != nil }

func (w *watch) pass(time.Time, bool) *ruling { return nil }

func (w *watch) deadline() time.Time { return time.Time{} }

// end rules that it was never false until then.
func (w *watch) end(now time.Time) *ruling { return w.rule(kept, now) }

func (w *watch) rule(kind rulingKind, at time.Time) *ruling {
	return &ruling{
		kind: kind, met: kind == kept, got: w.last, at: at, start: w.start, since: w.changed,
		needed: w.start, looks: w.looks, tally: w.tally, doubted: w.doubted,
	}
}

// vacuous says that an invariant was kept without ever being known.
func (r *ruling) vacuous() bool { return r.kind == kept && !r.wasTrue }

// violatedCourse says when an invariant was broken.
func (d *Decider) violatedCourse(r *ruling) string {
	if after := r.at.Sub(r.start); after > 0 && r.wasTrue {
		return fmt.Sprintf("was false after %s, at %.3fs of the run", span(after), d.s.Timeline.Seconds(r.at))
	}
	if r.looks == 1 {
		return "was false from the beginning"
	}
	return fmt.Sprintf("was false as soon as it was known, after %s", span(r.at.Sub(r.start)))
}

// keptCourse says for how long and how well an invariant was watched.
func keptCourse(r *ruling) string {
	text := fmt.Sprintf("was never false in %s", span(r.at.Sub(r.start)))
	if r.vacuous() {
		return text + ", and was never known"
	}
	if r.looks > 1 {
		text += fmt.Sprintf(", at %d observations", r.looks)
	}
	return text
}
