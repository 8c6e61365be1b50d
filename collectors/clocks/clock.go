package clocks

import (
	"context"
	"fmt"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// clock is one clock of the cluster.
type clock struct {
	c *Collector
	// name is the node's; empty for the API server.
	name string
	read func(context.Context) (measurement, error)

	asked bool
	last  *collectors.Clock // nil before it was measured
	at    time.Duration     // when that was, since the collector began
}

func (k *clock) String() string {
	if k.name == "" {
		return "the API server"
	}
	return "node " + k.name
}

// age is how old the last measurement is; 0 if none is needed any more.
func (k *clock) age() time.Duration {
	switch {
	case k.last == nil:
		return collectors.UnknownSkew
	case k.last.Same:
		return 0
	}
	return k.c.host.now().mono - k.at
}

// measure asks the clock and records what it says, unless it is this machine's
// own. That it does not answer is recorded if it never did.
func (k *clock) measure(ctx context.Context) {
	if k.last != nil && k.last.Same {
		return
	}
	m, err := k.read(ctx)
	switch {
	case err == nil:
		k.found(m)
	case !k.asked:
		k.c.options.Warn(fmt.Sprintf("the clock of %s cannot be measured, so that the order of steps and of what happened there is not known: %v", k, err))
		k.add(time.Now(), &collectors.Clock{Node: k.name, Unknown: true, Reason: err.Error()})
	}
	k.asked = true
}

// found takes a measurement.
func (k *clock) found(m measurement) {
	now := between(m.low, m.high)
	now.Node = k.name
	if m.same {
		now = &collectors.Clock{Node: k.name, Same: true, Reason: "its kernel is this machine's: both have the same boot id"}
	}
	if k.last != nil && now.Contradicts(k.last, m.at.mono-k.at) {
		now.Jumped = true
		k.c.options.Warn(fmt.Sprintf("the clock of %s was set, or stood still: it was %v ahead of this machine's and is %v ahead now; "+
			"the order of steps and of what happened there is known no finer than that", k, rounded(k.last.Offset), rounded(now.Offset)))
	}
	k.last, k.at = now, m.at.mono
	k.add(m.at.wall, now)
}

// between is an offset of which only bounds are known.
func between(low, high time.Duration) *collectors.Clock {
	return &collectors.Clock{Offset: low + (high-low)/2, Uncertainty: (high - low + 1) / 2}
}

// shake records what it does to the offset that this machine's clock was set
// forward by so much, or back, or that it slept so long. It is false if that is
// nothing.
func (k *clock) shake(by time.Duration, reason string) bool {
	if k.last == nil || k.last.Same && by > 0 {
		return false // of one clock no time came twice
	}
	low, high := k.last.Bounds()
	// So far a smaller jump would have gone unseen.
	most := by.Abs() + jump
	switch {
	case k.last.Same:
		low, high = min(low, -most), max(high, most)
	case by > 0:
		low -= most
	default:
		high += most
	}
	at := k.c.host.now()
	now := between(low, high)
	now.Node, now.Same, now.Jumped, now.Reason = k.name, k.last.Same, true, reason
	k.last, k.at = now, at.mono
	k.add(at.wall, now)
	return true
}

func (k *clock) add(at time.Time, clock *collectors.Clock) {
	k.c.sink.Add(collectors.Record{
		Time: at, Precision: time.Nanosecond, Source: collectors.SourceLab, Type: collectors.TypeClock, Clock: clock,
	})
}

// rounded is an offset as people read it.
func rounded(d time.Duration) time.Duration {
	if d.Abs() > time.Second {
		return d.Round(10 * time.Millisecond)
	}
	return d.Round(10 * time.Microsecond)
}
