// Package runtime reads the event stream of containerd inside each node: when
// a container's first process started, when it ended and how, and when the
// kernel killed in it for memory, in nanoseconds of the node's clock.
//
// It sees a container that lived 13 ms, which a watch of the API never does.
// The stream itself says whose a container is: on a node that has perl, a program
// in front of it reads the container's bundle when the task is created. If the
// stream does not say it, the node is asked for the labels that the kubelet gives
// the container. That takes a process in the node, and may be too late.
//
// Of the kills for memory that containerd missed it learns from the kernel's log, in
// the same ways.
//
// Whether all was reported is asked over the input of the open stream: the node causes
// an event of our own in containerd, which comes out behind what happened before.
// No process is started for it on a node that has perl.
//
// Where a stream breaks the collector declares a gap, opens the stream again
// and asks the node for the starts and ends that it did not see; those are
// recorded with the times that containerd kept.
package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/collectors/internal/retry"
)

// Options are what a Collector needs beside a way into the nodes.
type Options struct {
	// Nodes are the names of the nodes to observe.
	Nodes []string
	// Namespaces are the Kubernetes namespaces whose containers are recorded;
	// none means all.
	Namespaces []string
	// Warn takes what a person should know though the records are whole. Nil
	// means that nobody listens.
	Warn func(message string)
	// Retry spaces the attempts to open a stream; its Steps bound the
	// attempts of a first connection alone. The zero value means 200 ms
	// doubling to 2 s, with jitter, and 12 attempts.
	Retry wait.Backoff
	// ProbeTimeout bounds one attempt to see the stream work; 0 means 10 s.
	ProbeTimeout time.Duration
}

// Collector reads the runtimes of a cluster's nodes.
type Collector struct {
	exec    collectors.Exec
	sink    collectors.Sink
	options Options
	ready   chan struct{}

	mu    sync.Mutex
	nodes []*node
}

// New returns a collector that reaches the nodes through exec and puts records
// into sink.
func New(exec collectors.Exec, sink collectors.Sink, options Options) *Collector {
	if options.Retry.Duration == 0 {
		options.Retry = retry.Default(12)
	}
	if options.ProbeTimeout == 0 {
		options.ProbeTimeout = 10 * time.Second
	}
	if options.Warn == nil {
		options.Warn = func(string) {}
	}
	return &Collector{exec: exec, sink: sink, options: options, ready: make(chan struct{})}
}

// Source is what the records tell from.
func (c *Collector) Source() collectors.Source { return collectors.SourceRuntime }

// Ready is closed once every node's stream was seen to work: an event of our
// own came out of it, and the containers that were there before are known.
func (c *Collector) Ready() <-chan struct{} { return c.ready }

// Reconcile returns once everything that happened in the nodes before it was
// recorded: an event of our own came out of every stream behind it, or, where a
// stream breaks meanwhile, out of the next. It fails where nothing came for
// ProbeTimeout; then the end of a stretch may be missing.
func (c *Collector) Reconcile(ctx context.Context) error {
	return c.each(func(n *node) error {
		ctx, cancel := n.whileHeard(ctx)
		defer cancel()
		var broke error
		for {
			err := n.flush(ctx)
			if errors.Is(err, errDetached) && ctx.Err() == nil {
				broke = err // of which a gap tells; what follows is in the next stream
				continue
			}
			if err != nil {
				return fmt.Errorf("reading the container runtime of node %s to its end: %w", n.name, errors.Join(err, broke))
			}
			return nil
		}
	})
}

// Run observes until ctx ends and then returns nil. It returns early where a
// node's stream could not be opened in all attempts of a first connection;
// a stream that breaks later is opened again until ctx ends.
func (c *Collector) Run(ctx context.Context) error {
	if len(c.options.Nodes) == 0 {
		return errors.New("reading the container runtime: no node is given")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var group sync.WaitGroup
	var opened atomic.Int32
	errs := make([]error, len(c.options.Nodes))
	for i, name := range c.options.Nodes {
		n := newNode(c, name, sync.OnceFunc(func() {
			if int(opened.Add(1)) == len(c.options.Nodes) {
				close(c.ready)
			}
		}))
		c.mu.Lock()
		c.nodes = append(c.nodes, n)
		c.mu.Unlock()
		group.Go(func() {
			if err := n.run(ctx); err != nil {
				errs[i] = fmt.Errorf("reading the container runtime of node %s: %w", name, err)
				cancel()
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}
