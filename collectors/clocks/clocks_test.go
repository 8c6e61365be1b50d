package clocks

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/client-go/rest"

	"github.com/kind-lab/lab/collectors"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeNode is a node with a clock of its own.
type fakeNode struct {
	mu     sync.Mutex
	bootID string
	// ahead is how far its clock is ahead, slow how long it takes to answer.
	ahead, slow time.Duration
	format      string
	away        bool
	asked       int
}

func (f *fakeNode) set(change func(*fakeNode)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

// NodeExec answers as the script does.
func (f *fakeNode) NodeExec(ctx context.Context, node string, stdin io.Reader, stdout, stderr io.Writer, cmd ...string) error {
	f.mu.Lock()
	away, id := f.away, f.bootID
	f.asked++
	f.mu.Unlock()
	if away {
		fmt.Fprintf(stderr, "Error response from daemon:\n container %s is paused", node)
		return errors.New("exit status 1")
	}
	fmt.Fprintln(stdout, id)
	lines := bufio.NewScanner(stdin)
	for lines.Scan() {
		f.mu.Lock()
		ahead, slow, format := f.ahead, f.slow, f.format
		f.mu.Unlock()
		<-time.After(slow / 2)
		now := time.Now().Add(ahead)
		if format == "" {
			format = "%d.%09d\n"
			fmt.Fprintf(stdout, format, now.Unix(), now.Nanosecond())
		} else {
			fmt.Fprintf(stdout, format, now.Unix())
		}
		<-time.After(slow / 2)
	}
	return lines.Err()
}

// sink keeps records.
type sink struct {
	mu      sync.Mutex
	records []collectors.Record
}

func (s *sink) Add(r collectors.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, r)
}

func (s *sink) all() []collectors.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.records)
}

// running is a collector that runs.
type running struct {
	*Collector
	sink
	stop func()
	done chan error

	said sync.Mutex
	warn []string
}

// begin runs a collector, whose host change may change.
func begin(t *testing.T, exec Exec, options Options, change func(*Collector)) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{stop: cancel, done: make(chan error, 1)}
	if options.Every == 0 {
		options.Every = time.Hour
	}
	options.Warn = func(text string) {
		r.said.Lock()
		defer r.said.Unlock()
		r.warn = append(r.warn, text)
	}
	r.Collector = New(exec, &r.sink, options)
	r.bootID = "here"
	if change != nil {
		change(r.Collector)
	}
	go func() { r.done <- r.Run(ctx) }()
	t.Cleanup(cancel)
	select {
	case <-r.Ready():
	case <-time.After(10 * time.Second):
		t.Fatal("not ready in 10 s")
	}
	return r
}

// end measures for the last time and returns what all of it says.
func (r *running) end(t *testing.T) (low, high time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := r.Reconcile(ctx); err != nil {
		t.Error(err)
	}
	r.stop()
	if err := <-r.done; err != nil {
		t.Error(err)
	}
	low, high, known := r.timeline().ClockSkew()
	if !known {
		t.Error("no clock was measured")
	}
	return low, high
}

func (r *running) timeline() *collectors.Timeline {
	all := r.all()
	timeline := collectors.NewTimeline(all[0].Time)
	for _, record := range all {
		timeline.Add(record)
	}
	return timeline
}

func (r *running) warned() string {
	r.said.Lock()
	defer r.said.Unlock()
	return strings.Join(r.warn, "\n")
}

// within says whether an offset is among the bounds, which are not far apart.
func within(t *testing.T, low, high, offset, width time.Duration) {
	t.Helper()
	if offset < low || offset > high || high-low > width {
		t.Errorf("the offset is from %v to %v, want %v in it, and at most %v between them", low, high, offset, width)
	}
}

func TestAClockThatIsAheadIsMeasured(t *testing.T) {
	f := &fakeNode{bootID: "there", ahead: 3 * time.Second}
	r := begin(t, f, Options{Nodes: []string{"n"}}, nil)
	low, high := r.end(t)
	within(t, low, high, 3*time.Second, 500*time.Millisecond)
	if text := r.warned(); text != "" {
		t.Errorf("warned %q", text)
	}
	for _, record := range r.all() {
		if record.Type != collectors.TypeClock || record.Clock.Node != "n" || record.Clock.Same || record.Clock.Unknown || record.Clock.Jumped {
			t.Errorf("the record is %+v", record.Clock)
		}
	}
}

