package expect

import "fmt"

// The definition of the language written down as it is read, over what was
// observed, in ticks of 100 ms. It knows nothing of deciders and machines, and
// looks at all of a trial at once.

// settleTicks is the 10 s that what must be known now is waited for.
const settleTicks = 100

// wrong is the truth of what cannot be evaluated.
const wrong = truth(9)

// glance is what is known at one observation: the truth of the condition, of
// `when` and of `outcome`.
type glance struct{ at, order, condition, when, outcome int }

// finding is what the definition says: the verdict and its time, or that it is
// not decided by the end.
type finding struct {
	status Status
	at     int
}

func (f finding) String() string {
	return fmt.Sprintf("%s at %.1fs", f.status, float64(f.at)/10)
}

// define is the verdict of a trial by the definition.
func define(tr *trial) finding {
	looks := tr.glances()
	first, start, out := prepared(tr, looks)
	switch {
	case out != nil:
		return *out
	case first < 0 && tr.invariant:
		return finding{Error, min(tr.begin+settleTicks, tr.end)}
	case first < 0:
		return finding{Error, tr.begin + settleTicks}
	case tr.invariant:
		return keptTo(tr, looks[first:])
	}
	d := definition{trial: tr, looks: looks[first:], start: start, outcome: looks[first].outcome == int(truthTrue)}
	return d.verdict()
}

// prepared finds the first observation at which `when` and `outcome` are
// known, no later than 10 s after the beginning; or the verdict, where `when`
// is false or one of them cannot be evaluated before that.
func prepared(tr *trial, looks []glance) (first, start int, out *finding) {
	for i, l := range looks {
		switch {
		case l.at > tr.begin+settleTicks:
			return -1, 0, nil
		case l.when == int(wrong):
			return -1, 0, &finding{Error, l.at}
		case l.when == int(truthFalse):
			return -1, 0, &finding{Skip, l.at}
		case l.outcome == int(wrong):
			return -1, 0, &finding{Error, l.at}
		case l.when == int(truthTrue) && l.outcome != int(truthUnknown):
			return i, l.at, nil
		}
	}
	return -1, 0, nil
}

// definition is an expectation whose `when` and `outcome` are known.
type definition struct {
	*trial
	looks   []glance
	start   int
	outcome bool
}

// ending says how the condition's course ended: at, and whether as the condition
// asks. near says that it ended so near to the end of the hold that the API may
// have reported it too late.
type ending struct {
	met         bool
	at          int
	wrong, near bool
}

func (d *definition) verdict() finding {
	e := d.now()
	if d.within > 0 {
		e = d.eventually()
	}
	switch {
	case e.wrong:
		return finding{Error, e.at}
	case e.near:
		return finding{Error, e.at}
	case e.met == d.outcome:
		return finding{Pass, e.at}
	}
	return finding{Fail, e.at}
}

// nearTicks is the second by which the API may be late.
const nearTicks = 10

// now: it must be true now, which waits up to 10 s if it is not known.
func (d *definition) now() ending {
	for i, l := range d.looks {
		switch {
		case l.at > d.start+settleTicks:
			return ending{at: d.start + settleTicks}
		case l.condition == int(wrong):
			return ending{at: l.at, wrong: true}
		case l.condition == int(truthFalse):
			return ending{at: l.at}
		case l.condition == int(truthTrue) && d.hold == 0:
			return ending{met: true, at: l.at}
		case l.condition == int(truthTrue):
			return d.held(i)
		}
	}
	return ending{at: d.start + settleTicks}
}

// held: from the observation i on it must stay true for the hold, the last
// moment included.
func (d *definition) held(i int) ending {
	since := d.looks[i].at
	for _, l := range d.looks[i:] {
		switch {
		case l.at > since+d.hold:
			return ending{met: true, at: since + d.hold}
		case l.condition == int(wrong):
			return ending{at: l.at, wrong: true}
		case l.condition != int(truthTrue):
			return ending{at: l.at, near: since+d.hold-l.at < nearTicks}
		}
	}
	return ending{met: true, at: since + d.hold}
}

// eventually: it must be true at some observation within the time, and hold
// from the first such on; from any such on if that is not expected.
func (d *definition) eventually() ending {
	end := d.start + d.within
	before, near := truthUnknown, false
	for i, l := range d.looks {
		rises := l.condition == int(truthTrue) && before != truthTrue
		before = truth(l.condition)
		switch {
		case l.at > end:
			return ending{at: end, near: near}
		case l.condition == int(wrong):
			return ending{at: l.at, wrong: true}
		case rises && d.hold == 0:
			return ending{met: true, at: l.at} // that was seen
		case rises:
			e := d.held(i)
			if e.met || d.outcome || e.wrong {
				return e
			}
			near = near || e.near
			if e.at > end {
				return ending{at: e.at, near: near}
			}
		}
	}
	return ending{at: end, near: near}
}

// keptTo is the definition of an invariant that is watched from those looks on.
func keptTo(tr *trial, looks []glance) finding {
	known := false
	for _, l := range looks {
		switch l.condition {
		case int(truthFalse):
			return finding{Fail, l.at}
		case int(wrong):
			return finding{Error, l.at}
		case int(truthTrue):
			known = true
		}
	}
	if !known && !tr.flagSeen() {
		return finding{Error, tr.end}
	}
	return finding{Pass, tr.end}
}
