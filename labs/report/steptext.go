package report

import "time"

// Expects says whether the step is an expectation or an invariant, and not
// something that was done.
func (s Step) Expects() bool { return isExpectation(s) }

// StepText is what WriteText says of a step that did not come out as expected,
// without its heading: the verdict with its source, values and records, or why
// it failed. Times are counted from begin, the beginning of the step's run.
func StepText(s Step, begin time.Time) string {
	if s.Verdict != nil {
		return evidenceText(*s.Verdict, begin)
	}
	p := newPage(Style{})
	p.output(s.Detail)
	return p.String()
}

// Reason says in a sentence why the step came out as it did; empty where there
// is nothing to say.
func (s Step) Reason() string {
	if s.Verdict != nil {
		return s.Verdict.Reason
	}
	return s.Detail
}
