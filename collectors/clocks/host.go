package clocks

import (
	"time"

	"github.com/kind-lab/lab/collectors"
)

// bootIDFile names the running kernel.
const bootIDFile = "/proc/sys/kernel/random/boot_id"

const (
	// steady is how long a reading of both clocks may take that can be relied
	// upon, and jump how far they have to go apart.
	steady = 200 * time.Microsecond
	jump   = 2 * time.Millisecond
)

// reading is a time by this machine's clock, and by one that is never set, but
// stands still while the machine sleeps.
type reading struct {
	wall time.Time
	mono time.Duration
}

// host is this machine's clock.
type host struct {
	read func() reading
	// last is the reading of the last look at it.
	last reading
}

func newHost() *host {
	begin := time.Now()
	h := &host{read: func() reading {
		now := time.Now()
		return reading{now.Round(0), now.Sub(begin)}
	}}
	h.last = h.now()
	return h
}

// now is a reading of which both halves are of the same moment, as far as a busy
// machine allows.
func (h *host) now() reading {
	var best reading
	least := time.Duration(-1)
	for range 10 {
		before, r := h.read(), h.read()
		if took := r.mono - before.mono; least < 0 || took < least {
			best, least = r, took
		}
		if least < steady {
			break
		}
	}
	return best
}

// since is how far the clock was set forward between two readings, or how long
// the machine slept; negative where it was set back, 0 if neither was.
func (r reading) since(before reading) time.Duration {
	elapsed := r.mono - before.mono
	by := r.wall.Sub(before.wall) - elapsed
	if by.Abs() < jump+collectors.Drift(elapsed) {
		return 0
	}
	return by
}

// jumped is what happened to the clock since the last call.
func (h *host) jumped() time.Duration {
	now := h.now()
	by := now.since(h.last)
	h.last = now
	return by
}
