package logs

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// gaps are those that were declared, the last state of each.
func (s *sink) gaps() []collectors.Record {
	tl := collectors.NewTimeline(day)
	for i, r := range s.all() {
		r.Seq, r.Received = uint64(i), r.Time
		tl.Add(r)
	}
	return tl.Gaps()
}

func (f *fakeAPI) isAway(away bool) {
	f.change(func() { f.away = away })
	if away {
		f.breakStreams()
	}
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 10 s: %s", what)
		}
	}
}

// TestAnAPIServerThatIsAwayIsAGapAtOnce looks at what is declared while the API
// server is away and once it is back.
func TestAnAPIServerThatIsAwayIsAGapAtOnce(t *testing.T) {
	f, s := newFakeAPI(t), newSink()
	f.run("myapp", "main", 0)
	f.write("myapp", "main", 0, 1, "a")
	r := begin(t, f, s, Options{}).isReady(t)
	s.waitFor(t, "myapp/main/0 +1ms a")
	began := time.Now()
	f.isAway(true)
	open := func(name string) bool {
		return slices.ContainsFunc(s.gaps(), func(g collectors.Record) bool { return g.Object.Name == name && g.Gap.To.IsZero() })
	}
	eventually(t, "gaps of the container and of all go on", func() bool { return open("myapp") && open("") })
	for _, g := range s.gaps() {
		if g.Source != collectors.SourceLog || g.Gap.From.After(time.Now()) || began.Sub(g.Gap.From) > time.Minute {
			t.Errorf("gap %+v from %s", g.Object, g.Gap.From)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := r.Sync(ctx); err == nil {
		t.Error("Sync says that all is known while the API server is away")
	}
	f.write("myapp", "main", 0, 2, "b")
	f.isAway(false)
	eventually(t, "no gap goes on", func() bool { return !open("myapp") && !open("") })
	lines := s.lines()
	line, end := slices.Index(lines, "myapp/main/0 +2ms b"), slices.Index(lines, "gap myapp/main 0")
	if line < 0 || end < line {
		t.Errorf("a gap ended before what was written in it was recorded:\n%s", strings.Join(lines, "\n"))
	}
	for _, g := range s.gaps() {
		want := 0
		if g.Object.Name == "" && strings.Contains(g.Gap.Reason, "watched again") {
			want = -1 // pods may have come and gone
		}
		if g.Gap.Count != want {
			t.Errorf("gap %+v has the count %d, want %d: %s", g.Object, g.Gap.Count, want, g.Gap.Reason)
		}
	}
	if !slices.ContainsFunc(s.gaps(), func(g collectors.Record) bool { return g.Object.Name == "" && g.Gap.Count == -1 }) {
		t.Error("no gap says that pods may have come and gone")
	}
	r.end(t)
}

// TestSyncReadsWhatTheLiveViewHasNotBrought hides everything new from the live
// view.
func TestSyncReadsWhatTheLiveViewHasNotBrought(t *testing.T) {
	f, s := newFakeAPI(t), newSink()
	f.run("myapp", "main", 0)
	f.write("myapp", "main", 0, 1, "a")
	r := begin(t, f, s, Options{}).isReady(t)
	s.waitFor(t, "myapp/main/0 +1ms a")
	f.change(func() { f.hidden = true })
	f.run("other", "main", 0)
	f.write("other", "main", 0, 2, "unseen")
	f.end("other", "main")
	f.run("myapp", "main", 1)
	f.write("myapp", "main", 1, 10_500, "again")
	if err := r.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := s.lines()
	for _, want := range []string{"other/main/0 +2ms unseen", "myapp/main/1 +10.5s again"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not recorded:\n%s", want, strings.Join(got, "\n"))
		}
	}
	if err := r.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again := s.lines(); len(again) != len(got) || len(s.gaps()) > 0 {
		t.Errorf("a second Sync changed the record:\n%s", strings.Join(again, "\n"))
	}
	r.end(t)
}

// TestALogThatCannotBeReadNowIsAGapUntilItCan has a kubelet that says something
// else than the log.
func TestALogThatCannotBeReadNowIsAGapUntilItCan(t *testing.T) {
	f, s := newFakeAPI(t), newSink()
	f.run("myapp", "main", 0)
	f.write("myapp", "main", 0, 1, "a")
	r := begin(t, f, s, Options{}).isReady(t)
	s.waitFor(t, "myapp/main/0 +1ms a")
	f.alter("myapp", "main", 0, func(l *fakeLog) { l.says = "unable to retrieve container logs" })
	if err := r.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), "container main of pod myapp") {
		t.Errorf("Sync: %v", err)
	}
	gaps := s.gaps()
	if len(gaps) != 1 || gaps[0].Container != "main" || !gaps[0].Gap.To.IsZero() {
		t.Fatalf("gaps %+v", gaps)
	}
	f.alter("myapp", "main", 0, func(l *fakeLog) { l.says = "" })
	if err := r.Sync(t.Context()); err != nil {
		t.Error(err)
	}
	if gaps := s.gaps(); len(gaps) != 1 || gaps[0].Gap.To.IsZero() || gaps[0].Gap.Count != 0 {
		t.Errorf("gaps %+v", gaps)
	}
	r.end(t)
}
