package text

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
)

func TestElapsed(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.0s", 340 * time.Millisecond: "0.3s", 59940 * time.Millisecond: "59.9s", 59960 * time.Millisecond: "1m00s",
		102 * time.Second: "1m42s", time.Hour - 100*time.Millisecond: "1h00m", 125 * time.Minute: "2h05m", -time.Second: "-1.0s",
	} {
		if got := Elapsed(d); got != want {
			t.Errorf("%s: got %s, want %s", d, got, want)
		}
	}
}

// TestElapsedNeverHas60 goes over all durations near the places where another unit
// begins: no part of a time is as long as the next unit.
func TestElapsedNeverHas60(t *testing.T) {
	for _, near := range []time.Duration{time.Minute, 2 * time.Minute, time.Hour, 2 * time.Hour} {
		for d := near - 2*time.Second; d < near+2*time.Second; d += 7 * time.Millisecond {
			if got := Elapsed(d); strings.Contains(got, "60") {
				t.Fatalf("%s is %s", d, got)
			}
		}
	}
}

func TestSpansAsScenariosStateThem(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 75 * time.Second: "75s", 250 * time.Millisecond: "0.25s", 5 * time.Minute: "5m0s", 2 * time.Minute: "2m0s", 119 * time.Second: "119s", -time.Second: "-1s", 1500 * time.Microsecond: "0.0015s",
	} {
		if got := span(d); got != want {
			t.Errorf("%s: got %s, want %s", d, got, want)
		}
		if parsed, err := time.ParseDuration(span(d)); err != nil || parsed != d {
			t.Errorf("%s cannot be taken into a scenario: %s, %v", span(d), parsed, err)
		}
	}
}

func TestSecondsHaveTheDigitsOfTheirPrecision(t *testing.T) {
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for precision, want := range map[time.Duration]string{
		0: "1.234567891", 1: "1.234567891", time.Microsecond: "1.234568", time.Millisecond: "1.235", 100 * time.Millisecond: "1.2", time.Second: "1.235", time.Minute: "1.235", 2 * time.Millisecond: "1.235",
	} {
		r := collectors.Record{Time: begin.Add(1234567891), Precision: precision}
		if got := Seconds(r, begin); got != want {
			t.Errorf("known to %s: %s, want %s", precision, got, want)
		}
	}
}

func TestHowFinelyATimeIsKnown(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "?", -1: "?", 1: "1ns", time.Second: "1s"} {
		if got := Within(d); got != want {
			t.Errorf("%d: %s, want %s", d, got, want)
		}
	}
}

// TestExitCodesOfSignals goes over all codes: those that a shell makes of a signal
// name it, and all have their number.
func TestExitCodesOfSignals(t *testing.T) {
	named := map[int]string{129: "SIGHUP", 130: "SIGINT", 131: "SIGQUIT", 134: "SIGABRT", 137: "SIGKILL", 139: "SIGSEGV", 141: "SIGPIPE", 143: "SIGTERM"}
	for code := -1; code <= 300; code++ {
		want := strconv.Itoa(code)
		if name := named[code]; name != "" {
			want += " " + name
		}
		if got := ExitText(code); got != want {
			t.Errorf("%d: %q, want %q", code, got, want)
		}
	}
}

func TestPlurals(t *testing.T) {
	for n, want := range map[int]string{0: "0 steps", 1: "1 step", 2: "2 steps", -1: "-1 steps"} {
		if got := Plural(n, "step"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestClocksOfSources(t *testing.T) {
	for source, want := range map[string]string{"runtime": "1.500 runtime", "api": "~2 API", "log": "1.500 log", "\x1b[2Jx": "1.500 x"} {
		if got := fmt.Sprintf("%s %s", clock(1.5, source), clockUnit(source)); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}
