package clocks

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/client-go/rest"

	"github.com/kind-lab/lab/collectors"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
		t.Error("an unreachable server reported its time")
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