func TestTheSameKernelIsTheSameClock(t *testing.T) {
	f := &fakeNode{bootID: "here", slow: 5 * time.Millisecond}
	r := begin(t, f, Options{Nodes: []string{"n", "m"}, Every: 10 * time.Millisecond}, nil)
	if err := r.Sync(t.Context()); err != nil {
		t.Error(err)
	}
	<-time.After(50 * time.Millisecond)
	if low, high := r.end(t); low != 0 || high != 0 {
		t.Errorf("the offset is from %v to %v, want 0", low, high)
	}
	if all := r.all(); len(all) != 2 || f.asked != 2 {
		t.Errorf("%d records, and the nodes were asked %d times; want once each", len(all), f.asked)
	}
}

func TestACopiedBootIDIsNoProof(t *testing.T) {
	f := &fakeNode{bootID: "here", ahead: time.Minute}
	r := begin(t, f, Options{Nodes: []string{"n"}}, nil)
	low, high := r.end(t)
	within(t, low, high, time.Minute, 500*time.Millisecond)
}

func TestTheFastestAnswerCounts(t *testing.T) {
	f := &fakeNode{bootID: "there", ahead: -time.Second, slow: 200 * time.Millisecond}
	time.AfterFunc(300*time.Millisecond, func() { f.set(func(f *fakeNode) { f.slow = 0 }) })
	r := begin(t, f, Options{Nodes: []string{"n"}}, nil)
	low, high := r.end(t)
	within(t, low, high, -time.Second, 150*time.Millisecond)
}

func TestADateWithoutNanosecondsIsCoarse(t *testing.T) {
	for _, format := range []string{"%d.N\n", "%d.%%N\n", "%d.\n", "%d\n"} {
		f := &fakeNode{bootID: "there", ahead: 3 * time.Second, format: format}
		r := begin(t, f, Options{Nodes: []string{"n"}}, nil)
		low, high := r.end(t)
		within(t, low, high, 3*time.Second, 2500*time.Millisecond)
		if high-low < time.Second {
			t.Errorf("%q: from %v to %v, as if more than whole seconds were known", format, low, high)
		}
	}
}

// TestAClockThatDriftsIsFollowed has a clock drift by 9 ms a minute, and then jump
// by as much in a second.
func TestAClockThatDriftsIsFollowed(t *testing.T) {
	const ms = time.Millisecond
	s, warned := &sink{}, 0
	c := New(nil, s, Options{Nodes: []string{"n"}, Warn: func(string) { warned++ }})
	begin := time.Now().Round(0)
	found := func(after, offset time.Duration) {
		c.clocks[0].found(measurement{low: offset - ms, high: offset + ms, at: reading{wall: begin.Add(after), mono: after}})
	}
	for i := range time.Duration(11) {
		found(i*time.Minute, i*9*ms)
	}
	if warned != 0 {
		t.Errorf("a clock that drifts jumped %d times", warned)
	}
	timeline := collectors.NewTimeline(begin)
	for _, r := range s.all() {
		timeline.Add(r)
	}
	low, high, _ := timeline.ClockSkew()
	within(t, low, high, 0, 120*ms)
	within(t, low, high, 90*ms, 120*ms)
	found(10*time.Minute+time.Second, 99*ms)
	if warned != 1 {
		t.Errorf("a clock that jumped did so %d times", warned)
	}
}

// local runs the command on this machine.
type local struct{}

func (local) NodeExec(ctx context.Context, _ string, stdin io.Reader, stdout, stderr io.Writer, cmd ...string) error {
	c := exec.CommandContext(ctx, cmd[0], cmd[1:]...)
	c.Stdin, c.Stdout, c.Stderr = stdin, stdout, stderr
	return c.Run()
}

func TestTheScriptTellsThisMachinesTime(t *testing.T) {
	r := begin(t, local{}, Options{Nodes: []string{"n"}}, nil)
	low, high := r.end(t)
	within(t, low, high, 0, 5*time.Second)
	r = begin(t, local{}, Options{Nodes: []string{"n"}}, func(c *Collector) {
		id, err := os.ReadFile(bootIDFile)
		if err != nil {
			t.Fatal(err)
		}
		c.bootID = strings.TrimSpace(string(id))
	})
	if low, high := r.end(t); low != 0 || high != 0 || !r.all()[0].Clock.Same {
		t.Errorf("this machine's own clock is from %v to %v ahead of itself", low, high)
	}
}

func TestAClockThatJumpsIsSaidTo(t *testing.T) {
	f := &fakeNode{bootID: "there"}
	r := begin(t, f, Options{Nodes: []string{"n"}}, nil)
	f.set(func(f *fakeNode) { f.ahead = 5 * time.Second })
	<-time.After(fresh + 100*time.Millisecond)
	if err := r.Sync(t.Context()); err != nil {
		t.Error(err)
	}
	timeline := r.timeline()
	low, high, _ := timeline.ClockSkew()
	within(t, low, high, 0, 6*time.Second)
	within(t, low, high, 5*time.Second, 6*time.Second)
	if text := r.warned(); !strings.Contains(text, "the clock of node n was set, or stood still") || timeline.ClockJumps() != 1 {
		t.Errorf("%d jumps, warned %q", timeline.ClockJumps(), text)
	}
	r.end(t)
}

