package runtime

import (
	"context"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// TestAStreamThatDoesNotAnswerIsAGap lets a stream hang, which neither ends nor
// tells anything, and come back.
func TestAStreamThatDoesNotAnswerIsAGap(t *testing.T) {
	f, s := newFakeNode(), newSink()
	r := start(t, f, s, "lab").ready(t)
	if err := r.collector.Sync(t.Context()); err != nil {
		t.Fatalf("while all goes: %v", err)
	}
	f.set(func(f *fakeNode) { f.deaf = true })
	for range 2 {
		limited, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		if err := r.collector.Sync(limited); err == nil {
			t.Error("a stream that hangs answered")
		}
		cancel()
	}
	f.set(func(f *fakeNode) { f.deaf = false })
	if err := r.collector.Sync(t.Context()); err != nil {
		t.Errorf("after it came back: %v", err)
	}
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	var gaps []collectors.Gap
	for _, record := range s.all() {
		if record.Gap != nil {
			gaps = append(gaps, *record.Gap)
		}
	}
	if len(gaps) != 2 || !gaps[0].To.IsZero() || gaps[1].To.IsZero() || gaps[1].Count != 0 || !gaps[0].From.Equal(gaps[1].From) {
		t.Errorf("gaps %+v, want one that goes on and its end", gaps)
	}
}
