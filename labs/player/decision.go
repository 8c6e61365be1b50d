package player

import (
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/expect"
)

// Decision is an expectation, or what is waited for, on its way to its verdict.
type Decision struct {
	// Decider says what it rests on: its Sources and its Deadline, and whether
	// it Asks the sources now.
	Decider *expect.Decider
	verdict expect.Verdict
	decided bool
}

// Observe looks at what is observed by now, with last the newest record or nil,
// and says whether the decision is made.
func (d *Decision) Observe(now time.Time, last *collectors.Record) bool {
	d.verdict, d.decided = d.Decider.Observe(now, last)
	return d.decided
}

// Deadline is when the decision has to look again although nothing arrived; zero
// if there is no such time.
func (d *Decision) Deadline() time.Time { return d.Decider.Deadline() }

// Decided says whether the decision is made.
func (d *Decision) Decided() bool { return d.decided }