// TestThisMachineSleeps has the machine sleep for an hour, or its clock set, under
// nodes with a kernel of their own and with this machine's.
func TestThisMachineSleeps(t *testing.T) {
	for name, test := range map[string]struct {
		bootID string
		by     time.Duration
		// ahead is how far the node's clock is ahead then.
		ahead     time.Duration
		low, high time.Duration
	}{
		"a virtual machine that slept, too": {"there", time.Hour, -time.Hour, -time.Hour, 0},
		"a virtual machine that was set":    {"there", time.Hour, 0, -time.Hour, 0},
		"another clock, and this one back":  {"there", -time.Hour, time.Hour, 0, time.Hour},
		"the same clock, forward":           {"here", time.Hour, 0, 0, 0},
		"the same clock, back":              {"here", -time.Hour, 0, -time.Hour, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeNode{bootID: test.bootID}
			var mu sync.Mutex
			var slept time.Duration
			r := begin(t, f, Options{Nodes: []string{"n"}}, func(c *Collector) {
				read := c.host.read
				c.host.read = func() reading {
					mu.Lock()
					defer mu.Unlock()
					now := read()
					now.wall = now.wall.Add(slept)
					return now
				}
			})
			mu.Lock()
			slept = test.by
			mu.Unlock()
			// By the fake's own clock, which is this machine's without the sleep.
			f.set(func(f *fakeNode) { f.ahead = test.by + test.ahead })
			if err := r.Sync(t.Context()); err != nil {
				t.Error(err)
			}
			low, high, _ := r.timeline().ClockSkew()
			const about = 2 * time.Second
			if (low-test.low).Abs() > about || (high-test.high).Abs() > about || low > test.low || high < test.high {
				t.Errorf("the offset is from %v to %v, want %v to %v", low, high, test.low, test.high)
			}
			if silent := test.low == test.high; (r.warned() == "") != silent {
				t.Errorf("warned %q", r.warned())
			}
			r.end(t)
		})
	}
}

func TestAClockThatCannotBeMeasuredIsUnknown(t *testing.T) {
	f := &fakeNode{bootID: "there", away: true}
	r := begin(t, f, Options{Nodes: []string{"n"}}, nil)
	if low, high, known := r.timeline().ClockSkew(); !known || low != -collectors.UnknownSkew || high != collectors.UnknownSkew {
		t.Errorf("the offset is from %v to %v, %v", low, high, known)
	}
	if text := r.warned(); !strings.Contains(text, "the clock of node n cannot be measured") || !strings.Contains(text, "container n is paused") {
		t.Errorf("warned %q", text)
	}
	f.set(func(f *fakeNode) { f.away = false })
	low, high := r.end(t)
	within(t, low, high, 0, time.Second)
	if n := len(r.all()); n != 2 {
		t.Errorf("%d records, want that it is unknown, and a measurement", n)
	}
}

func TestTheAPIServersClockStandsForTheNodes(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/version" || r.Method != http.MethodGet {
			t.Errorf("asked for %s %s", r.Method, r.URL)
		}
		w.Header().Set("Date", time.Now().Add(3*time.Second).UTC().Format(http.TimeFormat))
	}))
	ask, err := Server(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	r := begin(t, nil, Options{Server: ask}, nil)
	low, high := r.end(t)
	within(t, low, high, 3*time.Second, 3*time.Second)
	if high-low < time.Second {
		t.Errorf("from %v to %v, as if more than whole seconds were known", low, high)
	}
	server.CloseClientConnections()
	server.Close()
	if _, err := ask(t.Context()); err == nil {
		t.Error("a server that is away has told its time")
	}
}

func TestNothingToMeasureIsAnError(t *testing.T) {
	if err := New(nil, &sink{}, Options{}).Run(t.Context()); err == nil {
		t.Error("there is nothing to measure, and it ran")
	}
}

func TestAnAnswerThatIsNoTime(t *testing.T) {
	f := &fakeNode{bootID: "there", format: "date: %d: not found\n"}
	r := begin(t, f, Options{Nodes: []string{"n"}}, nil)
	if text := r.warned(); !strings.Contains(text, "the answer is no time") {
		t.Errorf("warned %q", text)
	}
	r.end(t)
}
