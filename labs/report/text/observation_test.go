package text

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
	"github.com/kind-lab/lab/labs/report/layout"
)

// observed is a record of the scenario "s" on the cluster "c".
func observed(seconds float64, r collectors.Record) Observation {
	return Observation{Scenario: "s", Cluster: "c", At: seconds, Record: r}
}

func eventRecord(seconds float64, e collectors.Event) collectors.Record {
	return collectors.Record{Time: reporttest.At(seconds), Received: reporttest.At(seconds), Precision: time.Second, Source: collectors.SourceAPI,
		Type: collectors.TypeEvent, Object: reporttest.PodObject("web"), Event: &e}
}

func TestLogLines(t *testing.T) {
	line := reporttest.LogRecord(1.5, "web", "main", "red \x1b[31malert\x1b[0m\tnow", "")
	cut := line
	cut.Log = &collectors.Log{Text: "a beginning", Cut: true}
	gap := line
	gap.Type, gap.Source, gap.Log = collectors.TypeGap, collectors.SourceLog, nil
	gap.Gap = &collectors.Gap{From: reporttest.At(1), To: reporttest.At(3), Count: 2, Reason: "the stream ended"}
	for name, test := range map[string]struct {
		r    collectors.Record
		opts ObservationOptions
		want string
	}{
		"as it is read on a terminal":   {line, ObservationOptions{}, "web › main red alert now"},
		"as it was written":             {line, ObservationOptions{Raw: true}, "web › main red \x1b[31malert\x1b[0m\tnow"},
		"with its scenario and cluster": {line, ObservationOptions{Where: true}, "s/c web › main red alert now"},
		"with the time":                 {line, ObservationOptions{Times: true}, "2025-03-04T10:00:01.750000000Z web › main red alert now"},
		"with both, the place first":    {line, ObservationOptions{Where: true, Times: true}, "s/c 2025-03-04T10:00:01.750000000Z web › main red alert now"},
		"too long to be kept":           {cut, ObservationOptions{}, "web › main a beginning … (cut)"},
		"in ASCII":                      {cut, ObservationOptions{Style: layout.Style{ASCII: true}}, "web > main a beginning ... (cut)"},
		"lost lines":                    {gap, ObservationOptions{}, "… log did not see web/main for 2s, 2 lost: the stream ended"},
		"lost lines in ASCII":           {gap, ObservationOptions{Style: layout.Style{ASCII: true}}, "... log did not see web/main for 2s, 2 lost: the stream ended"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := LogLine(observed(1.5, test.r), test.opts); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			test.opts.Color = true
			if got := LogLine(observed(1.5, test.r), test.opts); !test.opts.Raw && ansi.Strip(got) != test.want {
				t.Errorf("in colour: %q, want %q", got, test.want)
			}
		})
	}
}

func TestAContainerKeepsItsColour(t *testing.T) {
	a, b := reporttest.LogRecord(1, "web", "main", "x", ""), reporttest.LogRecord(2, "other", "main", "y", "")
	if ContainerColor(a) != ContainerColor(b) {
		t.Error("two lines of containers of one name have different colours")
	}
	for color, kept := range map[string]bool{"\x1b[36m": true, "\x1b[1;36m": true, "\x1b[2J": false, "\x1b[36mx": false, "red": false} {
		if got := ContainerColor(reporttest.LogRecord(1, "web", "main", "x", color)); (got == color) != kept || !strings.HasSuffix(got, "m") {
			t.Errorf("the recorded colour %q became %q", color, got)
		}
	}
}

