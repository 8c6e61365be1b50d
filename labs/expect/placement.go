package expect

import (
	"time"

	"github.com/kind-lab/lab/collectors"
)

// Placement says whether a record that arrived after a deadline, while the
// sources were asked about it, is of the time before.
type Placement int

const (
	// Later says that what it tells of happened after the deadline.
	Later Placement = iota
	// InTime says that it happened before, and counts as observed at the deadline.
	InTime
	// Unplaced says that nobody knows; see Decider.Unplaced.
	Unplaced
)

// Place says on which side of a deadline a record is. The API does not say when
// something changed; the runtime, the kernel and the logs do, by the clocks of
// the nodes and as precisely as they have it. A gap is in time if it is of before
// the deadline and says that the source is blind, or has reported everything.
func Place(tl *collectors.Timeline, r *collectors.Record, deadline time.Time) Placement {
	if r.Gap != nil {
		if !r.Gap.From.After(deadline) && (r.Gap.To.IsZero() || r.Gap.Count == 0) {
			return InTime
		}
		return Later
	}
	switch r.Source {
	case collectors.SourceAPI:
		return Unplaced
	case collectors.SourceRuntime, collectors.SourceKernel, collectors.SourceLog:
		low, high, _ := tl.ClockSkew()
		first, last := r.Time.Add(-high), r.Time.Add(-low)
		if r.Precision > time.Nanosecond {
			last = last.Add(r.Precision)
		}
		switch {
		case first.After(deadline):
			return Later
		case !last.After(deadline):
			return InTime
		}
		return Unplaced
	}
	return Later
}
