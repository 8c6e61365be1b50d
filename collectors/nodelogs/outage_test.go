package nodelogs

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// outages are the gaps of the whole source as they were declared.
func (s *sink) outages() []collectors.Record {
	return slices.DeleteFunc(s.all(), func(r collectors.Record) bool { return r.Gap == nil || r.Object.Name != "" })
}

// waitForOutage waits until an outage is declared that goes on.
func (s *sink) waitForOutage(t *testing.T) collectors.Gap {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	for {
		if declared := s.outages(); len(declared) > 0 {
			return *declared[0].Gap
		}
		select {
		case <-s.added:
		case <-deadline.C:
			t.Fatal("no gap was declared in 20 s")
		}
	}
}

// waitSeen waits until the folders were looked at after a time.
func (r *running) waitSeen(t *testing.T, after time.Time) {
	t.Helper()
	n := r.nodes[0]
	for end := after.Add(20 * time.Second); time.Now().Before(end); <-time.After(50 * time.Millisecond) {
		n.mu.Lock()
		seen := n.seen.at
		n.mu.Unlock()
		if seen.After(after) {
			return
		}
	}
	t.Fatal("the folders were not looked at in 20 s")
}

func TestAContainerThatCameAndWentInAnOutageIsInItsGap(t *testing.T) {
	f, s := newFakeNode(t), newSink()
	r := begin(t, f, f.root, s, Options{}).isReady(t)
	l := f.run(t, "main", 0)
	l.lines("one")
	s.waitFor(t, "main/0")
	before := time.Now()
	f.leave(t)
	during := time.Now()
	open := s.waitForOutage(t)
	if !open.To.IsZero() || open.Count != -1 || open.From.After(during) || open.From.Before(before.Add(-10*time.Second)) {
		t.Errorf("the gap was declared as %+v while nothing was read, want one since about %v that goes on", open, before)
	}
	short := f.run(t, "short", 0)
	short.lines("nobody saw this")
	f.removePod(t)
	l = f.run(t, "main", 0)
	l.now = day.Add(time.Hour)
	l.lines("new")
	f.back()
	r.reconcile(t)
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	declared := s.outages()
	if len(declared) != 2 {
		t.Fatalf("the gaps are %+v, want one that was declared and closed", declared)
	}
	closed := *declared[1].Gap
	if !closed.From.Equal(open.From) || closed.To.Before(during) || closed.Count != -1 {
		t.Errorf("the gap was closed as %+v, want that since %v with a loss that nobody knows", closed, open.From)
	}
	// It is closed once what is there was read.
	all := s.all()
	last := slices.IndexFunc(all, func(r collectors.Record) bool { return r.Log != nil && r.Log.Text == "new" })
	if end := slices.IndexFunc(all, func(r collectors.Record) bool {
		return r.Gap != nil && r.Gap.Count == -1 && r.Object.Name == "" && !r.Gap.To.IsZero()
	}); last < 0 || end < last {
		t.Errorf("the line was recorded as number %d, the gap closed as number %d", last, end)
	}
}

func TestAnOutageInWhichNothingCameOrWentHidesNothing(t *testing.T) {
	for name, test := range map[string]struct {
		during func(*testing.T, *fakeNode)
		count  int
	}{
		"lines and a rotation":  {func(*testing.T, *fakeNode) {}, 0},
		"a container that came": {func(t *testing.T, f *fakeNode) { f.run(t, "late", 0).lines("late") }, -1},
		"a file of a silent container that was rotated": {func(t *testing.T, f *fakeNode) {
			l := &logFile{t: t, now: day, path: f.root + "/ns_myapp_uid-1/silent/0.log"}
			l.lines("a word")
			l.rotate("20260102-030001")
		}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, s := newFakeNode(t), newSink()
			l := f.run(t, "main", 0)
			f.run(t, "silent", 0)
			l.lines("one")
			r := begin(t, f, f.root, s, Options{}).isReady(t)
			s.waitFor(t, "main/0")
			r.waitSeen(t, time.Now().Add(5500*time.Millisecond)) // the times of folders are in whole seconds
			f.leave(t)
			s.waitForOutage(t)
			l.lines("two")
			l.rotate("20260102-030001")
			l.lines("three")
			test.during(t, f)
			f.back()
			s.waitFor(t, "main/0 stdout +2s three")
			r.reconcile(t)
			if err := r.end(t); err != nil {
				t.Error(err)
			}
			declared := s.outages()
			if len(declared) != 2 || declared[1].Gap.To.IsZero() || declared[1].Gap.Count != test.count {
				t.Errorf("the gaps are %+v, want one that is closed with the count %d", declared, test.count)
			}
		})
	}
}

// TestAnOutageThatEndsWithTheObservation asks for all of the files while nothing
// can be read, and ends.
func TestAnOutageThatEndsWithTheObservation(t *testing.T) {
	f, s := newFakeNode(t), newSink()
	r := begin(t, f, f.root, s, Options{}).isReady(t)
	f.run(t, "main", 0).lines("one")
	s.waitFor(t, "main/0")
	f.leave(t)
	s.waitForOutage(t)
	if err := r.Sync(ended(t)); err == nil {
		t.Error("the files were said to be read, and nothing can be read")
	}
	if err := r.Reconcile(ended(t)); err == nil {
		t.Error("the files were said to be read to their end, and nothing can be read")
	}
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	timeline := collectors.NewTimeline(day)
	for _, g := range s.outages() {
		timeline.Add(g)
	}
	until := time.Time{}
	for i, g := range timeline.GapsBy(time.Now()) {
		if g.Gap.To.IsZero() || g.Gap.Count != -1 || i > 0 && g.Gap.From.After(until) {
			t.Errorf("gap %d is %+v, want one that is over and begins where the one before ends (%v)", i, *g.Gap, until)
		}
		until = g.Gap.To
	}
	if until.IsZero() {
		t.Error("no gap is left")
	}
}

// TestAnInputThatNobodyReadsHoldsNobodyUp asks a command whose input is full.
func TestAnInputThatNobodyReadsHoldsNobodyUp(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	n := New(newFakeNode(t), newSink(), Options{Nodes: []string{"n"}, Namespace: "lab"}).nodes[0]
	n.stdin = w
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for err == nil {
		n.mu.Lock()
		err = n.ask(strings.Repeat("x", 26))
		n.mu.Unlock()
	}
	if err := n.sync(ctx); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