func TestEventLines(t *testing.T) {
	for name, test := range map[string]struct {
		e     collectors.Event
		where bool
		want  string
	}{
		"once":                {collectors.Event{EventType: "Normal", Reason: "Pulled", Message: "Image is there", Count: 1}, false, "    2.000  Normal   Pulled                pod web  Image is there"},
		"several times":       {collectors.Event{EventType: "Warning", Reason: "BackOff", Message: "again", Count: 3}, false, "    2.000  Warning  BackOff               pod web  again (3 times)"},
		"without a message":   {collectors.Event{EventType: "Normal", Reason: "Killing"}, false, "    2.000  Normal   Killing               pod web"},
		"of several clusters": {collectors.Event{EventType: "Normal", Reason: "Killing"}, true, "s/c     2.000  Normal   Killing               pod web"},
		"on several lines":    {collectors.Event{EventType: "Normal", Reason: "R", Message: "one\ntwo\x1b[2J"}, false, "    2.000  Normal   R                     pod web  one two"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := EventLine(observed(2, eventRecord(2, test.e)), ObservationOptions{Where: test.where}); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestEventsThatAreReportedAgainAreWrittenOnce(t *testing.T) {
	event := func(at float64, message string, count int) Observation {
		return observed(at, eventRecord(at, collectors.Event{EventType: "Warning", Reason: "BackOff", Message: message, Count: count, FirstAt: reporttest.At(1)}))
	}
	elsewhere := event(3, "back-off", 2)
	elsewhere.Cluster = "other"
	var b strings.Builder
	events := []Observation{event(1, "back-off", 1), event(2, "another", 1), elsewhere, event(4, "back-off", 9)}
	if err := WriteEvents(&b, events, ObservationOptions{Where: true, Style: layout.Style{Width: 90}}); err != nil {
		t.Fatal(err)
	}
	want := ` SEEN  TYPE     REASON   OBJECT   MESSAGE             IN
1.000  Warning  BackOff  pod web  back-off (9 times)  s/c
2.000  Warning  BackOff  pod web  another             s/c
3.000  Warning  BackOff  pod web  back-off (2 times)  s/other
`
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
	if events[0].Record.Event.Count != 1 {
		t.Error("the caller's events were changed")
	}
}

func TestEventsStayWithinThePage(t *testing.T) {
	long := observed(12.5, eventRecord(12.5, collectors.Event{EventType: "Warning", Reason: "FailedScheduling", Message: strings.Repeat("0/3 nodes are 東京 ", 20)}))
	for columns := layout.LeastWidth; columns <= 200; columns += 20 {
		var b strings.Builder
		if err := WriteEvents(&b, []Observation{long}, ObservationOptions{Where: true, Style: layout.Style{Width: columns}}); err != nil {
			t.Fatal(err)
		}
		checkWithin(t, b.String(), columns)
	}
}

func TestRecordLines(t *testing.T) {
	for want, o := range map[string]Observation{
		"  12.500000000  1ns  runtime  container web/main started": observed(12.5, reporttest.TaskRecord(12.5, "web", "main", collectors.TypeTaskStart, 0)),
		"        12.500  1s   api      pod web Running (1/1)":      observed(12.5, reporttest.PodRecord(12.5, "web", "Running", "1/1")),
	} {
		if got := RecordLine(o, ObservationOptions{}); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		if got := RecordLine(o, ObservationOptions{Where: true}); got != "s/c "+want {
			t.Errorf("with its place: %q", got)
		}
	}
}

func TestWritingEventsAndContainersFails(t *testing.T) {
	timeline := collectors.NewTimeline(reporttest.Begun)
	timeline.Add(reporttest.PodRecord(1, "web", "Running", "1/1", collectors.Container{Name: "main"}))
	timeline.Add(reporttest.TaskRecord(2, "web", "main", collectors.TypeTaskStart, 0))
	for name, err := range map[string]error{
		"events":     WriteEvents(reporttest.BrokenWriter{}, nil, ObservationOptions{}),
		"containers": WriteContainerRuns(reporttest.BrokenWriter{}, timeline, "", layout.Style{}),
	} {
		if !errors.Is(err, reporttest.ErrFull) {
			t.Errorf("%s: %v, want the writer's error", name, err)
		}
	}
}

// checkWithin holds that no line is wider than the page.
func checkWithin(t *testing.T, text string, columns int) {
	t.Helper()
	for line := range strings.Lines(text) {
		if w := layout.Width(strings.TrimSuffix(line, "\n")); w > columns {
			t.Errorf("a line has %d columns where there are %d: %s", w, columns, fmt.Sprintf("%q", line))
		}
	}
}
