package player

import (
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
)

// Note writes into a step's record what the report says of it, so that a replay
// has it from there.
func Note(r *collectors.Step, status expect.Status, detail, outcome string) {
	r.Status, r.Detail, r.Outcome = status.String(), detail, outcome
}

// Noted returns what the report says of a step that did something, by its
// record, and false if the record is of a version that does not say it. Its
// times count from begin.
func Noted(st *dsl.Step, r *collectors.Step, begin time.Time) (report.Step, bool) {
	result := report.Step{Name: st.Name, Verb: st.Verb, Status: expect.Pass, Detail: r.Detail, Outcome: r.Outcome,
		BeganAt: r.StartedAt.Sub(begin).Seconds(), EndedAt: r.FinishedAt.Sub(begin).Seconds()}
	if r.Status == "" {
		return result, false
	}
	if err := result.Status.UnmarshalText([]byte(r.Status)); err != nil {
		result.Status, result.Detail = expect.Error, err.Error()
	}
	return result, true
}
