// Package pods watches the pods and Jobs of one namespace, and objects of other
// kinds where that is asked for.
//
// It asks for the server's Table form together with the whole object, so that
// every record holds the STATUS and READY cells as that version's API server
// computes them, and the object that they were computed from, of one moment.
//
// A watch that ends is resumed where it ended. Where that is not possible
// (410 Gone) the collector lists again, records what changed and what
// vanished, and declares the stretch in between as a gap; where the API was
// away but nothing is missing, the gap has the count 0. Either is closed once all
// that changed meanwhile is recorded.
package pods

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/collectors/internal/retry"
)

// Options are what a Collector needs beside the API server.
type Options struct {
	// Namespace is the one whose pods and Jobs are watched.
	Namespace string
	// Kinds are further kinds whose objects are watched: those in Namespace,
	// and all of a kind that belongs to no namespace. One that the API server
	// does not serve yet is waited for.
	Kinds []collectors.Kind
	// Events says to watch the Kubernetes events of Namespace too.
	Events bool
	// Dir is the folder below which each distinct status of each pod is kept
	// as YAML: Dir/POD/003-Running-NotReady.yaml. Empty means none is kept.
	Dir string
	// Warn takes what a person should know though the records are whole, such
	// as a file that could not be written. Nil means that nobody listens;
	// Run returns such errors at its end in any case.
	Warn func(message string)
	// Retry spaces the attempts to reach an API server that is away; its
	// Steps bound the attempts of a first connection alone. The zero value
	// means 200 ms doubling to 2 s, with jitter, and 40 attempts.
	Retry wait.Backoff
}

// Collector watches the pods and Jobs of one namespace.
type Collector struct {
	client  rest.Interface
	sink    collectors.Sink
	options Options
	files   *files
	ready   chan struct{}

	mu       sync.Mutex
	watchers []*watcher
}

// New returns a collector that reads the API server of config and puts
// records into sink. It fails where config cannot be used.
func New(config *rest.Config, sink collectors.Sink, options Options) (*Collector, error) {
	client, err := restClient(config, options.Warn)
	if err != nil {
		return nil, fmt.Errorf("preparing a client that watches pods: %w", err)
	}
	if options.Namespace == "" {
		return nil, errors.New("preparing the watch of pods: no namespace is given")
	}
	if options.Retry.Duration == 0 {
		options.Retry = retry.Default(40)
	}
	return &Collector{
		client: client, sink: sink, options: options,
		files: newFiles(options.Dir, options.Warn), ready: make(chan struct{}),
	}, nil
}

// finder finds a resource. It calls isOpen where it has to wait for it: what is
// not served is not missed.
type finder func(ctx context.Context, isOpen func()) (resource, error)

// resources are those that are watched.
func (c *Collector) resources() []finder {
	known := []resource{podResource(), jobResource()}
	if c.options.Events {
		known = append(known, eventResource())
	}
	var all []finder
	for _, r := range known {
		all = append(all, func(context.Context, func()) (resource, error) { return r, nil })
	}
	for _, kind := range c.options.Kinds {
		all = append(all, func(ctx context.Context, isOpen func()) (resource, error) { return c.find(ctx, kind, isOpen) })
	}
	return all
}

// Source is what the records tell from.
func (c *Collector) Source() collectors.Source { return collectors.SourceAPI }

// Ready is closed once the watches are open: whatever changes from then on is
// recorded.
func (c *Collector) Ready() <-chan struct{} { return c.ready }

// Run watches until ctx ends, and then returns nil or the errors of files that
// could not be written. It returns early where the API server could not be
// reached, or refused, in all attempts of a first connection; once it has
// observed it waits for an API server that is away until ctx ends.
func (c *Collector) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var group sync.WaitGroup
	var opened atomic.Int32
	resources := c.resources()
	errs := make([]error, len(resources))
	for i, find := range resources {
		isOpen := sync.OnceFunc(func() {
			if int(opened.Add(1)) == len(resources) {
				close(c.ready)
			}
		})
		group.Go(func() {
			r, err := find(ctx, isOpen)
			if err == nil {
				err = c.watcher(r, isOpen).run(ctx)
			}
			if errs[i] = err; err != nil {
				cancel()
			}
		})
	}
	group.Wait()
	return errors.Join(append(errs, c.files.close())...)
}

// watcher is a watcher that Sync asks.
func (c *Collector) watcher(r resource, isOpen func()) *watcher {
	w := newWatcher(c, r, isOpen)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers = append(c.watchers, w)
	return w
}
