package nodelogs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kind-lab/lab/collectors"
)

// check holds what was recorded to what is wanted.
func check(t *testing.T, s *sink, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, s.lines()); diff != "" {
		t.Errorf("what was recorded differs (-want +got):\n%s", diff)
	}
}

func TestLinesAreRecordedAsTheyAreWritten(t *testing.T) {
	f, s := newFakeNode(t), newSink()
	r := begin(t, f, f.root, s, Options{}).isReady(t)
	l := f.run(t, "main", 0)
	l.lines("one", "")
	l.entry("stderr", "F", "\x1b[31mred \x00 \xff\xfe.")
	s.waitFor(t, "main/0 stderr")
	l.lines("two")
	r.reconcile(t)
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	check(t, s, "main/0 stdout +0s one", "main/0 stdout +1s ", "main/0 stderr +2s \x1b[31mred \x00 \uFFFD.", "main/0 stdout +3s two")
	text, err := os.ReadFile(filepath.Join(r.dir, "myapp", "main.log"))
	if err != nil {
		t.Fatal(err)
	}
	want := "2026-01-02T03:04:05Z one\n2026-01-02T03:04:06Z \n2026-01-02T03:04:07Z \x1b[31mred \x00 \uFFFD.\n2026-01-02T03:04:08Z two\n"
	if string(text) != want {
		t.Errorf("the file has %q, want %q", text, want)
	}
	rec := s.all()[0]
	wantObject := collectors.Object{Kind: "Pod", Namespace: "ns", Name: "myapp", UID: "uid-1"}
	if rec.Object != wantObject || rec.Source != collectors.SourceLog || rec.Precision != time.Nanosecond {
		t.Errorf("the record is %+v", rec)
	}
	if stats := r.Stats(); stats.Lines != 4 || stats.Bytes == 0 {
		t.Errorf("Stats() = %+v", stats)
	}
}

