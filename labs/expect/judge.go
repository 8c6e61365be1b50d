package expect

import (
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/hcl/v2"
)

// maxVerdictRecords bounds the records that a verdict shows.
const maxVerdictRecords = 5

// tooNear is how near to the end of a hold a change may have been after it: sources
// tell of a change up to so much later.
const tooNear = time.Second

// rule makes the verdict of a ruling.
func (d *Decider) rule(r *ruling, eval Evaluator) {
	ev := d.evidence()
	refs := ev.references(d.e.Condition, eval)
	v := d.blank(r.at, r.got, ev, refs)
	v.Reason = d.reason(r, ev, refs, eval)
	if late, diags := d.truth(d.s.Now()); r.kind == never && r.got != truthTrue && late == truthTrue && !diags.HasErrors() {
		v.Reason += "; it became true only after that"
	}
	v.Status = Fail
	if r.met == d.outcome {
		v.Status = Pass
	}
	d.doubt(&v, r, ev, refs, eval)
	d.decide(v, refs, eval, nil)
}

// doubt makes an Error of a verdict that lacks evidence.
func (d *Decider) doubt(v *Verdict, r *ruling, ev evidence, refs []reference, eval Evaluator) {
	if why := d.untold(r, ev); why != "" {
		v.Status = Error
		v.Reason = fmt.Sprintf("%s, so this could not be decided; from what was observed: %s", why, v.Reason)
		return
	}
	switch {
	case d.imprecise && !r.seen && !(r.kind == held && (d.e.Within == 0 || !d.outcome)):
		v.Status = Error
		if r.met == d.outcome {
			v.Reason += ", but this is uncertain: " + d.because(d.e.Condition, r.got, ev, refs, eval)
		}
	case d.partly && r.kind == kept:
		v.Status = Error
		v.Reason += ", but it may have been false at some time, because its times are not precise enough: " + d.because(d.e.Condition, r.got, ev, refs, eval)
	case r.vacuous() && ev.unobserved(refs):
		v.Status = Error
		v.Reason += ", so there was nothing to watch"
	}
}

// untold says why the ruling cannot be relied upon; empty if it can.
func (d *Decider) untold(r *ruling, ev evidence) string {
	switch {
	case r.kind == broke && r.from.Before(r.since) && r.from.Add(d.e.Hold).Sub(r.at) < tooNear:
		return fmt.Sprintf("it may have become true at %.3fs already, because a source reported late what happened before %.3fs", d.s.Timeline.Seconds(r.from), d.s.Timeline.Seconds(r.since))
	case r.kind == broke && r.since.Add(d.e.Hold).Sub(r.at) < tooNear:
		return fmt.Sprintf("it was true until less than %[1]s before the end of the %[2]s, and a source may report a change up to %[1]s late", span(tooNear), span(d.e.Hold))
	case d.unplaced && (r.waited || !r.seen):
		return fmt.Sprintf("it changed while the sources were asked what had happened up to %.3fs, and it is unknown whether the change was before that time", d.s.Timeline.Seconds(r.at))
	case r.kind == broke && r.since.After(r.start):
		// It may have become true before, and held.
		if gap := ev.gaps().between(ev.reads, r.start, r.since); gap != nil {
			return ev.gaps().text(gap)
		}
		if len(d.missed) > 0 {
			return d.missed[0]
		}
		return d.doubted(r)
	case r.seen:
		return d.doubted(r)
	}
	if gap := ev.gaps().between(ev.reads, r.needed, r.at); gap != nil {
		return ev.gaps().text(gap)
	}
	if len(d.missed) > 0 {
		return d.missed[0]
	}
	for _, why := range d.unseen {
		if g := ev.gaps(); g.stands(why) || slices.Contains(d.blind, why) && !g.isOver(why) {
			return why
		}
	}
	return d.doubted(r)
}

