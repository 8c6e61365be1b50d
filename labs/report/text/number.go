package text

import (
	"fmt"
	"strconv"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report/layout"
)

// Plural is a number of things.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// span is a duration as scenarios state it: 75s, 0.25s, 5m0s.
func span(d time.Duration) string {
	if d.Abs() < 2*time.Minute {
		return strconv.FormatFloat(float64(d.Microseconds())/1e6, 'f', -1, 64) + "s"
	}
	return d.String()
}

// Elapsed is a duration as people read it: 0.4s, 42.3s, 1m42s, 2h05m.
func Elapsed(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Elapsed(-d)
	case d < time.Minute-50*time.Millisecond:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour-500*time.Millisecond:
		d = d.Round(time.Second)
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}

// Seconds is a record's time in seconds, with the digits that its precision
// gives it.
func Seconds(r collectors.Record, begin time.Time) string {
	digits := 0
	for unit := time.Second; unit > max(r.Precision, time.Nanosecond) && digits < 9; unit /= 10 {
		digits++
	}
	if r.Precision >= time.Second {
		digits = 3 // when the change was received, or the begin's own fraction
	}
	return fmt.Sprintf("%.*f", digits, r.Time.Sub(begin).Seconds())
}

// Within says how finely a time is known; "?" if that is not known.
func Within(d time.Duration) string {
	if d <= 0 {
		return "?"
	}
	return d.String()
}

// clock is a number of seconds as precisely as its source knows it: to the
// millisecond, or whole with a mark.
func clock(seconds float64, source string) string {
	if source == string(collectors.SourceAPI) {
		return fmt.Sprintf("~%.0f", seconds)
	}
	return fmt.Sprintf("%.3f", seconds)
}

// clockUnit names the clock of a source.
func clockUnit(source string) string {
	switch collectors.Source(source) {
	case collectors.SourceRuntime:
		return "runtime"
	case collectors.SourceAPI:
		return "API"
	}
	return layout.Clean(source)
}

// signalName names the signals that containers are ended with, or end
// themselves with.
func signalName(number int) string {
	names := [...]string{1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 6: "SIGABRT", 9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 15: "SIGTERM"}
	if number < 0 || number >= len(names) {
		return ""
	}
	return names[number]
}

// ExitText is an exit code, and the signal that it stands for.
func ExitText(code int) string {
	if name := signalName(code - 128); name != "" {
		return fmt.Sprintf("%d %s", code, name)
	}
	return fmt.Sprint(code)
}
