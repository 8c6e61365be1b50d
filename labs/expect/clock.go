package expect

import (
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/value"
)

// skew says how far the clock of a node may be ahead of this machine's: at least
// low and at most high; both are 0 if no clock was measured.
func (f folder) skew() (low, high time.Duration) {
	low, high, _ = f.tl.ClockSkew()
	return low, high
}

// here is a time of this machine's clock by the clocks of the nodes, to which it
// is compared: their skew is a part of its precision.
func (f folder) here(m collectors.Moment) value.Time {
	low, high := f.skew()
	m.Time = m.Time.Add(low)
	if apart := high - low; apart > 0 {
		m.Precision += apart
	}
	return f.time(m)
}

// heard is when something was received by this machine, by the clocks of the
// nodes: it was so before. Where it is not known it is absent or unknown.
func (f folder) heard(m collectors.Moment, absent bool) value.Opt[value.Time] {
	if !m.Known() {
		return missing[value.Time](absent)
	}
	low, high := f.skew()
	m.Time, m.Precision = m.Time.Add(high), m.Precision+(high-low)
	at := f.time(m)
	at.Late = true
	return value.Some(at)
}

// skewed says whether a value that has a time of this machine's clock has to be
// made anew although what it is of did not change.
func (s *Scope) skewed() bool {
	low, high, _ := s.Timeline.ClockSkew()
	return low != 0 || high != 0
}
