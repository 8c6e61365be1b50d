package collectors

import (
	"slices"
	"time"
)

// Clock is what was found of a clock of the cluster, at the record's Time by this
// machine's clock. Steps are stamped by this machine's clock, what happens on a
// node by the node's.
type Clock struct {
	// Node is whose clock it is; empty for the API server's, which stands for
	// those of nodes that cannot be reached.
	Node string `json:"node,omitempty"`
	// Offset is how far the clock is ahead of this machine's. The true offset is
	// at most Uncertainty more or less.
	Offset      time.Duration `json:"offset"`
	Uncertainty time.Duration `json:"uncertainty"`
	// Same says that it is this machine's own clock: the node has the same
	// kernel. It is not measured again then.
	Same bool `json:"same,omitempty"`
	// Unknown says that the clock could not be measured.
	Unknown bool `json:"unknown,omitempty"`
	// Jumped says that this clock or this machine's was set, or stood still, since
	// the measurement before.
	Jumped bool `json:"jumped,omitempty"`
	// Reason says why it is so, if that is not what a measurement says.
	Reason string `json:"reason,omitempty"`
}

const (
	// ClockDrift is how fast a clock that is not set may drift against another.
	ClockDrift = 200e-6
	// UnknownSkew is how far clocks may be apart of which nothing is known.
	UnknownSkew = 365 * 24 * time.Hour
)

// Drift is how far two clocks may drift apart in a time.
func Drift(elapsed time.Duration) time.Duration {
	return time.Duration(ClockDrift * float64(max(0, elapsed)))
}

// Bounds are the least and the greatest offset.
func (c *Clock) Bounds() (low, high time.Duration) {
	if c.Unknown {
		return -UnknownSkew, UnknownSkew
	}
	return c.Offset - c.Uncertainty, c.Offset + c.Uncertainty
}

// Contradicts says whether a clock cannot be so, that long after it was as
// before says, unless one of the two was set, or stood still, meanwhile.
func (c *Clock) Contradicts(before *Clock, elapsed time.Duration) bool {
	low, high := c.Bounds()
	lowBefore, highBefore := before.Bounds()
	drift := Drift(elapsed)
	return low > highBefore+drift || high < lowBefore-drift
}

// nodeClock is the fold of one clock's records.
type nodeClock struct {
	last Clock
	at   time.Time
	// low and high bound the offset from the run's begin to at.
	low, high time.Duration
	jumps     int
}

// addClock folds a measurement. That a clock could not be measured says nothing
// once it was.
func (t *Timeline) addClock(r Record) {
	if r.Clock == nil {
		return
	}
	now := *r.Clock
	low, high := now.Bounds()
	i := slices.IndexFunc(t.clocks, func(c *nodeClock) bool { return c.last.Node == now.Node })
	switch {
	case i < 0:
		drift := now.drift(r.Time.Sub(t.begin))
		t.clocks = append(t.clocks, &nodeClock{last: now, at: r.Time, low: low - drift, high: high + drift})
		return
	case now.Unknown:
		return
	}
	c := t.clocks[i]
	if c.last.Unknown {
		drift := now.drift(r.Time.Sub(t.begin))
		*c = nodeClock{last: now, at: r.Time, low: low - drift, high: high + drift}
		return
	}
	if now.Jumped {
		c.jumps++
	}
	// Between two measurements a clock can drift away and back.
	drift := now.drift(r.Time.Sub(c.at)) / 2
	lowBefore, highBefore := c.last.Bounds()
	c.low = min(c.low, min(low, lowBefore)-drift)
	c.high = max(c.high, max(high, highBefore)+drift)
	c.last, c.at = now, r.Time
}

// drift is how far the clock may drift in a time from this machine's.
func (c *Clock) drift(elapsed time.Duration) time.Duration {
	if c.Same {
		return 0
	}
	return Drift(elapsed)
}

// ClockSkew says how far the cluster's clocks were ahead of this machine's, from
// the run's begin to the newest record: at least low and at most high. What
// happened at a time by this machine's clock happened at that time plus low, plus
// high, or in between by each of theirs. known is false if no clock was
// measured, as in old recordings.
func (t *Timeline) ClockSkew() (low, high time.Duration, known bool) {
	for i, c := range t.clocks {
		drift := c.last.drift(t.last.Sub(c.at))
		lowNow, highNow := c.last.Bounds()
		lowest, highest := min(c.low, lowNow-drift), max(c.high, highNow+drift)
		if i == 0 {
			low, high = lowest, highest
		}
		low, high = min(low, lowest), max(high, highest)
	}
	return max(low, -UnknownSkew), min(high, UnknownSkew), len(t.clocks) > 0
}

// ClockJumps counts how often a clock of the cluster was found to have been set,
// or to have stood still, against this machine's.
func (t *Timeline) ClockJumps() int {
	jumps := 0
	for _, c := range t.clocks {
		jumps += c.jumps
	}
	return jumps
}
