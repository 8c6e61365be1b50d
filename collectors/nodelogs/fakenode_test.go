package nodelogs

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kind-lab/lab/collectors"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// day is the time of the first line of the fake's logs.
var day = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// fakeNode is a node whose files lie in a folder of this machine, where its
// commands are run, with this machine's perl and gzip. It can be away, and end what runs in it.
type fakeNode struct {
	root string

	mu      sync.Mutex
	away    bool
	running []*exec.Cmd
	began   int
}

func newFakeNode(t *testing.T) *fakeNode { return &fakeNode{root: t.TempDir()} }

var errAway = errors.New("exit status 1")

// NodeExec runs the command on this machine.
func (f *fakeNode) NodeExec(ctx context.Context, node string, stdin io.Reader, stdout, stderr io.Writer, cmd ...string) error {
	c := exec.CommandContext(ctx, cmd[0], cmd[1:]...)
	c.Stdin, c.Stdout, c.Stderr = stdin, stdout, stderr
	f.mu.Lock()
	if f.away {
		f.mu.Unlock()
		fmt.Fprintf(stderr, "Error response from daemon: container %s is not running", node)
		return errAway
	}
	err := c.Start()
	f.running = append(f.running, c)
	f.began++
	f.mu.Unlock()
	if err != nil {
		return err
	}
	return c.Wait()
}

// leave ends what runs in the node; nothing begins until it is back.
func (f *fakeNode) leave(t *testing.T) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.away = true
	for _, c := range f.running {
		if err := c.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
	}
	f.running = nil
}

func (f *fakeNode) back() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.away = false
}

// logFile writes a run's log as a runtime does.
type logFile struct {
	t    *testing.T
	path string
	now  time.Time
}

// run begins the log of a run of a container of pod myapp.
func (f *fakeNode) run(t *testing.T, container string, number int) *logFile {
	t.Helper()
	l := &logFile{t: t, now: day, path: filepath.Join(f.root, "ns_myapp_uid-1", container, fmt.Sprintf("%d.log", number))}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o755); err != nil {
		t.Fatal(err)
	}
	l.raw("")
	return l
}

// raw appends bytes to the file.
func (l *logFile) raw(text string) {
	l.t.Helper()
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		l.t.Fatal(err)
	}
	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Close()); err != nil {
		l.t.Fatal(err)
	}
}

// entry appends a line of the format, a second after the one before.
func (l *logFile) entry(stream, tag, text string) {
	l.t.Helper()
	l.raw(l.now.Format(time.RFC3339Nano) + " " + stream + " " + tag + " " + text + "\n")
	l.now = l.now.Add(time.Second)
}

func (l *logFile) lines(texts ...string) {
	l.t.Helper()
	for _, text := range texts {
		l.entry("stdout", "F", text)
	}
}

// rotate does what the kubelet does; stamp is the name that the file gets.
func (l *logFile) rotate(stamp string) {
	l.t.Helper()
	if err := os.Rename(l.path, l.path+"."+stamp); err != nil {
		l.t.Fatal(err)
	}
	l.raw("")
}

// compress does what the kubelet does with a rotated file.
func (l *logFile) compress(stamp string) {
	l.t.Helper()
	path := l.path + "." + stamp
	text, err := os.ReadFile(path)
	if err != nil {
		l.t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(text)
	err = errors.Join(err, w.Close(), os.WriteFile(path+".tmp", packed.Bytes(), 0o644), os.Rename(path+".tmp", path+".gz"), os.Remove(path))
	if err != nil {
		l.t.Fatal(err)
	}
}

func (f *fakeNode) removePod(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(f.root, "ns_myapp_uid-1")); err != nil {
		t.Fatal(err)
	}
}

type sink struct {
	mu      sync.Mutex
	records []collectors.Record
	added   chan struct{}
}

func newSink() *sink { return &sink{added: make(chan struct{}, 1)} }

func (s *sink) Add(r collectors.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, r)
	select {
	case s.added <- struct{}{}:
	default:
	}
}

func (s *sink) all() []collectors.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.records)
}

// lines says what was recorded, in the order in which it was. Of gaps that were
// closed the end alone is there.
func (s *sink) lines() []string {
	var out []string
	timeline := collectors.NewTimeline(day)
	for _, r := range s.all() {
		r.Received = r.Time
		timeline.Add(r)
		if r.Log != nil {
			mark := ""
			if r.Log.Cut {
				mark = " (cut)"
			}
			out = append(out, fmt.Sprintf("%s/%d %s +%v %s%s", r.Container, r.Log.Run, r.Log.Stream, r.Time.Sub(day), short(r.Log.Text), mark))
		}
	}
	for _, r := range timeline.GapsBy(time.Now().Add(time.Hour)) {
		out = append(out, fmt.Sprintf("gap %s/%s %d", r.Object.Name, r.Container, r.Gap.Count))
	}
	return out
}

// short says how long a long text is.
func short(text string) string {
	if len(text) > 100 {
		return fmt.Sprintf("%s… (%d)", text[:3], len(text))
	}
	return text
}

func (s *sink) waitFor(t *testing.T, line string) {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	for {
		if slices.ContainsFunc(s.lines(), func(have string) bool { return strings.HasPrefix(have, line) }) {
			return
		}
		select {
		case <-s.added:
		case <-deadline.C:
			t.Fatalf("%q was not recorded in 20 s; there is %q", line, s.lines())
		}
	}
}

type running struct {
	*Collector
	stop func()
	done chan error
	dir  string

	mu   sync.Mutex
	said []string
}

// begin runs a collector on the fake.
func begin(t *testing.T, f collectors.Exec, root string, s collectors.Sink, options Options) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{stop: cancel, done: make(chan error, 1)}
	if options.Dir == "" {
		options.Dir = filepath.Join(t.TempDir(), "logs")
	}
	r.dir = options.Dir
	options.Nodes, options.Namespace, options.Root = []string{"node-1"}, "ns", root
	options.Warn = func(text string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.said = append(r.said, text)
	}
	r.Collector = New(f, s, options)
	go func() { r.done <- r.Run(ctx) }()
	t.Cleanup(cancel)
	return r
}

func (r *running) isReady(t *testing.T) *running {
	t.Helper()
	select {
	case <-r.Ready():
	case err := <-r.done:
		t.Fatalf("Run ended: %v", err)
	case <-time.After(10 * time.Second):
		t.Fatalf("not ready in 10 s; it warned %q", r.warned())
	}
	return r
}

func (r *running) warned() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.said)
}

func (r *running) reconcile(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := r.Reconcile(ctx); err != nil {
		t.Fatal(err)
	}
}

func (r *running) end(t *testing.T) error {
	t.Helper()
	r.stop()
	select {
	case err := <-r.done:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("Run did not end in 10 s")
		return nil
	}
}

// ended is a context that has ended.
func ended(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
