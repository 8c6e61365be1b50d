package live

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
)

// lanesEvents are two clusters on which a pod with containers of all kinds
// goes its way, and one with many pods.
func lanesEvents() []report.Event {
	var events []report.Event
	add := func(seconds float64, cluster string, e report.Event) {
		e.At, e.Cluster, e.Scenario = time.Duration(seconds*float64(time.Second)), cluster, "native"
		events = append(events, e)
	}
	record := func(r collectors.Record) report.Event { return report.Event{Kind: report.EventRecord, Record: &r} }
	container := func(name, kind, state string, ready bool) collectors.Container {
		c := collectors.Container{Name: name, Kind: kind, State: state, Ready: ready}
		if state != "waiting" {
			c.ID = name + "-id"
		}
		if state == "terminated" {
			c.Current = &collectors.ContainerRun{ID: c.ID}
		}
		return c
	}
	pod := "myapp-x7k2p"
	for _, cluster := range []string{"v128_on", "v129"} {
		add(1, cluster, report.Event{Kind: report.EventProgress, Text: "running"})
		add(2, cluster, record(reporttest.PodRecord(2, pod, "Init:0/2", "0/3", container("setup", "init", "waiting", false), container("proxy", "sidecar", "waiting", false), container("web", "main", "waiting", false))))
	}
	add(3, "v129", record(reporttest.PodRecord(3, pod, "Running", "1/3", container("setup", "init", "terminated", true), container("proxy", "sidecar", "running", true), container("web", "main", "running", false))))
	add(4, "v129", record(reporttest.TaskRecord(4, pod, "web", collectors.TypeTaskExit, 137)))
	// The API is behind the runtime, and does not take its word back.
	add(4.1, "v129", record(reporttest.PodRecord(4.1, pod, "Running", "2/3", container("setup", "init", "terminated", true), container("proxy", "sidecar", "running", true), container("web", "main", "running", true))))
	again := reporttest.TaskRecord(4.5, pod, "web", collectors.TypeTaskStart, 0)
	again.Task.ID = "web-second"
	add(4.5, "v129", record(again))
	add(4.6, "v129", report.Event{Kind: report.EventProgress, Text: "expecting: the Job completes"})
	add(4.7, "v129", report.Event{Kind: report.EventVerdict, Step: &report.Step{Name: "it starts", Verb: "expect", Status: expect.Pass}})
	for i := range 6 {
		add(5, "v128_on", record(reporttest.PodRecord(5, fmt.Sprintf("crowd-%d", i), "Pending", "0/1", container("main", "main", "waiting", false))))
	}
	return events
}

// sized is a terminal whose size can be set.
type sized struct {
	fakeTerminal
	width, height int
}

func (s *sized) size() (int, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.width, s.height
}

func (s *sized) resize(width, height int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.width, s.height = width, height
}

// redrawn draws the lanes, and returns what was written since the last time.
func (s *sized) redrawn(l *View) string {
	l.mu.Lock()
	l.flush(s.Now())
	l.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.buf.String()
	s.buf.Reset()
	return text
}

func TestLanes(t *testing.T) {
	term := &sized{width: 100, height: 30}
	l := term.live(Options{Size: term.size, Color: true, Clusters: []string{"v127", "v128_on", "v129"}})
	for _, e := range lanesEvents() {
		term.set(e.At)
		l.Event(e)
	}
	var shots strings.Builder
	s := screen{columns: 100}
	s.write(t, term.redrawn(l))
	for _, size := range [][2]int{{100, 30}, {60, 30}, {100, 30}, {60, 14}, {34, 9}, {100, 3}} {
		term.resize(size[0], size[1])
		s.resize(size[0])
		s.write(t, term.redrawn(l))
		fmt.Fprintf(&shots, "── %d × %d\n%s", size[0], size[1], lastRows(&s, size[1]))
		for _, row := range s.rows[max(0, len(s.rows)-l.dashboard.room()):] {
			if w := ansi.StringWidth(string(row)); w >= size[0] {
				t.Errorf("%d columns of %d: %s", w, size[0], string(row))
			}
		}
	}
	reporttest.Golden(t, "live-lanes", []byte(shots.String()))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	s.write(t, term.text())
	if text := s.String(); strings.Contains(text, "⠋") || strings.Contains(text, "✓1") {
		t.Errorf("something of the lanes is left:\n%s", text)
	}
}

// lastRows are the rows that a terminal of that height shows.
func lastRows(s *screen, height int) string {
	visible := screen{rows: s.rows[max(0, len(s.rows)-height):]}
	return visible.String()
}

func TestARedrawIsOneWriteThatIsShownAtOnce(t *testing.T) {
	w := &writes{}
	l := New(w, Options{TTY: true, Clusters: []string{"a"}, Tick: make(chan time.Time)})
	l.Event(report.Event{Kind: report.EventProgress, Cluster: "a", Text: "on"})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if len(w.all) != 2 {
		t.Errorf("%d writes for an event and Close: %q", len(w.all), w.all)
	}
	for _, text := range w.all {
		if !strings.HasPrefix(text, beginShown) || !strings.HasSuffix(text, endShown) {
			t.Errorf("not shown at once: %q", text)
		}
	}
}

type writes struct{ all []string }

func (w *writes) Write(data []byte) (int, error) {
	w.all = append(w.all, string(data))
	return len(data), nil
}
