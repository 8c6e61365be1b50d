package logs

import (
	"fmt"
	"time"
)

// count notes that a line is recorded.
func (b *book) count(c *container, number int, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines++
	r := c.runs[number]
	if r == nil {
		r = &run{}
		c.runs[number] = r
	}
	if r.first.IsZero() || at.Before(r.first) {
		r.first = at
	}
	if at.After(r.last) {
		r.last = at
	}
}

func (b *book) total() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lines
}

// isFull says whether a line is beyond the bounds. The caller holds target.mu.
func (c *Collector) isFull(target *container, l line) bool {
	return target.bytes+len(l.text) > c.options.ContainerBytes ||
		len(target.seen) >= c.options.ContainerLines || c.book.total() >= c.options.TotalLines
}

// drop counts a line that is beyond the bounds. The caller holds target.mu.
func (c *Collector) drop(target *container, l line) {
	target.dropped++
	if target.dropped == 1 {
		target.from = l.at
		c.options.Warn(fmt.Sprintf(
			"container %s of pod %s writes more than is kept (%d MiB or %d lines of a container, %d lines of all): lines from %s on are counted only",
			target.name, target.pod.object.Name, c.options.ContainerBytes>>20, c.options.ContainerLines,
			c.options.TotalLines, l.at.Format(time.RFC3339Nano)))
	}
}

// declareDropped declares the lines that were counted only.
func (c *Collector) declareDropped() {
	for _, target := range c.book.all() {
		target.mu.Lock()
		dropped, from, told := target.dropped, target.from, target.told
		if target.began > 1 {
			dropped = min(dropped, 1)
		}
		target.told = dropped
		several := target.began > 1
		target.mu.Unlock()
		switch {
		case dropped == 0 || dropped == told:
		case several:
			c.gap(target, from, -1, "the container wrote more than is kept")
		default:
			c.gap(target, from, dropped-told, "the container wrote more than is kept")
		}
	}
}

// gap declares that lines of a container are missing between from and now.
func (c *Collector) gap(target *container, from time.Time, count int, reason string) {
	c.declare(target, from, time.Now(), count, reason)
}
