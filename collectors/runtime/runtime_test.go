package runtime

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kind-lab/lab/collectors"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type sink struct {
	mu      sync.Mutex
	records []collectors.Record
	added   chan struct{}
}

func newSink() *sink { return &sink{added: make(chan struct{}, 100000)} }

func (s *sink) Add(r collectors.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, r)
	s.added <- struct{}{}
}

func (s *sink) all() []collectors.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]collectors.Record(nil), s.records...)
}

// lines says what was recorded: type, container, id, code, and the time's
// distance from base.
func (s *sink) lines(base time.Time) []string {
	var out []string
	for _, r := range s.all() {
		switch {
		case r.Gap != nil:
			out = append(out, fmt.Sprintf("gap %d", r.Gap.Count))
		default:
			out = append(out, fmt.Sprintf("%s %s/%s %s %d +%v", r.Type, r.Object.Namespace, r.Container, r.Task.ID, r.Task.ExitCode, r.Time.Sub(base)))
		}
	}
	return out
}

func (s *sink) waitFor(t *testing.T, what string, has func(collectors.Record) bool) {
	t.Helper()
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	for {
		for _, r := range s.all() {
			if has(r) {
				return
			}
		}
		select {
		case <-s.added:
		case <-deadline.C:
			t.Fatalf("%s was not recorded in 10 s; there is:\n%s", what, strings.Join(s.lines(time.Now()), "\n"))
		}
	}
}

func isTask(kind collectors.Type, id string) func(collectors.Record) bool {
	return func(r collectors.Record) bool { return r.Type == kind && r.Task.ID == id }
}

func isGap(r collectors.Record) bool { return r.Gap != nil }

type running struct {
	collector *Collector
	stop      context.CancelFunc
	done      chan error
}

func start(t *testing.T, f *fakeNode, s *sink, namespaces ...string) *running {
	t.Helper()
	c := New(f, s, Options{
		Nodes: []string{"kind-control-plane"}, Namespaces: namespaces, ProbeTimeout: time.Second,
		Retry: wait.Backoff{Duration: time.Millisecond, Factor: 1.5, Steps: 5, Cap: 20 * time.Millisecond},
	})
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{collector: c, stop: cancel, done: make(chan error, 1)}
	go func() { r.done <- c.Run(ctx) }()
	return r
}

func (r *running) ready(t *testing.T) *running {
	t.Helper()
	select {
	case <-r.collector.Ready():
	case err := <-r.done:
		t.Fatalf("Run returned before it was ready: %v", err)
	case <-time.After(10 * time.Second):
		t.Fatal("not ready in 10 s")
	}
	return r
}

func (r *running) end(t *testing.T) error {
	t.Helper()
	r.stop()
	select {
	case err := <-r.done:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("Run did not return in 10 s of its context's end")
		return nil
	}
}

func TestAContainerThatLivedShortlyIsNamed(t *testing.T) {
	f, s := newFakeNode(), newSink()
	r := start(t, f, s, "lab").ready(t)
	base := time.Now()
	f.create("c1", "lab", "main")
	f.start("c1", base)
	f.exit("c1", base.Add(13*time.Millisecond+1), 1)
	f.emit("k8s.io", "/containers/delete", `{"id":"c1"}`)
	s.waitFor(t, "the exit", isTask(collectors.TypeTaskExit, "c1"))
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	want := []string{"task-start lab/main c1 0 +0s", "task-exit lab/main c1 1 +13.000001ms"}
	if diff := cmp.Diff(want, s.lines(base)); diff != "" {
		t.Error(diff)
	}
	got := s.all()[1]
	object := collectors.Object{Kind: "Pod", Namespace: "lab", Name: "myapp", UID: "uid-1"}
	if got.Object != object || got.Precision != 1 || got.Source != collectors.SourceRuntime || got.Task.Node != "kind-control-plane" {
		t.Errorf("record %+v", got)
	}
}

