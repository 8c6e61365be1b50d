package logs

import (
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// margin is how long before a connection was ended by the other side it may
// have lost something.
const margin = 2 * time.Second

// sight says whether something is seen. What is not seen now is declared at
// once, as a gap that goes on: what is judged meanwhile must know.
type sight struct {
	mu sync.Mutex
	// lost is since when nothing is seen; zero if it is.
	lost time.Time
	// good is when it was seen last, as far as is known.
	good time.Time
}

// isLost says whether a gap goes on.
func (s *sight) isLost() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.lost.IsZero()
}

// sees notes that something is seen now.
func (s *sight) sees() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.good = time.Now()
}

// since is when something was seen last; now if that is not known.
func (s *sight) since() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.good.IsZero() {
		return time.Now()
	}
	return s.good
}

// lose declares a gap that goes on, of a container or, if that is nil, of
// all, unless one does.
func (c *Collector) lose(s *sight, target *container, from time.Time, why error) {
	s.mu.Lock()
	known := !s.lost.IsZero()
	if !known {
		s.lost = from
	}
	s.mu.Unlock()
	if !known {
		c.declare(target, from, time.Time{}, -1, why.Error())
	}
}

// regain ends the gap that goes on: all that was written meanwhile is recorded.
func (c *Collector) regain(s *sight, target *container) {
	c.endGap(s, target, 0, "the API server answers again, and what was written meanwhile was read")
}

// endGap ends the gap that goes on, if one does.
func (c *Collector) endGap(s *sight, target *container, count int, reason string) {
	s.mu.Lock()
	from := s.lost
	s.lost, s.good = time.Time{}, time.Now()
	s.mu.Unlock()
	if !from.IsZero() {
		c.declare(target, from, time.Now(), count, reason)
	}
}

// declare records a gap; one whose end is zero goes on.
func (c *Collector) declare(target *container, from, to time.Time, count int, reason string) {
	r := collectors.Record{
		Time: time.Now(), Precision: time.Nanosecond, Source: collectors.SourceLog, Type: collectors.TypeGap,
		Gap: &collectors.Gap{From: from, To: to, Reason: reason, Count: count},
	}
	if target != nil {
		r.Object, r.Container = target.pod.object, target.name
	}
	c.sink.Add(r)
}

// brokenSince is since when a connection that ended may not have brought
// everything: a moment ago where the other side ended it, else since last, when
// it brought something.
func brokenSince(err error, last time.Time) time.Time {
	prompt := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || strings.Contains(err.Error(), "received from peer")
	if before := time.Now().Add(-margin); prompt && before.After(last) {
		return before
	}
	return last
}
