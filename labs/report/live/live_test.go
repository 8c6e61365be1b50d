package live

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"go.uber.org/goleak"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
)

// sampleEvents are a run on two clusters, with what may go wrong.
func sampleEvents() []report.Event {
	var events []report.Event
	add := func(seconds float64, cluster, scenario string, e report.Event) {
		e.At, e.Cluster, e.Scenario = time.Duration(seconds*float64(time.Second)), cluster, scenario
		events = append(events, e)
	}
	progress := func(text string) report.Event { return report.Event{Kind: report.EventProgress, Text: text} }
	record := func(r collectors.Record) report.Event { return report.Event{Kind: report.EventRecord, Record: &r} }
	step := func(kind report.EventKind, s report.Step) report.Event {
		return report.Event{Kind: kind, Text: s.Detail, Step: &s}
	}
	pod := "myapp-x7k2p"

	add(0.012, "v127", "", progress("creating Kubernetes 1.27.3"))
	add(0.013, "v128_on", "", progress("creating Kubernetes 1.28.15 SidecarContainers=true"))
	add(24.1, "v127", "", progress("ready: Kubernetes 1.27.3 after 24.1s"))
	add(24.2, "v127", "native", progress("running"))
	add(24.9, "v127", "native", report.Event{Kind: report.EventWarning, Text: "lenient: the API server warns: unknown field\n\"spec.template.spec.initContainers[0].restartPolicy\""})
	add(25.0, "v127", "native", step(report.EventStep, report.Step{Verb: "apply", Name: "strict", Status: expect.Pass, Detail: "refused as expected: strict decoding error"}))
	add(25.1, "v127", "native", record(reporttest.PodRecord(1, pod, "Pending", "0/1")))
	add(25.2, "v127", "native", record(reporttest.PodRecord(1.1, pod, "Pending", "0/1")))
	add(25.9, "v127", "native", record(reporttest.PodRecord(1.2, pod, "Init:0/1", "0/1")))
	add(26.1, "v127", "native", record(reporttest.TaskRecord(2.104512345, pod, "sidecar-container-1", collectors.TypeTaskStart, 0)))
	add(26.2, "v127", "native", record(reporttest.LogRecord(2.2, pod, "sidecar-container-1", "sidecar container is \x1b[31mstarting\x1b[0m...\r", "\x1b[38;5;75m")))
	add(26.3, "v127", "native", record(reporttest.LogRecord(2.3, pod, "main-container-1", strings.Repeat("a long line ", 20), "\x1b]0;no colour\x07")))
	add(27.0, "v127", "native", record(reporttest.PodRecord(3, pod, "Running", "1/2")))
	add(28.0, "v127", "native", record(reporttest.PodRecord(4, pod, "Running", "2/2")))
	add(40.1, "v127", "native", record(reporttest.TaskRecord(17.139204112, pod, "sidecar-container-1", collectors.TypeTaskExit, 137)))
	add(40.2, "v127", "native", record(reporttest.PodRecord(17.5, pod, "NotReady", "1/2")))
	add(40.3, "v127", "native", record(collectors.Record{Time: reporttest.At(18), Source: collectors.SourceAPI, Type: collectors.TypeJob,
		Object: collectors.Object{Kind: "Job", Name: "myapp"}, Job: &collectors.Job{Succeeded: 1, Conditions: map[string]string{"Complete": "True", "Failed": "False"}}}))
	add(41.0, "v127", "native", record(collectors.Record{Time: reporttest.At(19), Source: collectors.SourceRuntime, Type: collectors.TypeGap,
		Object: collectors.Object{Kind: "Node", Name: "node-1"}, Gap: &collectors.Gap{From: reporttest.At(17.5), To: reporttest.At(19), Reason: "the event stream ended", Count: -1}}))
	add(41.5, "v127", "native", progress(`expecting: the Job completes`))
	add(42.0, "v127", "native", step(report.EventVerdict, reporttest.Decided("the Job completes", "job.myapp.complete", "true", true, 2, 18, "job.myapp.complete was true after 16s")))
	failed := reporttest.Decided("it is quick", "job.myapp.seconds < 5", "false", true, 18, 18, "job.myapp.seconds < 5 was false: job.myapp.seconds is 16")
	failed.Status, failed.Verdict.Status, failed.Verdict.Message = expect.Fail, expect.Fail, "It took 16 s."
	add(42.1, "v127", "native", step(report.EventVerdict, failed))
	add(42.2, "v127", "native", step(report.EventVerdict, reporttest.Skipped("only from 1.28 on", "true", 18)))
	add(42.3, "v127", "native", step(report.EventStep, report.Step{Verb: "expect", Name: "the rest", Status: expect.Error, Detail: "the observation was lost: an observer gave up"}))
	add(43.0, "v127", "native", record(collectors.Record{Type: collectors.TypePodGone, Object: reporttest.PodObject(pod)}))
	add(44.0, "v127", "", progress("destroyed"))
	events[len(events)-1].Done = true
	add(45.0, "v128_on", "", report.Event{Kind: report.EventError, Text: "creating cluster v128_on: the node did not become ready within 3m:\n  kubelet: no cgroups"})
	return events
}