func TestWhatIsNotAContainerOfTheNamespaceIsIgnored(t *testing.T) {
	f, s := newFakeNode(), newSink()
	r := start(t, f, s, "lab").ready(t)
	base := time.Now()
	f.create("other", "kube-system", "etcd")
	f.start("other", base)
	f.createLabelled("pause", map[string]string{labelNamespace: "lab", labelPod: "myapp", labelKind: "sandbox"})
	f.start("pause", base)
	f.create("c1", "lab", "main")
	f.emit("k8s.io", "/tasks/exit", `{"container_id":"c1","id":"exec-1","pid":9,"exit_status":1}`)
	f.emit("moby", "/tasks/start", `{"container_id":"c1","pid":1}`)
	f.emit("k8s.io", "/snapshot/prepare", `not even JSON`)
	f.start("c1", base)
	f.emit("k8s.io", "/tasks/oom", `{"container_id":"c1"}`)
	s.waitFor(t, "the memory kill", isTask(collectors.TypeTaskOOM, "c1"))
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	if got := s.lines(base); len(got) != 2 || got[0] != "task-start lab/main c1 0 +0s" {
		t.Errorf("records %q", got)
	}
}

// TestTheEndOfWhatIsGivenUpIsNoGap ends containers of a namespace that is going
// as the observation begins, and removes them before they can be asked for.
func TestTheEndOfWhatIsGivenUpIsNoGap(t *testing.T) {
	f, s := newFakeNode(), newSink()
	f.surveyTakes = 50 * time.Millisecond
	base := time.Now()
	f.create("old", "lab-before", "main")
	f.createLabelled("pause", map[string]string{labelNamespace: "lab-before", labelPod: "myapp", labelKind: "sandbox"})
	r := start(t, f, s, "lab").ready(t)
	for _, id := range []string{"old", "pause"} {
		f.set(func(f *fakeNode) { delete(f.containers, id) })
		f.emit("k8s.io", "/tasks/exit", fmt.Sprintf(`{"container_id":%q,"id":%q,"pid":42,"exit_status":137}`, id, id))
	}
	f.create("c1", "lab", "main")
	f.start("c1", base)
	s.waitFor(t, "the start", isTask(collectors.TypeTaskStart, "c1"))
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"task-start lab/main c1 0 +0s"}, s.lines(base)); diff != "" {
		t.Error(diff)
	}
}

func TestWhatWasThereBeforeIsRecorded(t *testing.T) {
	f, s := newFakeNode(), newSink()
	base := time.Now()
	f.create("c1", "lab", "main")
	f.start("c1", base)
	f.create("c2", "lab", "init")
	f.start("c2", base.Add(-time.Second))
	f.exit("c2", base.Add(-time.Millisecond), 0)
	r := start(t, f, s, "lab").ready(t)
	f.exit("c1", base.Add(time.Second), 143)
	s.waitFor(t, "the exit", isTask(collectors.TypeTaskExit, "c1"))
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	want := []string{
		"task-start lab/init c2 0 +-1s", "task-exit lab/init c2 0 +-1ms", "task-start lab/main c1 0 +0s", "task-exit lab/main c1 143 +1s",
	}
	if diff := cmp.Diff(want, s.lines(base)); diff != "" {
		t.Error(diff)
	}
}

func TestABrokenStreamIsAGapAndIsCaughtUp(t *testing.T) {
	f, s := newFakeNode(), newSink()
	r := start(t, f, s, "lab").ready(t)
	base := time.Now()
	f.create("c1", "lab", "main")
	f.start("c1", base)
	s.waitFor(t, "the start", isTask(collectors.TypeTaskStart, "c1"))
	f.set(func(f *fakeNode) { f.away = true })
	f.breakStreams()
	f.exit("c1", base.Add(time.Millisecond), 137)
	f.create("c2", "lab", "side")
	f.start("c2", base.Add(2*time.Millisecond))
	f.set(func(f *fakeNode) { f.away = false })
	s.waitFor(t, "the start in the gap", isTask(collectors.TypeTaskStart, "c2"))
	// containerd tells an exit again after its restart.
	f.exit("c1", base.Add(time.Millisecond), 137)
	f.exit("c2", base.Add(time.Second), 0)
	s.waitFor(t, "the exit after it", isTask(collectors.TypeTaskExit, "c2"))
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	want := []string{
		"task-start lab/main c1 0 +0s", "gap -1", "task-exit lab/main c1 137 +1ms", "task-start lab/side c2 0 +2ms", "gap -1", "task-exit lab/side c2 0 +1s",
	}
	if diff := cmp.Diff(want, s.lines(base)); diff != "" {
		t.Error(diff)
	}
	if gap := s.all()[1].Gap; !gap.To.IsZero() || !gap.From.Equal(s.all()[4].Gap.From) {
		t.Errorf("gap %+v, want one that goes on until the next closes it", gap)
	}
	gap := s.all()[4].Gap
	if !strings.Contains(gap.Reason, "error reading from server: EOF") || gap.From.After(base.Add(time.Second)) {
		t.Errorf("gap %+v", gap)
	}
}

