// Package logs records what the containers of one namespace write, as far as
// the API tells it, or brings it to who shows it (Options.Display).
//
// The live view is stern's: it finds the containers, follows their logs and
// gives each its colour. What stern cannot promise is promised by this
// package: lines are bounded, none is recorded twice, the log of a run that
// was over before it could be followed is read when the next run begins, and
// Reconcile reads every log again and adds what the live view missed. What
// is not available is declared as a gap, at once where the API server is away.
//
// Below Options.Dir each container has a file POD/CONTAINER.log, one line for
// each line of the log: its time in RFC 3339 with nanoseconds, a space, the
// text. It is appended live, in the order of arrival, and is in the order of
// time after Reconcile.
package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

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
)

// Options are what a Collector needs beside the API server.
type Options struct {
	// Namespace is the one whose containers' logs are recorded.
	Namespace string
	// Dir is the folder below which each container's lines are kept. Empty
	// means that no files are written.
	Dir string
	// Display says that the lines are to be shown, and that something else
	// records them: nothing is written to Dir, declared as a gap or read again,
	// Ready does not wait, and lines that the sink is too slow for are let go,
	// when more than MaxBehind wait, and counted.
	Display bool
	// Warn takes what a person should know though it is no record, such as
	// stern's messages. Nil means that nobody listens.
	Warn func(message string)
	// ContainerBytes, ContainerLines and TotalLines bound what is recorded; 0
	// means the default. What is beyond is declared as a gap, with its count.
	ContainerBytes, ContainerLines, TotalLines int
	// Retry spaces the attempts to start stern again after it ended. The zero
	// value means 200 ms doubling to 2 s, with jitter.
	Retry wait.Backoff
	// StartFor bounds the wait for the first watch of pods; 0 means 2 min.
	StartFor time.Duration
	// EndWait is how long the end of a followed log waits for the API to say
	// that the container ended; after it, the log is followed again. 0 means
	// 5 s.
	EndWait time.Duration
}

// Collector records the logs of one namespace.
type Collector struct {
	client  kubernetes.Interface
	sink    collectors.Sink
	options Options
	book    *book
	files   *logfile.Folder
	streams *streams
	display *display // nil where lines are recorded
	first   firstStart
	// watching says whether the pods are watched, asking whether they could be
	// listed when that was asked.
	watching, asking sight
	// dark says that no watch of the pods works.
	dark    atomic.Bool
	ready   chan struct{}
	isReady func()
}

// New returns a collector that reads the API server of config and puts
// records into sink. It fails where config cannot be used.
func New(config *rest.Config, sink collectors.Sink, options Options) (*Collector, error) {
	if options.Namespace == "" {
		return nil, errors.New("preparing the reading of logs: no namespace is given")
	}
	options = options.withDefaults()
	c := &Collector{sink: sink, options: options, ready: make(chan struct{})}
	c.isReady = sync.OnceFunc(func() { close(c.ready) })
	c.book = newBook()
	c.files = logfile.New(options.Dir)
	c.streams = newStreams(c)
	if options.Display {
		c.display = newDisplay()
		c.isReady()
	}
	client, err := c.newClient(config)
	if err != nil {
		return nil, fmt.Errorf("preparing a client that reads logs: %w", err)
	}
	c.client = client
	return c, nil
}

func (o Options) withDefaults() Options {
	if o.Retry.Duration == 0 {
		o.Retry = retry.Default(40)
	}
	if o.StartFor == 0 {
		o.StartFor = 2 * time.Minute
	}
	if o.EndWait == 0 {
		o.EndWait = 5 * time.Second
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
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

// Ready is closed once the containers of the namespace are being found: a log
// that begins from then on is followed.
func (c *Collector) Ready() <-chan struct{} { return c.ready }

// Run follows the logs until ctx ends, and then returns nil or the errors of
// files that could not be written. It returns early where the API server
// could not be watched within StartFor. It may be called once.
func (c *Collector) Run(ctx context.Context) error {
	if c.display != nil {
		return c.showing(ctx)
	}
	return errors.Join(c.follow(ctx), c.files.Close())
}

// Reconcile reads the log of every container that the API still knows, and of
// its previous run, and records the lines that are not recorded yet. Runs
// whose log is neither there nor was followed to its end are declared as gaps.
// It is to be called before the cluster goes, while Run runs or after it.
// Its error says what could not be asked or written; a gap alone is none.
func (c *Collector) Reconcile(ctx context.Context) error {
	if c.display != nil {
		return nil
	}
	return errors.Join(c.reconcile(ctx), c.files.Sort())
}

// RouteKlog sends what client-go and the other Kubernetes libraries of this
// process say to w, as text for slog; nothing of it reaches the terminal then.
// klog is shared by the whole process: call it once, before the first
// collector is made.
func RouteKlog(w io.Writer) {
	klog.SetSlogLogger(slog.New(slog.NewTextHandler(w, nil)))
}
