// Package nodelogs records what the containers of one namespace write, from
// the files in which the nodes keep it.
//
// A command in each node holds every log file of the namespace open from the
// moment it is seen, within 0.2 s, and sends what is new in it: that a file is
// rotated, compressed or removed with its pod loses nothing. Where the command
// ends, because the node was restarted or its engine was, it is started again
// and goes on from where it was. A gap of the whole source tells of that at once.
// It is closed when all that is there was read: with nothing lost (0) where the
// times of the node's folders show that no container's files came or went
// meanwhile, else with a loss that nobody knows (-1). What is missing of one
// container is a gap of that container.
//
// Parts of a line are joined. A line that is longer than MaxLine is cut, and
// marked; what is no UTF-8 is replaced. The last line of a run that has no end
// of line is recorded when the run is seen to be over, or by Reconcile.
//
// Below Options.Dir each container has a file POD/CONTAINER.log (package
// logfile), in the order in which the runtime wrote it.
package nodelogs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/collectors/internal/logfile"
	"github.com/kind-lab/lab/collectors/internal/retry"
)

const (
	// MaxLine is the length in bytes above which a line is cut, and marked.
	MaxLine = 256 << 10
	// DefaultContainerBytes bounds the text that is recorded of one container.
	DefaultContainerBytes = 64 << 20
	// DefaultContainerLines bounds the lines that are recorded of one
	// container.
	DefaultContainerLines = 1_000_000
	// DefaultTotalLines bounds the lines that are recorded of all containers.
	DefaultTotalLines = 4_000_000
	// DefaultDirBytes bounds the files below Options.Dir.
	DefaultDirBytes = 1 << 30
	// DefaultRoot is where a node keeps its containers' logs.
	DefaultRoot = "/var/log/pods"
)

// Options are what a Collector needs beside a way into the nodes.
type Options struct {
	// Nodes are the names of the nodes whose containers' logs are recorded.
	Nodes []string
	// Namespace is the one whose containers' logs are recorded.
	Namespace string
	// Dir is the folder below which each container's lines are kept. Empty
	// means that no files are written.
	Dir string
	// Root is the nodes' folder of logs; empty means DefaultRoot.
	Root string
	// Warn takes what a person should know though the records are whole. Nil
	// means that nobody listens.
	Warn func(message string)
	// ContainerBytes, ContainerLines, TotalLines and DirBytes bound what is
	// recorded; 0 means the default. What is beyond is declared as a gap, with
	// its count.
	ContainerBytes, ContainerLines, TotalLines int
	DirBytes                                   int64
	// Retry spaces the attempts to reach a node; its Steps bound the attempts
	// of a first connection alone. The zero value means 200 ms doubling to
	// 2 s, with jitter, and 12 attempts.
	Retry wait.Backoff
	// StartFor bounds the wait for a node's first answer; 0 means 30 s.
	StartFor time.Duration
}

// Stats counts what was read.
type Stats struct {
	// Lines and Bytes are the lines that were recorded, and their texts' bytes.
	Lines, Bytes int64
	// Waits is how often the reading had to wait for the sink.
	Waits int64
}

// Collector records the logs of one namespace.
type Collector struct {
	exec    collectors.Exec
	sink    collectors.Sink
	options Options
	files   *logfile.Folder
	ready   chan struct{}
	nodes   []*node

	lines, bytes, waits atomic.Int64
}

// New returns a collector that reaches the nodes through exec and puts records
// into sink.
func New(exec collectors.Exec, sink collectors.Sink, options Options) *Collector {
	options = options.withDefaults()
	c := &Collector{exec: exec, sink: sink, options: options, files: logfile.New(options.Dir), ready: make(chan struct{})}
	var opened atomic.Int32
	for _, name := range options.Nodes {
		c.nodes = append(c.nodes, newNode(c, name, sync.OnceFunc(func() {
			if int(opened.Add(1)) == len(options.Nodes) {
				close(c.ready)
			}
		})))
	}
	return c
}

func (o Options) withDefaults() Options {
	if o.Retry.Duration == 0 {
		o.Retry = retry.Default(12)
	}
	if o.StartFor == 0 {
		o.StartFor = 30 * time.Second
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.Root == "" {
		o.Root = DefaultRoot
	}
	if o.DirBytes == 0 {
		o.DirBytes = DefaultDirBytes
	}
	for _, f := range []struct {
		field *int
		value int
	}{
		{&o.ContainerBytes, DefaultContainerBytes},
		{&o.ContainerLines, DefaultContainerLines},
		{&o.TotalLines, DefaultTotalLines},
	} {
		if *f.field == 0 {
			*f.field = f.value
		}
	}
	return o
}

// Source is what the records tell from.
func (c *Collector) Source() collectors.Source { return collectors.SourceLog }

// Ready is closed once the files that are there are known on every node: what
// is written from then on is read.
func (c *Collector) Ready() <-chan struct{} { return c.ready }

// Stats says what was read so far.
func (c *Collector) Stats() Stats {
	return Stats{Lines: c.lines.Load(), Bytes: c.bytes.Load(), Waits: c.waits.Load()}
}

// Run reads until ctx ends, and then returns nil or the errors of files that
// could not be written. It returns early where a node could not be reached in
// all attempts of a first connection; one that breaks away later is tried
// until ctx ends. It may be called once.
func (c *Collector) Run(ctx context.Context) error {
	if len(c.nodes) == 0 {
		return errors.New("reading the nodes' log files: no node is given")
	}
	if c.options.Namespace == "" {
		return errors.New("reading the nodes' log files: no namespace is given")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var group sync.WaitGroup
	errs := make([]error, len(c.nodes))
	for i, n := range c.nodes {
		group.Go(func() {
			if err := n.run(ctx); err != nil {
				errs[i] = fmt.Errorf("reading the log files of node %s: %w", n.name, err)
				cancel()
			}
		})
	}
	group.Wait()
	return errors.Join(append(errs, c.files.Close())...)
}

// Reconcile returns once everything that the nodes' files had before it was
// recorded, and declares what is missing. It is to be called before the
// cluster goes, while Run runs. Its error says which node could not be read to
// the end of its files before ctx ended; a gap says so, too.
func (c *Collector) Reconcile(ctx context.Context) error {
	err := c.each(func(n *node) error {
		if err := n.reconcile(ctx); err != nil {
			return fmt.Errorf("reading the log files of node %s to their end: %w", n.name, err)
		}
		return nil
	})
	c.files.Flush()
	return err
}

// Sync returns once everything that the nodes' files had before it was
// recorded. Where that does not come before ctx ends, that is the error, and a
// gap is declared that goes on until it does.
func (c *Collector) Sync(ctx context.Context) error {
	return c.each(func(n *node) error {
		if err := n.sync(ctx); err != nil {
			return fmt.Errorf("the log files of node %s cannot be read now: %w", n.name, err)
		}
		return nil
	})
}

// each does something for every node at once.
func (c *Collector) each(do func(*node) error) error {
	var group sync.WaitGroup
	errs := make([]error, len(c.nodes))
	for i, n := range c.nodes {
		group.Go(func() { errs[i] = do(n) })
	}
	group.Wait()
	return errors.Join(errs...)
}
