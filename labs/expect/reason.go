package expect

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// reason says in a sentence how the condition's course ended, and whether that
// was expected.
func (d *Decider) reason(r *ruling, ev evidence, refs []reference, eval Evaluator) string {
	condition := d.source(d.e.Condition)
	if r.vacuous() {
		return condition + " " + d.course(r) + ": " + ev.neverCame(refs)
	}
	if r.met == d.outcome && d.outcome {
		return condition + " " + d.course(r)
	}
	if r.met == d.outcome {
		return condition + " " + d.course(r) + ", as expected"
	}
	text := condition + " " + d.course(r)
	if r.met {
		text += ", which was not expected"
	}
	detail := d.because(d.e.Condition, r.got, ev, refs, eval)
	if detail != "" {
		text += ": " + detail
	}
	if stuck := ev.stuck(); r.kind == never && d.outcome && stuck != "" && !strings.Contains(text, "cannot start") {
		text += "; " + stuck
	}
	return text
}

// course says what the condition did, in words that follow its source.
func (d *Decider) course(r *ruling) string {
	after := r.since.Sub(r.start)
	hold, within := span(d.e.Hold), span(d.e.Within)
	switch r.kind {
	case cameTrue:
		if after > 0 {
			return "was true after " + span(after)
		}
		return "was true at once"
	case held:
		if after > 0 {
			return fmt.Sprintf("became true after %s and stayed true for the whole %s", span(after), hold)
		}
		return "was true for the whole " + hold
	case broke:
		return fmt.Sprintf("was true for only %s of the %s for which it %s, and then %s",
			span(r.at.Sub(r.since)), hold, expectedTo(d.outcome), was(r.got))
	case wasFalse:
		return "was false"
	case violated:
		return d.violatedCourse(r)
	case kept:
		return keptCourse(r)
	case unsettled:
		return fmt.Sprintf("was still %s after %s", was(r.got), span(settle))
	}
	return d.neverCourse(r, within)
}

// neverCourse says how the condition was not true within its time.
func (d *Decider) neverCourse(r *ruling, within string) string {
	switch {
	case r.wasTrue:
		return fmt.Sprintf("never became true within %s and then stayed true for %s", within, span(d.e.Hold))
	case !d.outcome && !r.wasUnknown:
		return "was false for the whole " + within
	case !d.outcome:
		return "was never true in the whole " + within
	case r.got == truthUnknown:
		return fmt.Sprintf("was still %s after %s", was(r.got), within)
	}
	return fmt.Sprintf("was still false after %s", within)
}

// expectedTo is what was expected of a condition that was true for a while.
func expectedTo(outcome bool) string {
	if outcome {
		return "had to stay true"
	}
	return "must not stay true"
}

// was is a truth in a sentence.
func was(t truth) string {
	if t == truthUnknown {
		return "unknown"
	}
	return t.String()
}

// source is an expression's source on one line.
func (d *Decider) source(expr hcl.Expression) string { return oneLine(d.text(expr)) }

// text is an expression's source as written; a stand-in where the scope does
// not have its file.
func (d *Decider) text(expr hcl.Expression) string {
	return d.sourceAt(expr.Range())
}

// sourceAt is the source at a place.
func (d *Decider) sourceAt(rng hcl.Range) string {
	file := d.s.Files[rng.Filename]
	if file == nil || !rng.CanSliceBytes(file.Bytes) {
		return "the condition at " + rng.String()
	}
	return string(rng.SliceBytes(file.Bytes))
}
