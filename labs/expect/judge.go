package expect

import (
	"fmt"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/collectors"
)

// maxVerdictRecords bounds the records that a verdict shows.
const maxVerdictRecords = 5

// rule makes the verdict of a ruling.
func (d *Decider) rule(r *ruling, eval Evaluator) {
	ev := newEvidence(d.s, d.e, d.logs)
	refs := ev.references(d.e.Condition, eval)
	v := d.blank(r.at, r.got, ev, refs)
	v.Reason = d.reason(r, ev, refs)
	if late, diags := evaluate(d.e.Condition, eval); r.kind == never && r.got != truthTrue && late == truthTrue && !diags.HasErrors() {
		v.Reason += "; it came true only after that"
	}
	v.Status = Fail
	if r.met == d.outcome {
		v.Status = Pass
	}
	if why := d.untold(r, ev); why != "" {
		v.Status = Error
		v.Reason = fmt.Sprintf("%s, so that this cannot be told; as far as it was seen: %s", why, v.Reason)
	} else if r.vacuous() && ev.unobserved(refs) {
		v.Status = Error
		v.Reason += ", so that there was nothing to watch"
	}
	d.decide(v, refs, eval, nil)
}

// untold says why the ruling cannot be relied upon; empty where it can.
func (d *Decider) untold(r *ruling, ev evidence) string {
	if r.seen {
		return ""
	}
	if gap := ev.unseen(r.needed, r.at); gap != nil {
		return d.gapText(gap)
	}
	if container, n := ev.dropped(); n > 0 {
		return fmt.Sprintf("the first %d lines of the log of container %q were no longer at hand", n, container)
	}
	return ""
}

// gapText says what was not seen, when and why.
func (d *Decider) gapText(r *collectors.Record) string {
	of := ""
	if r.Object.Name != "" {
		of = " of " + r.Object.Kind + " " + r.Object.Name
	}
	if r.Container != "" {
		of += fmt.Sprintf(", container %q,", r.Container)
	}
	until := " on"
	if !r.Gap.To.IsZero() {
		until = fmt.Sprintf(" to %.3fs", d.s.Timeline.Seconds(r.Gap.To))
	}
	text := fmt.Sprintf("the source %q saw nothing%s from %.3fs%s of the run", r.Source, of, d.s.Timeline.Seconds(r.Gap.From), until)
	if r.Gap.Reason != "" {
		text += " (" + r.Gap.Reason + ")"
	}
	return text
}

// skip makes the verdict where `when` is false.
func (d *Decider) skip(at time.Time, eval Evaluator) {
	ev := newEvidence(d.s, d.e, d.logs)
	refs := ev.references(d.e.When, eval)
	v := d.blank(at, truthUnknown, ev, refs)
	v.Status, v.Records = Skip, nil
	v.Reason = fmt.Sprintf("not to be decided here: `when` is %s, which is false", d.source(d.e.When))
	if text := values(refs, d.source(d.e.When)); text != "" {
		v.Reason += ": " + text
	}
	d.decide(v, refs, eval, nil)
}

// unprepared makes the verdict where `when` or `outcome` was not known in
// time.
func (d *Decider) unprepared(at time.Time, eval Evaluator) {
	name, expr := "when", d.e.When
	if t, diags := setting(expr, eval); t == truthTrue && !diags.HasErrors() {
		name, expr = "outcome", d.e.Outcome
	}
	ev := newEvidence(d.s, d.e, d.logs)
	refs := ev.references(expr, eval)
	v := d.blank(at, truthUnknown, ev, refs)
	v.Status = Error
	v.Reason = fmt.Sprintf("`%s` was still not known after %s, so that it cannot be told what to expect: %s: %s",
		name, span(at.Sub(d.began)), d.source(expr), ev.neverCame(refs))
	d.decide(v, refs, eval, nil)
}

// failed makes the verdict where something could not be evaluated.
func (d *Decider) failed(at time.Time, diags hcl.Diagnostics, eval Evaluator) {
	ev := newEvidence(d.s, d.e, d.logs)
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
		Records: ev.recent(maxVerdictRecords),
	}
	for _, r := range refs {
		v.References = append(v.References, r.Reference)
	}
	return v
}

// decide keeps the verdict, with its message and diagnostic where it is not
// the expected one. cause is what could not be evaluated, if that is why.
func (d *Decider) decide(v Verdict, refs []reference, eval Evaluator, cause *hcl.Diagnostic) {
	if v.Status == Fail || v.Status == Error {
		v.Message = d.message(eval)
		v.Diagnostic = d.diagnostic(v, refs, cause)
	}
	d.verdict = &v
}
