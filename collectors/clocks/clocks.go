// Package clocks measures the clocks of a cluster against this machine's.
//
// Steps are stamped by this machine's clock, and what happens on a node by the
// node's. Where the nodes are containers of this machine's own kernel, as their
// boot id says, both are one clock: nothing can be apart, also not in a time
// namespace, which does not shift the time of day. Everywhere else, with an engine
// in a virtual machine or a cluster that exists already, each node's clock is
// asked at the start, each minute, at the end, and whenever Sync is called.
//
// A measurement is a record of collectors.TypeClock. What it does not know is in
// its uncertainty: half of the fastest of some round trips, and how finely the
// clock was reported. collectors.Timeline.ClockSkew makes of all of them what may be
// concluded.
//
// This machine's clock is looked at each second: where it was set, or the machine
// slept, a record says so at once. A virtual machine that slept with it has a
// clock that is behind by that time until somebody sets it, so its offset is
// taken to be anything from that to what it was.
//
// Where no node can be reached, the API server's clock stands for them, by the
// date that it answers with, in whole seconds. Of nodes whose clocks differ from
// the API server's nothing is known then.
package clocks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/kind-lab/lab/collectors"
)

const (
	// looks is how often this machine's clock is looked at.
	looks = time.Second
	// limit bounds one measurement.
	limit = 10 * time.Second
	// fresh is how old a measurement may be that Sync does not repeat.
	fresh = 500 * time.Millisecond
	// syncLimit bounds how long Sync waits: a node that does not answer is no
	// reason to wait longer.
	syncLimit = 2 * time.Second
)

// Options are what a Collector needs beside a way into the nodes.
type Options struct {
	// Nodes are the names of the nodes whose clocks are measured.
	Nodes []string
	// Server asks the API server for its time, in whole seconds. It is used where
	// there are no Nodes.
	Server func(ctx context.Context) (time.Time, error)
	// Every is the time between two measurements; 0 means a minute.
	Every time.Duration
	// Warn takes what a person should know. Nil means that nobody listens.
	Warn func(message string)
}

// Collector measures the clocks of one cluster.
type Collector struct {
	exec    collectors.Exec
	sink    collectors.Sink
	options Options
	ready   chan struct{}
	asks    chan ask
	host    *host
	bootID  string
	clocks  []*clock
}

// New returns a collector that reaches the nodes through exec and puts records
// into sink.
func New(exec collectors.Exec, sink collectors.Sink, options Options) *Collector {
	if options.Every == 0 {
		options.Every = time.Minute
	}
	if options.Warn == nil {
		options.Warn = func(string) {}
	}
	c := &Collector{exec: exec, sink: sink, options: options, ready: make(chan struct{}), asks: make(chan ask), host: newHost()}
	if id, err := os.ReadFile(bootIDFile); err == nil {
		c.bootID = strings.TrimSpace(string(id))
	}
	for _, name := range options.Nodes {
		c.clocks = append(c.clocks, &clock{c: c, name: name, read: func(ctx context.Context) (measurement, error) { return c.node(ctx, name) }})
	}
	if len(options.Nodes) == 0 && options.Server != nil {
		c.clocks = append(c.clocks, &clock{c: c, read: c.server})
	}
	return c
}

// Ready is closed once each clock was asked for the first time.
func (c *Collector) Ready() <-chan struct{} { return c.ready }

// Run measures until ctx ends. It returns early if there is nothing to measure.
func (c *Collector) Run(ctx context.Context) error {
	if len(c.clocks) == 0 {
		return errors.New("measuring the clocks: neither a node nor the API server is given")
	}
	c.measure(ctx)
	close(c.ready)
	tick := time.NewTicker(min(looks, c.options.Every))
	defer tick.Stop()
	next := time.Now().Add(c.options.Every)
	for {
		var a ask
		select {
		case <-ctx.Done():
			return nil
		case a = <-c.asks:
		case <-tick.C:
		}
		if c.look() || a.now || a.done != nil && c.stale() || !time.Now().Before(next) {
			c.measure(ctx)
			next = time.Now().Add(c.options.Every)
		}
		if a.done != nil {
			close(a.done)
		}
	}
}

// ask asks Run to measure: now, or if the last time is some time ago.
type ask struct {
	now  bool
	done chan struct{}
}

// Reconcile measures for the last time. It is to be called while Run runs.
func (c *Collector) Reconcile(ctx context.Context) error {
	if !c.ask(ctx, true) {
		return fmt.Errorf("measuring the clocks for the last time: %w", ctx.Err())
	}
	return nil
}

// Source is that of the harness's own times, which are compared with the nodes'.
func (c *Collector) Source() collectors.Source { return collectors.SourceLab }

// Sync measures again, unless that was done just before. A clock that does not
// answer at once is no error: it may drift on.
func (c *Collector) Sync(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, syncLimit)
	defer cancel()
	c.ask(limited, false)
	return nil
}

// ask says whether it was measured before ctx ended.
func (c *Collector) ask(ctx context.Context, now bool) bool {
	a := ask{now: now, done: make(chan struct{})}
	select {
	case c.asks <- a:
	case <-ctx.Done():
		return false
	}
	select {
	case <-a.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// stale says whether a clock was not measured just before.
func (c *Collector) stale() bool {
	for _, k := range c.clocks {
		if k.age() > fresh {
			return true
		}
	}
	return false
}

// measure asks every clock that may differ.
func (c *Collector) measure(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var group sync.WaitGroup
	for _, k := range c.clocks {
		group.Go(func() { k.measure(ctx) })
	}
	group.Wait()
}

// look says whether this machine's clock was set, or the machine slept, since the
// last look, and records what that does to the offsets.
func (c *Collector) look() bool {
	by := c.host.jumped()
	if by == 0 {
		return false
	}
	what := fmt.Sprintf("this machine's clock was set forward by %v, or the machine slept", rounded(by))
	if by < 0 {
		what = fmt.Sprintf("this machine's clock was set back by %v", rounded(-by))
	}
	told := false
	for _, k := range c.clocks {
		told = k.shake(by, what) || told
	}
	if told {
		c.options.Warn(what + ": the order of steps and of what happened on nodes is known no finer than that")
	}
	return true
}