func TestAGapSaysWhereTheNodeCannotBeAsked(t *testing.T) {
	f, s := newFakeNode(), newSink()
	f.noCrictl = true
	r := start(t, f, s, "lab").ready(t)
	f.breakStreams()
	f.streaming(t, 2)
	s.waitFor(t, "a gap after the break", func(r collectors.Record) bool {
		return r.Gap != nil && strings.Contains(r.Gap.Reason, "the node could not say what happened meanwhile")
	})
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	for _, r := range s.all() {
		if !r.Gap.To.IsZero() && !strings.Contains(r.Gap.Reason, "crictl: not found") {
			t.Errorf("gap %+v does not say why", r.Gap)
		}
	}
}

func TestAStreamThatDoesNotComeBackIsAGap(t *testing.T) {
	f, s := newFakeNode(), newSink()
	r := start(t, f, s, "lab").ready(t)
	f.set(func(f *fakeNode) { f.away = true })
	f.breakStreams()
	<-time.After(50 * time.Millisecond)
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	got := s.all()
	if len(got) != 2 || !got[0].Gap.To.IsZero() || !strings.Contains(got[1].Gap.Reason, "did not come back") {
		t.Errorf("records %+v", got)
	}
}

func TestAFirstConnectionThatFailsIsAnError(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*fakeNode)
		want   string
	}{
		"paused": {func(f *fakeNode) { f.away = true }, "container kind-control-plane is paused"},
		"deaf":   {func(f *fakeNode) { f.deaf = true }, "no event came out of the stream within 1s"},
		"mute":   {func(f *fakeNode) { f.refuses = "ctr: out of space" }, "out of space"},
		"unread": {func(f *fakeNode) { f.unread = true }, "no event came out of the stream within 1s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFakeNode()
			f.set(test.change)
			r := start(t, f, newSink(), "lab")
			select {
			case err := <-r.done:
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("error %v, want %q", err, test.want)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("Run did not give up in 20 s")
			}
		})
	}
}

func TestNames(t *testing.T) {
	t.Run("are asked for again", func(t *testing.T) {
		f, s := newFakeNode(), newSink()
		r := start(t, f, s, "lab").ready(t)
		f.set(func(f *fakeNode) { f.infoFails = 3 })
		f.create("c1", "lab", "main")
		f.start("c1", time.Now())
		s.waitFor(t, "the start", isTask(collectors.TypeTaskStart, "c1"))
		if err := r.end(t); err != nil {
			t.Error(err)
		}
	})
	t.Run("that are not available are a gap of one", func(t *testing.T) {
		f, s := newFakeNode(), newSink()
		r := start(t, f, s, "lab").ready(t)
		f.emit("k8s.io", "/tasks/start", `{"container_id":"ghost","pid":1}`)
		s.waitFor(t, "a gap", isGap)
		if err := r.end(t); err != nil {
			t.Error(err)
		}
		if g := s.all()[0].Gap; g.Count != 1 || !strings.Contains(g.Reason, "ghost") {
			t.Errorf("gap %+v", g)
		}
	})
}

func TestAGarbledLineIsAGap(t *testing.T) {
	f, s := newFakeNode(), newSink()
	r := start(t, f, s, "lab").ready(t)
	f.emit("k8s.io", "/tasks/exit", `{"container_id":`)
	s.waitFor(t, "a gap", isGap)
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}

func TestSeveralNodes(t *testing.T) {
	f, s := newFakeNode(), newSink()
	c := New(f, s, Options{Nodes: []string{"a", "b"}, Namespaces: []string{"lab"}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	<-c.Ready()
	f.streaming(t, 2)
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
