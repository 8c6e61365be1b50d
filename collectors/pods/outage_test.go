package pods

import (
	"strings"
	"testing"
	"time"
)

func TestGoneIsAGapAndADifference(t *testing.T) {
	f, s := newFakeAPI(t), newSink()
	f.put(testPod("stays", "u1"), "Running", "2/2")
	f.put(testPod("goes", "u2"), "Running", "2/2")
	p := testPod("changes", "u3")
	f.put(p, "Pending", "0/2")
	r := start(t, f, s, "").ready(t)
	before := time.Now()
	f.set(func(f *fakeAPI) { f.away = true })
	f.closeWatches()
	f.remove("pods", "goes")
	f.put(p, "Running", "2/2")
	f.compact()
	f.set(func(f *fakeAPI) { f.away = false })
	s.waitFor(t, "pod changes 2/2 Running")
	s.waitFor(t, "pod-gone goes 2/2 Running")
	s.waitFor(t, "gap watching jobs")
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	var stays int
	for _, l := range s.lines() {
		if strings.HasPrefix(l, "pod stays") {
			stays++
		}
	}
	if stays != 1 {
		t.Errorf("what did not change was recorded %d times", stays)
	}
	for _, g := range s.gaps() {
		if g.Count != -1 || g.From.After(before) || g.To.Before(before) {
			t.Errorf("gap %+v, want count -1 over %v", g, before)
		}
	}
	s.inGap(t, "Pod", "pod-gone goes 2/2 Running", "pod changes 2/2 Running")
}

func TestAnOutageWithoutALossIsALateGap(t *testing.T) {
	f, s := newFakeAPI(t), newSink()
	p := testPod("myapp", "u1")
	f.put(p, "Pending", "0/2")
	r := start(t, f, s, "").ready(t)
	f.set(func(f *fakeAPI) { f.away = true })
	f.closeWatches()
	f.put(p, "Running", "2/2")
	f.put(p, "NotReady", "1/2")
	time.AfterFunc(200*time.Millisecond, func() { f.set(func(f *fakeAPI) { f.away = false }) })
	s.waitFor(t, "gap watching pods late")
	s.waitFor(t, "pod myapp 2/2 Running")
	s.waitFor(t, "pod myapp 1/2 NotReady")
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	s.inGap(t, "Pod", "pod myapp 2/2 Running", "pod myapp 1/2 NotReady")
}

// TestAnOutageEndsOnceAllOfItsChangesCame has a Job deleted while the API is away,
// after the last change of a pod; and another watch that brings nothing.
func TestAnOutageEndsOnceAllOfItsChangesCame(t *testing.T) {
	f, s := newFakeAPI(t), newSink()
	f.put(testPod("myapp", "u1"), "Running", "2/2")
	f.put(testJob("goes"), "", "")
	r := start(t, f, s, "").ready(t)
	f.set(func(f *fakeAPI) { f.away = true })
	f.closeWatches()
	s.waitFor(t, "gap watching pods")
	s.waitFor(t, "gap watching jobs")
	f.put(testJob("comes"), "", "")
	f.remove("jobs", "goes")
	f.set(func(f *fakeAPI) { f.away = false })
	s.waitFor(t, "gap watching jobs late")
	s.inGap(t, "Job", "job comes", "job-gone goes")
	// Nothing has shown yet that the watch of the pods works.
	for _, l := range s.lines() {
		if l == "gap watching pods late" {
			t.Error("the gap of the pods was closed, and their watch brought nothing")
		}
	}
	f.bookmark()
	s.waitFor(t, "gap watching pods late")
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}

func TestAnOutageThatDoesNotEndIsAGap(t *testing.T) {
	f, s := newFakeAPI(t), newSink()
	r := start(t, f, s, "").ready(t)
	f.set(func(f *fakeAPI) { f.away = true })
	f.closeWatches()
	<-time.After(100 * time.Millisecond)
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	if n := s.goingOn(); n != 2 {
		t.Errorf("%d gaps were declared while they went on, want one for each resource", n)
	}
	if gaps := s.gaps(); len(gaps) != 2 || !strings.Contains(gaps[0].Reason, "did not come back") {
		t.Errorf("gaps %+v, want one for each resource", gaps)
	}
}