// doubted says that the condition was otherwise for a moment only; empty where
// it was not, or that does not matter.
func (d *Decider) doubted(r *ruling) string {
	switch {
	case r.doubted.IsZero() || r.kind == unsettled && len(d.unseen) == 0 && d.imprecise:
		return ""
	case len(d.unseen) > 0:
		return d.unseen[0]
	case d.imprecise:
		return fmt.Sprintf("at %.3fs it was unknown, because its times are not precise enough", d.s.Timeline.Seconds(r.doubted))
	}
	return fmt.Sprintf("at %.3fs it was different for a moment that ended before the sources were asked, and sources may report the same time one after the other", d.s.Timeline.Seconds(r.doubted))
}

// skip makes the verdict where `when` is false.
func (d *Decider) skip(at time.Time, eval Evaluator) {
	ev := d.evidence()
	refs := ev.references(d.e.When, eval)
	v := d.blank(at, truthUnknown, ev, refs)
	v.Status, v.Records = Skip, nil
	v.Reason = fmt.Sprintf("does not apply here: `when` is %s, which is false", d.source(d.e.When))
	if text := values(refs, d.source(d.e.When)); text != "" {
		v.Reason += ": " + text
	}
	d.decide(v, refs, eval, nil)
}

// unprepared makes the verdict where `when` or `outcome` was not known in
// time.
func (d *Decider) unprepared(at time.Time, eval Evaluator) {
	name, expr := "when", d.e.When
	if t, _, diags := setting(expr, eval); t == truthTrue && !diags.HasErrors() {
		name, expr = "outcome", d.e.Outcome
	}
	ev := d.evidence()
	refs := ev.references(expr, eval)
	v := d.blank(at, truthUnknown, ev, refs)
	v.Status = Error
	if !d.settledAt.IsZero() {
		v.Reason = fmt.Sprintf("the sources did not answer within %s when they were asked about `when` and `outcome`", span(at.Sub(d.began)))
		d.decide(v, refs, eval, nil)
		return
	}
	v.Reason = fmt.Sprintf("`%s` was still unknown after %s, so what to expect is unknown: %s: %s",
		name, span(at.Sub(d.began)), d.source(expr), ev.neverCame(refs))
	d.decide(v, refs, eval, nil)
}

// failed makes the verdict where something could not be evaluated.
func (d *Decider) failed(at time.Time, diags hcl.Diagnostics, eval Evaluator) {
	ev := d.evidence()
	refs := ev.references(d.e.Condition, eval)
	v := d.blank(at, truthUnknown, ev, refs)
	v.Status = Error
	first := firstError(diags)
	v.Reason = fmt.Sprintf("it could not be evaluated: %s: %s", first.Summary, first.Detail)
	d.decide(v, refs, eval, first)
}

func firstError(diags hcl.Diagnostics) *hcl.Diagnostic {
	for _, diag := range diags {
		if diag.Severity == hcl.DiagError {
			return diag
		}
	}
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Unknown error"}
}

// blank is a verdict without its standing.
func (d *Decider) blank(at time.Time, got truth, ev evidence, refs []reference) Verdict {
	v := Verdict{
		Name: d.e.Name, Condition: d.text(d.e.Condition), Expected: d.outcome, Got: got.String(),
		Within: d.e.Within, Hold: d.e.Hold,
		BeganAt: d.s.Timeline.Seconds(d.began), DecidedAt: d.s.Timeline.Seconds(at),
		Records: ev.recent(maxVerdictRecords, at),
	}
	for _, r := range refs {
		v.References = append(v.References, r.Reference)
	}
	return v
}

// decide keeps the verdict, with its message and diagnostic if it is not
// the expected one. cause is what could not be evaluated, if that is why.
func (d *Decider) decide(v Verdict, refs []reference, eval Evaluator, cause *hcl.Diagnostic) {
	if v.Status == Fail || v.Status == Error {
		v.Message = d.message(eval)
		v.Diagnostic = d.diagnostic(v, refs, cause)
	}
	d.verdict = &v
}
