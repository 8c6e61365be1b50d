package logs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/collectors"
)

func TestLinesAreRecordedLiveAndOnce(t *testing.T) {
	f, s, dir := newFakeAPI(t), newSink(), t.TempDir()
	r := begin(t, f, s, Options{Dir: dir}).isReady(t)
	f.write("myapp", "main", 0, 1, "starting")
	f.run("myapp", "main", 0)
	f.write("myapp", "main", 0, 2, "twice at once")
	f.write("myapp", "main", 0, 2, "twice at once")
	f.write("myapp", "main", 0, 3, "")
	s.waitFor(t, "myapp/main/0 +3ms ")
	f.end("myapp", "main")
	r.end(t)
	r.reconcile(t)
	check(t, s, "myapp/main/0 +1ms starting", "myapp/main/0 +2ms twice at once", "myapp/main/0 +2ms twice at once", "myapp/main/0 +3ms ")
	first := s.all()[0]
	if first.Precision != 1 || first.Source != collectors.SourceLog || first.Object.UID != "uid-myapp" || !strings.HasPrefix(first.Log.Color, "\x1b[3") {
		t.Errorf("record %+v, colour %q", first, first.Log.Color)
	}
	text, err := os.ReadFile(filepath.Join(dir, "myapp", "main.log"))
	want := "2026-05-28T13:05:00.001Z starting\n2026-05-28T13:05:00.002Z twice at once\n2026-05-28T13:05:00.002Z twice at once\n2026-05-28T13:05:00.003Z \n"
	if err != nil || string(text) != want {
		t.Errorf("the file has %q, error %v", text, err)
	}
}

func TestAnInterruptedLogIsFollowedAgain(t *testing.T) {
	for name, interrupt := range map[string]func(*fakeAPI){
		"broken":                        (*fakeAPI).breakStreams,
		"ended while the container ran": (*fakeAPI).endStreams,
	} {
		t.Run(name, func(t *testing.T) {
			f, s := newFakeAPI(t), newSink()
			r := begin(t, f, s, Options{}).isReady(t)
			f.run("myapp", "main", 0)
			f.write("myapp", "main", 0, 1, "a")
			f.write("myapp", "main", 0, 2, "b")
			s.waitFor(t, "myapp/main/0 +2ms b")
			interrupt(f)
			f.write("myapp", "main", 0, 3, "c")
			s.waitFor(t, "myapp/main/0 +3ms c")
			r.end(t)
			check(t, s, "myapp/main/0 +1ms a", "myapp/main/0 +2ms b", "myapp/main/0 +3ms c")
		})
	}
}

func TestReconcileAddsWhatWasMissed(t *testing.T) {
	f, s, dir := newFakeAPI(t), newSink(), t.TempDir()
	r := begin(t, f, s, Options{Dir: dir}).isReady(t)
	f.run("myapp", "main", 0)
	f.write("myapp", "main", 0, 5, "seen")
	s.waitFor(t, "myapp/main/0 +5ms seen")
	r.end(t)
	f.alter("myapp", "main", 0, func(l *fakeLog) {
		l.lines = append([]string{"2026-05-28T13:05:00.004000000Z before"}, l.lines...)
	})
	f.write("myapp", "main", 0, 5, "seen")
	f.write("myapp", "main", 0, 6, "after")
	f.run("late", "main", 0)
	f.write("late", "main", 0, 7, "never followed")
	r.reconcile(t)
	r.reconcile(t)
	check(t, s, "myapp/main/0 +4ms before", "myapp/main/0 +5ms seen", "myapp/main/0 +5ms seen", "myapp/main/0 +6ms after", "late/main/0 +7ms never followed")
	text, err := os.ReadFile(filepath.Join(dir, "myapp", "main.log"))
	if want := "before seen seen after"; err != nil || texts(string(text)) != want {
		t.Errorf("the file has %q, want %q, error %v", texts(string(text)), want, err)
	}
}

