package logs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/collectors"
)

func TestWhatIsShownIsNotKept(t *testing.T) {
	f, s, dir := newFakeAPI(t), newSink(), filepath.Join(t.TempDir(), "logs")
	r := begin(t, f, s, Options{Dir: dir, Display: true}).isReady(t)
	f.run("myapp", "main", 0)
	f.write("myapp", "main", 0, 1, "a")
	s.waitFor(t, "myapp/main/0 +1ms a")
	f.breakStreams()
	f.write("myapp", "main", 0, 3, "b")
	s.waitFor(t, "myapp/main/0 +3ms b")
	f.end("myapp", "main")
	f.run("myapp", "main", 1)
	f.write("myapp", "main", 1, 12_000, "again")
	ofAny := func(line string) string { // the run may be that of the stream
		return strings.Replace(line, "/1 ", "/0 ", 1)
	}
	for deadline := time.Now().Add(10 * time.Second); len(s.all()) < 3 && time.Now().Before(deadline); {
		<-time.After(time.Millisecond)
	}
	f.alter("myapp", "main", 1, func(l *fakeLog) { l.lines = append(l.lines, "2026-05-28T13:05:10.005000000Z unseen") })
	f.remove("myapp")
	if err := r.Reconcile(t.Context()); err != nil {
		t.Error(err)
	}
	r.end(t)
	var got []string
	for _, line := range s.lines() {
		got = append(got, ofAny(line))
	}
	if diff := cmp.Diff([]string{"myapp/main/0 +1ms a", "myapp/main/0 +3ms b", "myapp/main/0 +12s again"}, got); diff != "" {
		t.Errorf("what was shown differs (-want +got):\n%s", diff)
	}
	for _, rec := range s.all() {
		if rec.Type != collectors.TypeLog {
			t.Errorf("it declared %+v", rec)
		}
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("it made the folder: %v", err)
	}
}

func TestASlowDisplayIsNotWaitedFor(t *testing.T) {
	f, shown, open := newFakeAPI(t), 0, make(chan struct{})
	const lines = MaxBehind + 5000
	r := &running{done: make(chan error, 1)}
	c, err := New(f.config(), collectors.SinkFunc(func(collectors.Record) { <-open; shown++ }), Options{
		Namespace: "lab", Display: true,
		Warn: func(text string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.warnings = append(r.warnings, text)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r.Collector, r.stop = c, cancel
	go func() { r.done <- c.Run(ctx) }()
	f.run("myapp", "main", 0)
	f.alter("myapp", "main", 0, func(l *fakeLog) {
		for i := range lines {
			l.lines = append(l.lines, fmt.Sprintf("2026-05-28T13:05:00.%09dZ line", i))
		}
	})
	deadline := time.Now().Add(5 * time.Minute)
	for len(c.display.queue)+1+int(c.display.dropped.Load()) < lines {
		if time.Now().After(deadline) {
			t.Fatalf("%d lines wait and %d were let go after 5 min", len(c.display.queue), c.display.dropped.Load())
		}
		<-time.After(time.Millisecond)
	}
	close(open)
	r.end(t)
	dropped := int(c.display.dropped.Load())
	if dropped == 0 || shown+dropped != lines {
		t.Errorf("%d lines were shown and %d let go, of %d", shown, dropped, lines)
	}
	said := strings.Join(r.warned(), "\n")
	if want := fmt.Sprintf("%d lines of logs came faster", dropped); strings.Count(said, want) != 1 {
		t.Errorf("it warned %q, want %q once", said, want)
	}
}
