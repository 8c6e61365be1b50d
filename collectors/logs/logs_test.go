package logs

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"github.com/kind-lab/lab/collectors"
)

func TestMain(m *testing.M) {
	RouteKlog(io.Discard)
	goleak.VerifyTestMain(m)
}

// patience bounds the waits for what comes at once, unless the machine is busy.
const patience = 2 * time.Minute

type sink struct {
	mu      sync.Mutex
	records []collectors.Record
	added   chan struct{}
}

func newSink() *sink { return &sink{added: make(chan struct{}, 1000000)} }

func (s *sink) Add(r collectors.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, r)
	s.added <- struct{}{}
}

func (s *sink) all() []collectors.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.records)
}

// lines says what was recorded, in the order of time where sorted.
func (s *sink) lines() []string {
	var out []string
	for _, r := range s.all() {
		if r.Gap != nil {
			out = append(out, fmt.Sprintf("gap %s/%s %d", r.Object.Name, r.Container, r.Gap.Count))
			continue
		}
		out = append(out, fmt.Sprintf("%s/%s/%d +%v %s", r.Object.Name, r.Container, r.Log.Run, r.Time.Sub(day), r.Log.Text))
	}
	return out
}

func (s *sink) waitFor(t *testing.T, line string) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for !slices.Contains(s.lines(), line) {
		select {
		case <-s.added:
		case <-deadline.C:
			t.Fatalf("%q was not recorded in time; there is:\n%s", line, strings.Join(s.lines(), "\n"))
		}
	}
}

type running struct {
	*Collector
	stop context.CancelFunc
	done chan error

	mu       sync.Mutex
	warnings []string
}

func begin(t *testing.T, f *fakeAPI, s *sink, options Options) *running {
	t.Helper()
	options.Namespace, options.EndWait = "lab", 100*time.Millisecond
	options.Retry = wait.Backoff{Duration: 5 * time.Millisecond, Factor: 1.5, Steps: 2, Cap: 20 * time.Millisecond}
	return start(t, f.config(), s, options)
}

func start(t *testing.T, config *rest.Config, s *sink, options Options) *running {
	t.Helper()
	r := &running{done: make(chan error, 1)}
	options.Warn = func(message string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.warnings = append(r.warnings, message)
	}
	c, err := New(config, s, options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r.Collector, r.stop = c, cancel
	go func() { r.done <- c.Run(ctx) }()
	return r
}

func (r *running) isReady(t *testing.T) *running {
	t.Helper()
	select {
	case <-r.Ready():
	case err := <-r.done:
		t.Fatalf("Run returned before it was ready: %v", err)
	case <-time.After(patience):
		t.Fatal("not ready in time")
	}
	return r
}

func (r *running) end(t *testing.T) {
	t.Helper()
	r.stop()
	select {
	case err := <-r.done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("Run did not return after its context's end")
	}
}

// ended waits until a run's log was followed to its end.
func (r *running) ended(t *testing.T, podName, name string, number int) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		c, _ := r.book.find(podName, name)
		r.book.mu.Lock()
		changed := r.book.changed
		r.book.mu.Unlock()
		if is := r.book.get(c, number); is.eof || is.read {
			return
		}
		select {
		case <-changed:
		case <-time.After(10 * time.Millisecond):
		case <-deadline.C:
			t.Fatalf("the log of run %d of %s/%s did not end in 10 s", number, podName, name)
		}
	}
}

func (r *running) reconcile(t *testing.T) {
	t.Helper()
	if err := r.Reconcile(t.Context()); err != nil {
		t.Error(err)
	}
}

func check(t *testing.T, s *sink, want ...string) {
	t.Helper()
	got := s.lines()
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