func texts(file string) string {
	var out []string
	for l := range strings.Lines(file) {
		_, text, _ := strings.Cut(strings.TrimSpace(l), " ")
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func TestARestartsEarlierLogIsReadAtOnce(t *testing.T) {
	f, s := newFakeAPI(t), newSink()
	r := begin(t, f, s, Options{}).isReady(t)
	f.change(func() { f.hidden = true })
	f.write("myapp", "main", 0, 1, "lived 13 ms")
	f.run("myapp", "main", 0)
	f.end("myapp", "main")
	f.run("myapp", "main", 1)
	f.change(func() { f.hidden = false })
	s.waitFor(t, "myapp/main/0 +1ms lived 13 ms")
	f.write("myapp", "main", 1, 11500, "second run")
	s.waitFor(t, "myapp/main/1 +11.5s second run")
	f.end("myapp", "main")
	r.ended(t, "myapp", "main", 1)
	r.ended(t, "myapp", "main", 0)
	f.remove("myapp") // which ends the following of what has not ended
	r.end(t)
	r.reconcile(t)
	var got []string
	for _, r := range s.all() {
		if r.Log != nil {
			got = append(got, r.Log.Text)
		} else if r.Gap != nil && !strings.HasPrefix(r.Gap.Reason, "run 1 ") { // which the removal may have cut off
			t.Errorf("gap %+v", r.Gap)
		}
	}
	if diff := cmp.Diff([]string{"lived 13 ms", "second run"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatCannotBeHadIsAGap(t *testing.T) {
	t.Run("a run that nobody followed", func(t *testing.T) {
		f, s := newFakeAPI(t), newSink()
		r := begin(t, f, s, Options{}).isReady(t)
		f.change(func() { f.hidden = true })
		for i := range 3 {
			f.write("myapp", "main", i, i*1000, "x")
			f.run("myapp", "main", i)
			f.end("myapp", "main")
		}
		f.change(func() { f.hidden = false })
		r.end(t)
		r.reconcile(t)
		check(t, s, "gap myapp/main -1", "myapp/main/1 +1s x", "myapp/main/2 +2s x")
	})
	t.Run("a pod that went while nobody could follow", func(t *testing.T) {
		f, s := newFakeAPI(t), newSink()
		r := begin(t, f, s, Options{}).isReady(t)
		f.run("myapp", "main", 0)
		f.write("myapp", "main", 0, 1, "a")
		s.waitFor(t, "myapp/main/0 +1ms a")
		f.change(func() { f.away = true })
		f.breakStreams()
		f.remove("myapp")
		f.change(func() { f.away = false })
		r.end(t)
		r.reconcile(t)
		r.reconcile(t)
		check(t, s, "myapp/main/0 +1ms a", "gap myapp/main -1")
	})
	t.Run("a kubelet that cannot read the log", func(t *testing.T) {
		f, s := newFakeAPI(t), newSink()
		f.alter("myapp", "main", 0, func(l *fakeLog) { l.says = "unable to retrieve container logs for containerd://x" })
		f.run("myapp", "main", 0)
		f.end("myapp", "main")
		r := begin(t, f, s, Options{}).isReady(t)
		r.reconcile(t)
		r.end(t)
		if got := s.all(); len(got) != 1 || !strings.Contains(got[0].Gap.Reason, "unable to retrieve") {
			t.Errorf("records %q", s.lines())
		}
	})
	t.Run("an API server that is away at the end", func(t *testing.T) {
		f, s := newFakeAPI(t), newSink()
		r := begin(t, f, s, Options{}).isReady(t)
		f.run("myapp", "main", 0)
		f.write("myapp", "main", 0, 1, "a")
		s.waitFor(t, "myapp/main/0 +1ms a")
		r.end(t)
		f.change(func() { f.away = true })
		if err := r.Reconcile(t.Context()); err == nil {
			t.Error("Reconcile says nothing of an API server that is away")
		}
		check(t, s, "myapp/main/0 +1ms a", "gap myapp/main -1")
	})
}

func TestAFollowedLogOfAPodThatWentIsWhole(t *testing.T) {
	f, s := newFakeAPI(t), newSink()
	r := begin(t, f, s, Options{}).isReady(t)
	f.run("myapp", "main", 0)
	f.write("myapp", "main", 0, 1, "TERM")
	s.waitFor(t, "myapp/main/0 +1ms TERM")
	f.end("myapp", "main")
	f.remove("myapp")
	f.run("other", "main", 0)
	f.write("other", "main", 0, 2, "still there")
	s.waitFor(t, "other/main/0 +2ms still there")
	r.reconcile(t)
	r.end(t)
	check(t, s, "myapp/main/0 +1ms TERM", "other/main/0 +2ms still there")
}

func TestBounds(t *testing.T) {
	t.Run("a line", func(t *testing.T) {
		f, s := newFakeAPI(t), newSink()
		r := begin(t, f, s, Options{}).isReady(t)
		f.run("myapp", "main", 0)
		f.write("myapp", "main", 0, 1, strings.Repeat("x", 3*MaxLine))
		f.write("myapp", "main", 0, 2, strings.Repeat("y", MaxLine))
		f.write("myapp", "main", 0, 3, "end")
		s.waitFor(t, "myapp/main/0 +3ms end")
		r.reconcile(t)
		r.end(t)
		got := s.all()
		if len(got) != 3 || !got[0].Log.Cut || len(got[0].Log.Text) != MaxLine || got[1].Log.Cut || len(got[1].Log.Text) != MaxLine {
			t.Errorf("%d records", len(got))
		}
	})
	t.Run("a container", func(t *testing.T) {
		f, s := newFakeAPI(t), newSink()
		r := begin(t, f, s, Options{ContainerLines: 2}).isReady(t)
		f.run("myapp", "main", 0)
		for i := range 5 {
			f.write("myapp", "main", 0, i, "x")
		}
		f.run("other", "main", 0)
		s.waitFor(t, "myapp/main/0 +1ms x")
		for len(r.warned()) == 0 {
			<-time.After(time.Millisecond)
		}
		f.write("other", "main", 0, 9, "within its bounds")
		s.waitFor(t, "other/main/0 +9ms within its bounds")
		f.end("myapp", "main")
		r.reconcile(t)
		r.end(t)
		check(t, s, "myapp/main/0 +0s x", "myapp/main/0 +1ms x", "gap myapp/main 3", "other/main/0 +9ms within its bounds")
	})
}

func (r *running) warned() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.warnings)
}

func TestAFirstConnectionThatFailsIsAnError(t *testing.T) {
	f := newFakeAPI(t)
	f.away = true
	r := begin(t, f, newSink(), Options{StartFor: 1500 * time.Millisecond})
	select {
	case err := <-r.done:
		if err == nil || !strings.Contains(err.Error(), "could not be watched for 1.5s") {
			t.Errorf("error %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("Run did not give up in 20 s")
	}
}

func TestAFileThatCannotBeWrittenIsReturned(t *testing.T) {
	f, s := newFakeAPI(t), newSink()
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := begin(t, f, s, Options{Dir: dir}).isReady(t)
	f.run("myapp", "main", 0)
	f.write("myapp", "main", 0, 1, "a")
	s.waitFor(t, "myapp/main/0 +1ms a")
	if err := r.Reconcile(t.Context()); err == nil || !strings.Contains(err.Error(), "keeping the log of container main of pod myapp") {
		t.Errorf("error %v", err)
	}
	r.stop()
	_ = <-r.done // it was stopped
}

func TestColours(t *testing.T) {
	// What `stern --diff-container` shows for these names.
	if a, b := colorOf("myapp-1", "main-container-1"), colorOf("myapp-2", "main-container-1"); a != b || !strings.HasPrefix(a, "\x1b[3") {
		t.Errorf("one container of two pods has the colours %q and %q", a, b)
	}
	if a, b := colorOf("myapp", "main-container-1"), colorOf("myapp", "sidecar-container-1"); a == b {
		t.Errorf("two containers have one colour: %q", a)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("2026-05-28T13:05:26.050170601Z text\nunable to retrieve\n"))
	f.Add([]byte("2026-05-28T13:05:26Z\n\n \n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		lines := newLineReader(strings.NewReader(string(stream)))
		for {
			text, err := lines.next()
			if l, ok := parseLine(text); ok && (len(l.text) > MaxLine || strings.Contains(l.text, "\n")) {
				t.Errorf("line %.100q", l.text)
			}
			if err != nil {
				return
			}
		}
	})
}
