package logs

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kind-lab/lab/collectors"
)

const (
	// MaxBehind is how many lines wait to be shown at most.
	MaxBehind = 20_000
	// maxBehindBytes bounds the bytes of their texts.
	maxBehindBytes = 32 << 20
)

// display hands lines to who shows them. What they are too slow for is let go.
type display struct {
	queue   chan collectors.Record
	bytes   atomic.Int64
	dropped atomic.Int64
}

func newDisplay() *display { return &display{queue: make(chan collectors.Record, MaxBehind)} }

// show takes a line and never waits. What is not later than a line that was
// shown is left out where the container's log was followed more than once.
func (d *display) show(target *container, number int, l line) {
	target.mu.Lock()
	known := target.began > 1 && !l.at.After(target.shown)
	if l.at.After(target.shown) {
		target.shown = l.at
	}
	target.mu.Unlock()
	if known {
		return
	}
	size := int64(len(l.text))
	if d.bytes.Add(size) > maxBehindBytes {
		d.bytes.Add(-size)
		d.dropped.Add(1)
		return
	}
	r := collectors.Record{
		Time: l.at, Received: time.Now(), Precision: time.Nanosecond, Source: collectors.SourceLog, Type: collectors.TypeLog,
		Object: target.pod.object, Container: target.name,
		Log: &collectors.Log{Run: number, Text: l.text, Cut: l.cut, Color: target.color},
	}
	select {
	case d.queue <- r:
	default:
		d.bytes.Add(-size)
		d.dropped.Add(1)
	}
}

// showing follows the logs until ctx ends and hands their lines on.
func (c *Collector) showing(ctx context.Context) error {
	var group sync.WaitGroup
	group.Go(func() {
		for r := range c.display.queue {
			c.display.bytes.Add(-int64(len(r.Log.Text)))
			c.sink.Add(r)
		}
	})
	if err := c.follow(ctx); err != nil {
		c.options.Warn(fmt.Sprintf("the containers' logs are not shown: %v", err))
	}
	close(c.display.queue)
	group.Wait()
	if n := c.display.dropped.Load(); n > 0 {
		c.options.Warn(fmt.Sprintf("%d lines of logs came faster than they could be shown and were not; the record has them", n))
	}
	return nil
}