func TestLiveLines(t *testing.T) {
	for name, opts := range map[string]Options{
		"plain":   {Logs: true},
		"quiet":   {},
		"ascii":   {Logs: true, ASCII: true, Verbose: true},
		"colored": {Logs: true, Color: true},
	} {
		t.Run(name, func(t *testing.T) {
			opts.Clusters = []string{"v127", "v128_on"}
			var b bytes.Buffer
			l := New(&b, opts)
			for _, e := range sampleEvents() {
				l.Event(e)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			reporttest.Golden(t, "live-"+name, b.Bytes())
		})
	}
}

// screen is what a terminal shows of what was written to it. It knows what
// Live uses: line ends, going up, clearing a line and below, synchronized output
// and colours. Where it has columns, it breaks lines, and resize breaks them
// anew as most terminals do.
type screen struct {
	rows     [][]rune
	row, col int
	columns  int
	// broken are the rows that go on in the next one.
	broken map[int]bool
}

// resize breaks the lines for another width.
func (s *screen) resize(columns int) {
	var lines [][]rune
	at, on := 0, false // the cursor's line
	for i, row := range s.rows {
		if !on {
			lines = append(lines, nil)
		}
		if i == s.row {
			at, s.col = len(lines)-1, len(lines[len(lines)-1])+s.col
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], row...)
		on = s.broken[i]
	}
	s.rows, s.broken, s.columns = nil, map[int]bool{}, columns
	for i, line := range lines {
		if i == at {
			s.row = len(s.rows) + max(0, s.col-1)/columns
			s.col -= max(0, s.col-1) / columns * columns
		}
		for len(line) > columns {
			s.broken[len(s.rows)] = true
			s.rows, line = append(s.rows, line[:columns:columns]), line[columns:]
		}
		s.rows = append(s.rows, line)
	}
}

func (s *screen) write(t *testing.T, text string) {
	t.Helper()
	for len(text) > 0 {
		if rest, ok := strings.CutPrefix(text, "\x1b["); ok {
			end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' })
			s.control(t, rest[:end], rest[end])
			text = rest[end+1:]
			continue
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		switch r {
		case '\n':
			s.row, s.col = s.row+1, 0
		case '\r':
			s.col = 0
		default:
			if s.columns > 0 && s.col >= s.columns {
				if s.broken == nil {
					s.broken = map[int]bool{}
				}
				s.broken[s.row] = true
				s.row, s.col = s.row+1, 0
			}
			for len(s.rows) <= s.row {
				s.rows = append(s.rows, nil)
			}
			for len(s.rows[s.row]) <= s.col {
				s.rows[s.row] = append(s.rows[s.row], ' ')
			}
			s.rows[s.row][s.col] = r
			s.col++
		}
	}
}

func (s *screen) control(t *testing.T, argument string, final byte) {
	t.Helper()
	switch final {
	case 'm':
	case 'h', 'l':
		if argument != "?2026" {
			t.Fatalf("a mode that terminals were not meant to get: %q", argument)
		}
	case 'K':
		if len(s.rows) > s.row {
			s.rows[s.row] = s.rows[s.row][:min(s.col, len(s.rows[s.row]))]
		}
		delete(s.broken, s.row)
	case 'A':
		var n int
		if _, err := fmt.Sscan(argument, &n); err != nil || n > s.row {
			t.Fatalf("going up %q from row %d", argument, s.row)
		}
		s.row -= n
	case 'J':
		if len(s.rows) > s.row {
			s.rows = s.rows[:s.row+1]
			delete(s.broken, s.row)
			s.rows[s.row] = s.rows[s.row][:min(s.col, len(s.rows[s.row]))]
		}
	default:
		t.Fatalf("a control sequence that terminals were not meant to get: %q %q", argument, final)
	}
}

func (s *screen) String() string {
	var b strings.Builder
	for _, row := range s.rows {
		b.WriteString(strings.TrimRight(string(row), " ") + "\n")
	}
	return b.String()
}

// fakeTerminal is written to by a Live whose time stands still but for set.
type fakeTerminal struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	now  time.Time
	tick chan time.Time
}