func TestOtherNamespacesAndOddFilesAreLeftAlone(t *testing.T) {
	f, s := newFakeNode(t), newSink()
	for _, path := range []string{"other_myapp_uid-9/main/0.log", "ns2_myapp_uid-9/main/0.log", "ns_myapp_uid-1/main/0.log.tmp", "ns_myapp_uid-1/main/x.log"} {
		path = filepath.Join(f.root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(day.Format(time.RFC3339Nano)+" stdout F no\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := begin(t, f, f.root, s, Options{}).isReady(t)
	r.reconcile(t)
	check(t, s)
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}

func TestPartsOfLinesAreJoined(t *testing.T) {
	f, s := newFakeNode(t), newSink()
	r := begin(t, f, f.root, s, Options{}).isReady(t)
	l := f.run(t, "main", 0)
	part := strings.Repeat("a", criBuffer)
	l.entry("stdout", "P", part)
	l.entry("stderr", "F", "between")
	l.entry("stdout", "P", part)
	l.entry("stdout", "F", "end")
	for range 64 { // 1 MiB
		l.entry("stdout", "P", part)
	}
	l.entry("stdout", "F:tag", "gone")
	l.lines("after")
	// é is two bytes, of which the parts have one each.
	l.entry("stdout", "P", part[1:]+"\xc3")
	l.entry("stdout", "F", "\xa9")
	l.raw(l.now.Format(time.RFC3339Nano) + " std")
	s.waitFor(t, "main/0 stdout +1m10s")
	l.raw("out F torn\n")
	l.entry("stdout", "P", "no end")
	s.waitFor(t, "main/0 stdout +1m12s no end") // seen without Reconcile
	l.entry("stdout", "P", part)
	r.reconcile(t)
	check(t, s,
		"main/0 stderr +1s between",
		fmt.Sprintf("main/0 stdout +0s aaa… (%d)", 2*criBuffer+3),
		fmt.Sprintf("main/0 stdout +4s aaa… (%d) (cut)", MaxLine),
		"main/0 stdout +1m9s after",
		fmt.Sprintf("main/0 stdout +1m10s aaa… (%d)", criBuffer+1),
		"main/0 stdout +1m12s torn",
		"main/0 stdout +1m12s no end",
		fmt.Sprintf("main/0 stdout +1m13s aaa… (%d)", criBuffer))
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}

func TestRotationLosesNothing(t *testing.T) {
	f, s := newFakeNode(t), newSink()
	l := f.run(t, "main", 0)
	// Three files were there before, one of them compressed.
	l.lines("a1", "a2")
	l.rotate("20260102-030001")
	l.lines("b1")
	l.rotate("20260102-030002")
	l.compress("20260102-030001")
	l.lines("c1")
	r := begin(t, f, f.root, s, Options{}).isReady(t)
	s.waitFor(t, "main/0 stdout +3s c1")
	l.lines("c2")
	l.entry("stdout", "P", "c3, ")
	l.rotate("20260102-030003")
	l.compress("20260102-030002")
	l.entry("stdout", "F", "its end")
	s.waitFor(t, "main/0 stdout +5s c3")
	// Twice between two looks, and removed at once.
	l.lines("d1")
	l.rotate("20260102-030004")
	l.compress("20260102-030004")
	l.lines("e1")
	r.reconcile(t)
	check(t, s, "main/0 stdout +0s a1", "main/0 stdout +1s a2", "main/0 stdout +2s b1", "main/0 stdout +3s c1", "main/0 stdout +4s c2",
		"main/0 stdout +5s c3, its end", "main/0 stdout +7s d1", "main/0 stdout +8s e1")
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}

func TestARemovedFileIsReadToItsEnd(t *testing.T) {
	f, s := newFakeNode(t), newSink()
	r := begin(t, f, f.root, s, Options{}).isReady(t)
	l := f.run(t, "main", 0)
	l.lines("one")
	s.waitFor(t, "main/0 stdout +0s one")
	l.lines("two")
	l.entry("stdout", "P", "three")
	f.removePod(t)
	s.waitFor(t, "main/0 stdout +2s three")
	r.reconcile(t)
	check(t, s, "main/0 stdout +0s one", "main/0 stdout +1s two", "main/0 stdout +2s three")
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}

func TestRunsFollowEachOther(t *testing.T) {
	f, s := newFakeNode(t), newSink()
	r := begin(t, f, f.root, s, Options{}).isReady(t)
	f.run(t, "quick", 0).entry("stdout", "P", "I lived 10 ms")
	f.run(t, "quick", 1).lines("again")
	f.run(t, "silent", 0)
	f.run(t, "silent", 1).lines("a word")
	f.run(t, "holes", 3).lines("late")
	s.waitFor(t, "holes/3")
	r.reconcile(t)
	r.reconcile(t) // declares nothing twice
	got := map[string]int{}
	for _, line := range s.lines() {
		got[line]++
	}
	want := map[string]int{"quick/0 stdout +0s I lived 10 ms": 1, "quick/1 stdout +0s again": 1, "silent/1 stdout +0s a word": 1,
		"holes/3 stdout +0s late": 1, "gap myapp/holes -1": 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what was recorded differs (-want +got):\n%s", diff)
	}
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}

func TestABrokenReadingGoesOnWhereItWas(t *testing.T) {
	f, s := newFakeNode(t), newSink()
	r := begin(t, f, f.root, s, Options{}).isReady(t)
	l, finished := f.run(t, "main", 0), f.run(t, "finished", 0)
	finished.lines("done")
	l.lines("one")
	l.raw(l.now.Format(time.RFC3339Nano) + " stdout F tw") // not whole yet
	s.waitFor(t, "main/0 stdout +0s one")
	s.waitFor(t, "finished/0")
	f.leave(t)
	l.raw("o\n")
	l.now = l.now.Add(time.Second)
	l.rotate("20260102-030001")
	l.lines("three")
	l.rotate("20260102-030002")
	l.compress("20260102-030001")
	l.lines("four")
	f.back()
	r.reconcile(t)
	got := s.lines()
	want := map[string]bool{"finished/0 stdout +0s done": true, "main/0 stdout +0s one": true, "main/0 stdout +1s two": true,
		"main/0 stdout +2s three": true, "main/0 stdout +3s four": true,
		"gap / -1": true} // its files are too new for a proof that nothing came and went
	for _, line := range got {
		if !want[line] {
			t.Errorf("recorded %q", line)
		}
	}
	if len(got) != len(want) {
		t.Errorf("recorded %q", got)
	}
	if said := strings.Join(r.warned(), "\n"); !strings.Contains(said, "containers that came and went meanwhile were not seen") {
		t.Errorf("warned %q", said)
	}
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}

func TestWhatWentWhileTheNodeWasAwayIsAGap(t *testing.T) {
	f, s := newFakeNode(t), newSink()
	r := begin(t, f, f.root, s, Options{}).isReady(t)
	l, other := f.run(t, "main", 0), f.run(t, "other", 0)
	l.lines("one")
	other.lines("one")
	s.waitFor(t, "main/0")
	s.waitFor(t, "other/0")
	f.leave(t)
	if err := os.RemoveAll(filepath.Dir(other.path)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(l.path); err != nil {
		t.Fatal(err)
	}
	l.lines("seven")
	f.back()
	r.reconcile(t)
	got := map[string]int{}
	for _, line := range s.lines() {
		got[line]++
	}
	want := map[string]int{"main/0 stdout +0s one": 1, "other/0 stdout +0s one": 1, "main/0 stdout +1s seven": 1,
		"gap myapp/main -1": 1, "gap myapp/other -1": 1, "gap / -1": 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what was recorded differs (-want +got):\n%s", diff)
	}
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}

func TestANodeThatDoesNotComeBackIsAGap(t *testing.T) {
	f, s := newFakeNode(t), newSink()
	r := begin(t, f, f.root, s, Options{}).isReady(t)
	f.leave(t)
	deadline := time.Now().Add(5 * time.Second)
	for len(r.warned()) == 0 && time.Now().Before(deadline) {
		<-time.After(time.Millisecond)
	}
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	check(t, s, "gap / -1")
}

func TestAFirstConnectionThatFailsIsAnError(t *testing.T) {
	f := newFakeNode(t)
	f.leave(t)
	r := begin(t, f, f.root, newSink(), Options{Retry: wait.Backoff{Duration: time.Millisecond, Factor: 1, Steps: 3}})
	err := <-r.done
	if err == nil || !strings.Contains(err.Error(), "gave up after 3 attempts") || !strings.Contains(err.Error(), "is not running") {
		t.Errorf("Run() = %v", err)
	}
}

func TestBounds(t *testing.T) {
	for name, tt := range map[string]struct {
		options Options
		want    []string
	}{
		"container lines": {Options{ContainerLines: 2}, []string{"main/0 stdout +0s l0", "main/0 stdout +1s l1", "gap myapp/main 3"}},
		"container bytes": {Options{ContainerBytes: 5}, []string{"main/0 stdout +0s l0", "main/0 stdout +1s l1", "gap myapp/main 3"}},
		"all lines":       {Options{TotalLines: 4}, []string{"main/0 stdout +0s l0", "main/0 stdout +1s l1", "main/0 stdout +2s l2", "main/0 stdout +3s l3", "gap myapp/main 1"}},
		"folder":          {Options{DirBytes: 100}, []string{"main/0 stdout +0s l0", "main/0 stdout +1s l1", "main/0 stdout +2s l2", "gap myapp/main 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			f, s := newFakeNode(t), newSink()
			r := begin(t, f, f.root, s, tt.options).isReady(t)
			f.run(t, "main", 0).lines("l0", "l1", "l2", "l3", "l4")
			r.reconcile(t)
			check(t, s, tt.want...)
			if len(r.warned()) != 1 {
				t.Errorf("warned %q", r.warned())
			}
			if err := r.end(t); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWhatIsNoLogIsCounted(t *testing.T) {
	f, s := newFakeNode(t), newSink()
	r := begin(t, f, f.root, s, Options{}).isReady(t)
	l := f.run(t, "main", 0)
	l.lines("one")
	l.raw("\x00\x00\n" + strings.Repeat("x", 3<<20) + "\n\n")
	l.lines("two")
	r.reconcile(t)
	check(t, s, "main/0 stdout +0s one", "main/0 stdout +1s two", "gap myapp/main 3")
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}

func TestAFileThatCannotBeWrittenIsReturned(t *testing.T) {
	f, s := newFakeNode(t), newSink()
	dir := filepath.Join(t.TempDir(), "logs")
	if err := os.WriteFile(dir, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r := begin(t, f, f.root, s, Options{Dir: dir}).isReady(t)
	f.run(t, "main", 0).lines("one")
	r.reconcile(t)
	check(t, s, "main/0 stdout +0s one")
	if err := r.end(t); err == nil || !strings.Contains(err.Error(), "container main of pod myapp") {
		t.Errorf("Run() = %v", err)
	}
}

func TestFilesThatCannotBeReadNowAreAGap(t *testing.T) {
	f, s := newFakeNode(t), newSink()
	r := begin(t, f, f.root, s, Options{}).isReady(t)
	f.run(t, "main", 0).lines("one")
	if err := r.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	check(t, s, "main/0 stdout +0s one")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 {
		if err := r.Sync(over); err == nil {
			t.Error("there was no time for an answer, and there was one")
		}
	}
	if err := r.Sync(t.Context()); err != nil {
		t.Error(err)
	}
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	timeline := collectors.NewTimeline(time.Time{})
	for _, record := range s.all() {
		timeline.Add(record)
	}
	gaps := timeline.Gaps()
	if len(gaps) == 0 {
		t.Error("there is no gap")
	}
	for _, g := range gaps {
		if g.Gap.To.IsZero() || g.Gap.Count != 0 {
			t.Errorf("gap %+v, want one that is over and hides nothing", *g.Gap)
		}
	}
}
