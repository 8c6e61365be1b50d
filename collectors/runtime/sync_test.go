package runtime

import (
	"context"
	"strings"
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
	gaps := s.gaps()
	if len(gaps) != 2 || !gaps[0].To.IsZero() || gaps[1].To.IsZero() || gaps[1].Count != 0 || !gaps[0].From.Equal(gaps[1].From) {
		t.Errorf("gaps %+v, want one that goes on and its end", gaps)
	}
}

func (s *sink) gaps() []collectors.Gap {
	var gaps []collectors.Gap
	for _, record := range s.all() {
		if record.Gap != nil {
			gaps = append(gaps, *record.Gap)
		}
	}
	return gaps
}

// TestAStreamThatBreaksEndsTheWait breaks a stream while it is asked: a gap tells
// of it when the wait ends.
func TestAStreamThatBreaksEndsTheWait(t *testing.T) {
	f, s := newFakeNode(), newSink()
	r := start(t, f, s, "lab").ready(t)
	f.set(func(f *fakeNode) { f.deaf = true })
	answer, before := make(chan error, 1), f.questioned()
	go func() { answer <- r.collector.Sync(t.Context()) }()
	f.questionedMore(t, before)
	f.set(func(f *fakeNode) { f.away = true })
	f.breakStreams()
	wantAnswer(t, "Sync", answer, "error reading from server: EOF")
	if gaps := s.gaps(); len(gaps) != 1 || !gaps[0].To.IsZero() || gaps[0].Count != -1 {
		t.Errorf("gaps %+v, want one that goes on", gaps)
	}
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}

// TestANodeThatCausesNoEventSaysWhy does not wait for the end of the time.
func TestANodeThatCausesNoEventSaysWhy(t *testing.T) {
	f, s := newFakeNode(), newSink()
	r := start(t, f, s, "lab").ready(t)
	f.set(func(f *fakeNode) { f.refuses = "ctr: failed to dial containerd.sock" })
	answer := make(chan error, 1)
	answer <- r.collector.Sync(t.Context())
	wantAnswer(t, "Sync", answer, "kind-control-plane does not answer: the node cannot cause an event in containerd: ctr: failed to dial")
	f.set(func(f *fakeNode) { f.refuses = "" })
	if err := r.collector.Sync(t.Context()); err != nil {
		t.Error(err)
	}
	if gaps := s.gaps(); len(gaps) != 2 || !strings.Contains(gaps[0].Reason, "failed to dial") || gaps[1].Count != 0 {
		t.Errorf("gaps %+v, want one that was closed with nothing lost", gaps)
	}
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}

// TestManyWhoAskShareQuestions asks a slow node.
func TestManyWhoAskShareQuestions(t *testing.T) {
	f, s := newFakeNode(), newSink()
	r := start(t, f, s, "lab").ready(t)
	f.set(func(f *fakeNode) { f.answers = 100 * time.Millisecond })
	before := f.questioned()
	answers := make(chan error, 50)
	for range cap(answers) {
		go func() { answers <- r.collector.Sync(t.Context()) }()
	}
	for range cap(answers) {
		wantAnswer(t, "Sync", answers, "")
	}
	if asked := f.questioned() - before; asked > 10 {
		t.Errorf("the node was asked %d times by %d at once", asked, cap(answers))
	}
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}