func (f *fakeTerminal) Write(data []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.buf.Write(data)
}

func (f *fakeTerminal) text() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.buf.String()
}

func (f *fakeTerminal) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fakeTerminal) set(at time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = reporttest.Begun.Add(at)
}

func (f *fakeTerminal) live(opts Options) *View {
	f.now, f.tick = reporttest.Begun, make(chan time.Time)
	opts.TTY, opts.Now, opts.Tick = true, f.Now, f.tick
	return New(f, opts)
}

func TestLiveOnATerminal(t *testing.T) {
	defer goleak.VerifyNone(t)
	var term fakeTerminal
	l := term.live(Options{Logs: true, Color: true, Width: 90, Clusters: []string{"v127", "v128_on"}})
	var shots strings.Builder
	shoot := func(when string) {
		var s screen
		s.write(t, term.text())
		fmt.Fprintf(&shots, "── %s\n%s", when, &s)
		for _, row := range s.rows {
			if w := ansi.StringWidth(string(row)); w > 90 && strings.Contains(string(row), "│") {
				t.Errorf("%s: a log line of %d columns: %s", when, w, string(row))
			}
		}
	}
	for i, e := range sampleEvents() {
		term.set(e.At)
		l.Event(e)
		if i == 3 || i == 18 {
			shoot(fmt.Sprintf("after %d events", i+1))
		}
	}
	term.set(50 * time.Second)
	term.tick <- time.Time{}
	term.tick <- time.Time{} // the first was dealt with
	shoot("after ticks")
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Fatal(err)
	}
	shoot("after Close")
	reporttest.Golden(t, "live-terminal", []byte(shots.String()))
}

func TestLiveKeepsTheBoardSmall(t *testing.T) {
	var term fakeTerminal
	opts := Options{Width: 40}
	for i := range 25 {
		opts.Clusters = append(opts.Clusters, fmt.Sprintf("cluster-with-a-long-name-%02d", i))
	}
	l := term.live(opts)
	for i := range 20 {
		l.Event(report.Event{Kind: report.EventProgress, Cluster: opts.Clusters[i], Scenario: "a scenario", Text: "東京 " + strings.Repeat("wide ", 30), Done: i < 18})
	}
	term.set(time.Minute)
	term.tick <- time.Time{}
	term.tick <- time.Time{}
	var s screen
	s.write(t, term.text())
	const lines = 16 // two thirds of 24
	dashboard := s.rows[len(s.rows)-lines:]
	if got := string(dashboard[lines-1]); !strings.Contains(got, "and 10 clusters more") {
		t.Errorf("the last line is %q", got)
	}
	for _, row := range dashboard {
		if w := ansi.StringWidth(string(row)); w >= 40 {
			t.Errorf("a status line of %d columns: %q", w, string(row))
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestLiveBundlesWhatComesFast(t *testing.T) {
	var term fakeTerminal
	l := term.live(Options{Clusters: []string{"a"}})
	for range 100 {
		l.Event(report.Event{Kind: report.EventProgress, Cluster: "a", Text: "line"})
	}
	if n := strings.Count(term.text(), "line\n"); n > 1 {
		t.Errorf("%d of 100 lines were written one by one within no time", n)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(term.text(), "line\n"); n != 100 {
		t.Errorf("%d of 100 lines were written in the end", n)
	}
}

func TestLiveIsSafeForConcurrentUse(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, tty := range []bool{false, true} {
		var b bytes.Buffer // Live is its only writer
		l := New(&b, Options{TTY: tty, Logs: true, Clusters: []string{"c0"}})
		var group sync.WaitGroup
		for i := range 4 {
			group.Go(func() {
				for range 50 {
					l.Event(report.Event{Kind: report.EventProgress, Cluster: fmt.Sprintf("c%d", i), Text: "on"})
				}
				if i == 3 {
					if err := l.Close(); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "on\n"); n != 200 && !tty {
			t.Errorf("%d lines of 200", n)
		}
	}
}

func TestLiveKeepsTheWritersFailure(t *testing.T) {
	l := New(reporttest.BrokenWriter{}, Options{})
	l.Event(report.Event{Kind: report.EventProgress, Text: "on"})
	l.Event(report.Event{Kind: report.EventRecord})
	l.Event(report.Event{Kind: report.EventStep, Text: "began"})
	if err := l.Close(); !errors.Is(err, reporttest.ErrFull) {
		t.Errorf("got %v, want the writer's error", err)
	}
}
