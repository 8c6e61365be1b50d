package runtime

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// TestReconcileWaitsForWhatHappened ends an observation just after many
// containers started, of which the node is slow to say whose they are.
func TestReconcileWaitsForWhatHappened(t *testing.T) {
	f, s := newFakeNode(), newSink()
	f.infoTakes = 20 * time.Millisecond
	r := start(t, f, s, "lab").ready(t)
	const containers = 10
	f.startMany(containers)
	if err := r.collector.Reconcile(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.end(t); err != nil {
		t.Fatal(err)
	}
	started := 0
	for _, record := range s.all() {
		if record.Type == collectors.TypeTaskStart {
			started++
		}
	}
	if started != containers {
		t.Errorf("%d of %d starts were recorded", started, containers)
	}
}

// TestReconcileWaitsWhileSomethingComes has a node that takes longer than
// ProbeTimeout to say whose so many containers are. It is asked for many at a time.
func TestReconcileWaitsWhileSomethingComes(t *testing.T) {
	f, s := newFakeNode(), newSink()
	f.infoTakes = 5 * time.Millisecond
	r := start(t, f, s, "lab").ready(t)
	const containers = 300
	f.startMany(containers)
	if err := r.collector.Reconcile(t.Context()); err != nil {
		t.Fatal(err)
	}
	if started := len(s.all()); started != containers {
		t.Errorf("%d of %d starts were recorded", started, containers)
	}
	if most := containers/lookups + 4; f.asked > most {
		t.Errorf("the node was asked %d times, want at most %d", f.asked, most)
	}
	if err := r.end(t); err != nil {
		t.Fatal(err)
	}
}

func (f *fakeNode) startMany(count int) {
	for i := range count {
		id := fmt.Sprintf("c%d", i)
		f.create(id, "lab", "main")
		f.start(id, time.Now())
	}
}

func TestReconcileOfADeafStreamFails(t *testing.T) {
	f, s := newFakeNode(), newSink()
	r := start(t, f, s, "lab").ready(t)
	f.mu.Lock()
	f.deaf = true
	f.mu.Unlock()
	if err := r.collector.Reconcile(t.Context()); err == nil || !strings.Contains(err.Error(), "kind-control-plane") {
		t.Errorf("got %v", err)
	}
	if err := r.end(t); err != nil {
		t.Fatal(err)
	}
}

// TestReconcileAsksAgainAfterABreak breaks the stream while the answer is waited
// for. What follows is in the next.
func TestReconcileAsksAgainAfterABreak(t *testing.T) {
	f, s := newFakeNode(), newSink()
	r := start(t, f, s, "lab").ready(t)
	f.set(func(f *fakeNode) { f.deaf = true })
	answer, before := make(chan error, 1), f.questioned()
	go func() { answer <- r.collector.Reconcile(t.Context()) }()
	f.questionedMore(t, before)
	f.startMany(3)
	f.set(func(f *fakeNode) { f.deaf = false })
	f.breakStreams()
	wantAnswer(t, "Reconcile", answer, "")
	var starts, gaps int
	for _, record := range s.all() {
		if record.Type == collectors.TypeTaskStart {
			starts++
		}
		if record.Gap != nil && !record.Gap.To.IsZero() {
			gaps++
		}
	}
	if starts != 3 || gaps != 1 {
		t.Errorf("%d starts and %d gaps that are over, want 3 and 1", starts, gaps)
	}
	if err := r.end(t); err != nil {
		t.Fatal(err)
	}
	answer <- r.collector.Reconcile(t.Context())
	wantAnswer(t, "Reconcile after the end", answer, "had ended before")
}

// questioned is how many questions came.
func (f *fakeNode) questioned() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.questions)
}

// questionedMore waits until more questions came than before.
func (f *fakeNode) questionedMore(t *testing.T, before int) {
	t.Helper()
	for limit := time.Now().Add(10 * time.Second); f.questioned() == before; <-time.After(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("no question came in 10 s")
		}
	}
}
