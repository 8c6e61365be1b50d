package document

import (
	"time"

	"github.com/kind-lab/lab/collectors"
)

// axis is the axis of a picture: seconds since a run began.
type axis struct {
	begin time.Time
	// seconds is how far it reaches.
	seconds float64
}

// see makes the axis reach as far as a time, and returns where it is on it.
func (a *axis) see(at time.Time) float64 {
	seconds := at.Sub(a.begin).Seconds()
	a.seconds = max(a.seconds, seconds)
	return seconds
}

// at is a moment on the axis; nil if it is not known.
func (a *axis) at(m collectors.Moment) *Instant {
	if !m.Known() {
		return nil
	}
	return &Instant{At: a.see(m.Time), Source: string(m.Source), Precision: m.Precision}
}

// when is a record's own time on the axis.
func (a *axis) when(r collectors.Record) Instant {
	return Instant{At: a.see(r.Time), Source: string(r.Source), Precision: r.Precision}
}
