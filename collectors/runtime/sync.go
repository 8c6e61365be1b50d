package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Sync returns once everything that happened in the nodes before it was
// recorded. Where a node does not answer before ctx ends, or says that it cannot,
// that is the error, and a gap is declared that goes on until it does. Where a
// stream breaks meanwhile, that is the error too.
func (c *Collector) Sync(ctx context.Context) error {
	return c.each(func(n *node) error {
		if n.doubt.isAway() {
			return fmt.Errorf("the stream of node %s is broken", n.name) // of which a gap tells
		}
		err := n.flush(ctx)
		if errors.Is(err, errDetached) {
			return fmt.Errorf("node %s: %w", n.name, err) // of which a gap tells
		}
		if err != nil {
			n.disbelieve(fmt.Errorf("containerd does not answer: %w", err))
			err = fmt.Errorf("the container runtime of node %s does not answer: %w", n.name, err)
		}
		return err
	})
}

// each does something for every node at once.
func (c *Collector) each(do func(*node) error) error {
	c.mu.Lock()
	nodes := append([]*node{}, c.nodes...)
	c.mu.Unlock()
	var group sync.WaitGroup
	errs := make([]error, len(nodes))
	for i, n := range nodes {
		group.Go(func() { errs[i] = do(n) })
	}
	group.Wait()
	return errors.Join(errs...)
}

// doubt is what is known of a stream beside the goroutine that reads it.
type doubt struct {
	mu     sync.Mutex
	heard  time.Time
	broken bool
	// since is when the gap begins of a stream that does not answer; zero
	// if there is none.
	since time.Time
}

func (d *doubt) hear(at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.heard = at
}

// last is when something was heard last.
func (d *doubt) last() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.heard
}

func (d *doubt) away(is bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.broken = is
}

func (d *doubt) isAway() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.broken
}

// disbelieve declares a gap since something was heard last, unless one goes on.
func (n *node) disbelieve(why error) {
	n.doubt.mu.Lock()
	since := n.doubt.heard
	if since.IsZero() || n.doubt.broken || !n.doubt.since.IsZero() {
		since = time.Time{}
	} else {
		n.doubt.since = since
	}
	n.doubt.mu.Unlock()
	if !since.IsZero() {
		n.declare(since, time.Time{}, -1, why.Error())
	}
}

// believe closes that gap: an event of our own came out of the stream, and so
// everything that was reported before it. It came late, and nothing is missing.
func (n *node) believe() {
	n.doubt.mu.Lock()
	since := n.doubt.since
	n.doubt.since = time.Time{}
	n.doubt.mu.Unlock()
	if !since.IsZero() {
		n.declare(since, time.Now(), 0, "it answers again, and has reported everything")
	}
}
