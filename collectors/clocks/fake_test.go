package clocks

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// fakeNode is a node with a clock of its own.
type fakeNode struct {
	mu     sync.Mutex
	bootID string
	// ahead is how far its clock is ahead, slow how long it takes to answer.
	ahead, slow time.Duration
	format      string
	away        bool
	asked       int
}

func (f *fakeNode) set(change func(*fakeNode)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

// NodeExec answers as the script does.
func (f *fakeNode) NodeExec(ctx context.Context, node string, stdin io.Reader, stdout, stderr io.Writer, cmd ...string) error {
	f.mu.Lock()
	away, id := f.away, f.bootID
	f.asked++
	f.mu.Unlock()
	if away {
		fmt.Fprintf(stderr, "Error response from daemon:\n container %s is paused", node)
		return errors.New("exit status 1")
	}
	fmt.Fprintln(stdout, id)
	lines := bufio.NewScanner(stdin)
	for lines.Scan() {
		f.mu.Lock()
		ahead, slow, format := f.ahead, f.slow, f.format
		f.mu.Unlock()
		<-time.After(slow / 2)
		now := time.Now().Add(ahead)
		if format == "" {
			format = "%d.%09d\n"
			fmt.Fprintf(stdout, format, now.Unix(), now.Nanosecond())
		} else {
			fmt.Fprintf(stdout, format, now.Unix())
		}
		<-time.After(slow / 2)
	}
	return lines.Err()
}

// sink keeps records.
type sink struct {
	mu      sync.Mutex
	records []collectors.Record
}

func (s *sink) Add(r collectors.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, r)
}

func (s *sink) all() []collectors.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.records)
}

// running is a collector that runs.
type running struct {
	*Collector
	sink
	stop func()
	done chan error

	said sync.Mutex
	warn []string
}

// begin runs a collector, whose host change may change.
func begin(t *testing.T, exec collectors.Exec, options Options, change func(*Collector)) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{stop: cancel, done: make(chan error, 1)}
	if options.Every == 0 {
		options.Every = time.Hour
	}
	options.Warn = func(text string) {
		r.said.Lock()
		defer r.said.Unlock()
		r.warn = append(r.warn, text)
	}
	r.Collector = New(exec, &r.sink, options)
	r.bootID = "here"
	if change != nil {
		change(r.Collector)
	}
	go func() { r.done <- r.Run(ctx) }()
	t.Cleanup(cancel)
	select {
	case <-r.Ready():
	case <-time.After(10 * time.Second):
		t.Fatal("not ready in 10 s")
	}
	return r
}

// end measures for the last time and returns what all of it says.
func (r *running) end(t *testing.T) (low, high time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := r.Reconcile(ctx); err != nil {
		t.Error(err)
	}
	r.stop()
	if err := <-r.done; err != nil {
		t.Error(err)
	}
	low, high, known := r.timeline().ClockSkew()
	if !known {
		t.Error("no clock was measured")
	}
	return low, high
}

func (r *running) timeline() *collectors.Timeline {
	all := r.all()
	timeline := collectors.NewTimeline(all[0].Time)
	for _, record := range all {
		timeline.Add(record)
	}
	return timeline
}

func (r *running) warned() string {
	r.said.Lock()
	defer r.said.Unlock()
	return strings.Join(r.warn, "\n")
}

// local runs the command on this machine.
type local struct{}

func (local) NodeExec(ctx context.Context, _ string, stdin io.Reader, stdout, stderr io.Writer, cmd ...string) error {
	c := exec.CommandContext(ctx, cmd[0], cmd[1:]...)
	c.Stdin, c.Stdout, c.Stderr = stdin, stdout, stderr
	return c.Run()
}
