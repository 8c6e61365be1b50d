package pods

import (
	"context"
	"testing"
	"time"
)

// TestWhatTheAPIServerHasIsSeen asks whether all was reported while pods come, change
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

// TestAListingIsReachedByWhatCameAfterIt deletes an object after it was listed.
func TestAListingIsReachedByWhatCameAfterIt(t *testing.T) {
	var v versions
	v.set("u1", "101")
	v.reach("101")
	listed := listing{objects: map[string]uint64{"u1": 101, "u2": 102}, at: 105}
	if !v.behind(listed) {
		t.Error("u2 was not brought, and nothing is missing")
	}
	v.set("u2", "102")
	v.reach("102")
	if v.behind(listed) {
		t.Error("all that was listed was brought, and something is missing")
	}
	v.remove("u1")
	if !v.behind(listed) {
		t.Error("u1 was removed at a version that is not known, and nothing is missing")
	}
	v.reach("106")
	if v.behind(listed) {
		t.Error("u1 was removed after the listing, and something is missing")
	}
}
