package expect

import (
	"strconv"
	"strings"
	"time"
)

// span is a duration as people write it: "15s", "0.25s", "5m", "1h2m".
func span(d time.Duration) string {
	if d.Abs() < 2*time.Minute {
		return strconv.FormatFloat(float64(d.Round(time.Millisecond).Milliseconds())/1e3, 'f', -1, 64) + "s"
	}
	s := d.Round(time.Second).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// maxSource bounds an expression's source in a sentence, in runes.
const maxSource = 160

// oneLine is source on one line, cut where it is long.
func oneLine(source string) string {
	s := []rune(strings.Join(strings.Fields(source), " "))
	if len(s) > maxSource {
		return string(s[:maxSource]) + "…"
	}
	return string(s)
}

// saidInOneLine is what another program said, on one line. Where it is long its middle
// is left out: what was done stands at the beginning, why not at the end.
func saidInOneLine(text string) string {
	const head, tail = 100, 160
	s := []rune(strings.TrimRight(strings.Join(strings.Fields(text), " "), "."))
	if len(s) <= head+tail {
		return string(s)
	}
	return string(s[:head]) + " … " + string(s[len(s)-tail:])
}
