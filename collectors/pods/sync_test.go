package pods

import (
	"context"
	"testing"
	"time"
)

// TestWhatTheAPIServerHasIsSeen asks whether all was told while pods come, change
// and go, and while the watches hang.
func TestWhatTheAPIServerHasIsSeen(t *testing.T) {
	f, s := newFakeAPI(t), newSink()
	r := start(t, f, s, "").ready(t)
	for i := range 50 {
		p := testPod("myapp", "u1")
		f.put(p, "Pending", "0/2")
		f.put(p, "Running", "2/2")
		if i%5 == 4 {
			f.remove("pods", "myapp")
		}
		limited, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		err := r.collector.Sync(limited)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		last := s.lines()[len(s.lines())-1]
		if want := map[bool]string{true: "pod-gone myapp 2/2 Running", false: "pod myapp 2/2 Running"}[i%5 == 4]; last != want {
			t.Fatalf("the last record is %q, want %q", last, want)
		}
	}
	f.set(func(f *fakeAPI) { f.hang = true })
	f.put(testPod("late", "u2"), "Pending", "0/2")
	limited, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := r.collector.Sync(limited); err == nil {
		t.Error("the watches hang and all was seen")
	}
	if n := s.goingOn(); n != 1 {
		t.Errorf("%d gaps go on, want that of the pods", n)
	}
	f.set(func(f *fakeAPI) { f.hang = false })
	f.put(testPod("late", "u2"), "Running", "2/2")
	limited, cancel = context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := r.collector.Sync(limited); err != nil {
		t.Error(err)
	}
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	for _, g := range s.gaps() {
		if g.To.IsZero() || g.Count != 0 {
			t.Errorf("gap %+v, want one that is over and hides nothing", g)
		}
	}
}
