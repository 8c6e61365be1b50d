package runtime

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/collectors"
)

// annotating is a fake node whose streams say whose containers are.
func annotating() *fakeNode {
	f := newFakeNode()
	f.annotates = true
	return f
}

// lookedUp is how often the node was asked for containers.
func (f *fakeNode) lookedUp() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}

// lives lets a container of namespace lab live for 13 ms and go with its pod: who
// asks then is too late.
func (f *fakeNode) lives(id string, base time.Time) {
	f.create(id, "lab", "main")
	f.start(id, base)
	f.set(func(f *fakeNode) { f.containers[id].finished = base })
	f.exit(id, base.Add(13*time.Millisecond), 1)
	f.set(func(f *fakeNode) { delete(f.containers, id) })
	f.emit("k8s.io", "/containers/delete", fmt.Sprintf(`{"id":%q}`, id))
}

// TestTheStreamSaysWhoseAContainerIs has containers that are gone before anybody
// could ask for them.
func TestTheStreamSaysWhoseAContainerIs(t *testing.T) {
	f, s := annotating(), newSink()
	r := start(t, f, s, "lab").ready(t)
	base := time.Now()
	hangs := make(chan struct{})
	defer close(hangs)
	f.set(func(f *fakeNode) { f.infoHangs = hangs })
	f.lives("c1", base)
	f.createLabelled("pause", map[string]string{labelNamespace: "lab", labelPod: "myapp", labelKind: "sandbox"})
	f.start("pause", base)
	f.create("other", "kube-system", "etcd")
	f.start("other", base)
	f.lives("c2", base)
	if err := r.collector.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if asked := f.lookedUp(); asked != 0 {
		t.Errorf("the node was asked %d times", asked)
	}
	want := []string{
		"task-start lab/main c1 0 +0s", "task-exit lab/main c1 1 +13ms", "task-start lab/main c2 0 +0s", "task-exit lab/main c2 1 +13ms",
	}
	if diff := cmp.Diff(want, s.lines(base)); diff != "" {
		t.Error(diff)
	}
	object := collectors.Object{Kind: "Pod", Namespace: "lab", Name: "myapp", UID: "uid-1"}
	if got := s.all()[0]; got.Object != object || got.Precision != 1 || got.Source != collectors.SourceRuntime {
		t.Errorf("record %+v", got)
	}
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}

// TestWhatTheStreamDoesNotSayIsAsked leaves the stream without what it should say,
// or with what nobody can read.
func TestWhatTheStreamDoesNotSayIsAsked(t *testing.T) {
	for name, test := range map[string]struct {
		bare bool
		says []string
	}{
		"there is no perl":      {bare: true},
		"the bundle is gone":    {},
		"it cannot be read":     {says: []string{`{"id":`, `{"id":1}`, ``, `[]`, `{"id":"","pod":"p"}`, `{"id":"c1","pod":["x"]}`}},
		"something is missing":  {says: []string{`{"id":"c1","pod":"x","namespace":"lab","uid":"u"}`, `{"id":"c1","container":"x"}`}},
		"it is of another":      {says: []string{`{"id":"c2","pod":"x","namespace":"lab","uid":"u","container":"x"}`}},
		"it is of another kind": {says: []string{`{"id":"c1","oom":true}`}},
	} {
		t.Run(name, func(t *testing.T) {
			f, s := newFakeNode(), newSink()
			f.annotates, f.noBundles = !test.bare, true
			r := start(t, f, s, "lab").ready(t)
			base := time.Now()
			f.create("c1", "lab", "main")
			for _, says := range test.says {
				f.emit("k8s.io", topicOwner, says)
			}
			f.emit("moby", topicOwner, `{"id":"c1","pod":"x","namespace":"lab","uid":"u","container":"x"}`)
			f.start("c1", base)
			if err := r.collector.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"task-start lab/main c1 0 +0s"}, s.lines(base)); diff != "" {
				t.Error(diff)
			}
			if asked := f.lookedUp(); asked != 1 {
				t.Errorf("the node was asked %d times, want once", asked)
			}
			if err := r.end(t); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAContainerThatIsGoneBeforeItIsAskedForIsAGap has a stream that does not say
// whose it was.
func TestAContainerThatIsGoneBeforeItIsAskedForIsAGap(t *testing.T) {
	f, s := newFakeNode(), newSink()
	r := start(t, f, s, "lab").ready(t)
	hangs := make(chan struct{})
	f.set(func(f *fakeNode) { f.infoHangs = hangs })
	f.lives("c1", time.Now())
	close(hangs)
	if err := r.collector.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	gaps := s.gaps()
	if len(gaps) != 2 || gaps[0].Count != 1 || !strings.Contains(gaps[0].Reason, "task-start of container c1") {
		t.Errorf("gaps %+v, want one for the start and one for the exit", gaps)
	}
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}

// TestTheStreamAnswersWhatIsBeingAsked says whose a container is while somebody
// waits for the node's answer, and whose one is for which the node had none.
func TestTheStreamAnswersWhatIsBeingAsked(t *testing.T) {
	f, s := annotating(), newSink()
	f.noBundles = true
	r := start(t, f, s, "lab").ready(t)
	base := time.Now()
	hangs := make(chan struct{})
	f.set(func(f *fakeNode) { f.infoHangs = hangs })
	f.create("c1", "lab", "main")
	f.start("c1", base)
	f.emit("k8s.io", topicOwner, `{"id":"c1","pod":"myapp","namespace":"lab","uid":"uid-1","container":"main"}`)
	s.waitFor(t, "the start", isTask(collectors.TypeTaskStart, "c1"))
	close(hangs)
	f.emit("k8s.io", topicStart, `{"container_id":"c2","pid":1}`)
	s.waitFor(t, "a gap", isGap)
	f.emit("k8s.io", topicOwner, `{"id":"c2","pod":"my\"app\u0000","namespace":"lab","uid":"\ud83d\ude00","container":"läb"}`)
	f.emit("k8s.io", topicExit, `{"container_id":"c2","id":"c2","pid":1}`)
	s.waitFor(t, "the exit", isTask(collectors.TypeTaskExit, "c2"))
	last := s.all()[2]
	if object := (collectors.Object{Kind: "Pod", Namespace: "lab", Name: "my\"app\x00", UID: "😀"}); last.Object != object || last.Container != "läb" {
		t.Errorf("record %+v", last)
	}
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}

// TestEachStreamSaysAnewWhetherItIsAnnotated loses its perl: the node is asked as
// soon as a container is made.
func TestEachStreamSaysAnewWhetherItIsAnnotated(t *testing.T) {
	f, s := annotating(), newSink()
	r := start(t, f, s, "lab").ready(t)
	f.set(func(f *fakeNode) { f.annotates = false })
	f.breakStreams()
	s.waitFor(t, "the end of the gap", func(r collectors.Record) bool { return r.Gap != nil && !r.Gap.To.IsZero() })
	f.create("c1", "lab", "main")
	if err := r.collector.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(10 * time.Second); f.lookedUp() == 0; <-time.After(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("the node was not asked in 10 s")
		}
	}
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}
