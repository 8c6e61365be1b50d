package wiring

import (
	"slices"
	"testing"
	"time"
)

// Runs of one second are found by "last" in the order of their starts.
func TestRunsAreNamedInTheOrderOfTheirStarts(t *testing.T) {
	var names []string
	for _, at := range []time.Duration{0, 9 * time.Millisecond, 10 * time.Millisecond, 999 * time.Millisecond, time.Second} {
		for range 20 { // the random end tells nothing of the order
			names = append(names, newRunID(time.Date(2026, 1, 2, 3, 4, 59, 0, time.UTC).Add(at)))
		}
	}
	for i := 20; i < len(names); i++ {
		if before := names[i/20*20-1]; before >= names[i] {
			t.Errorf("%s comes before %s, which started earlier", names[i], before)
		}
	}
	if want := "20260102-030459.009-"; !slices.ContainsFunc(names, func(n string) bool { return n[:len(want)] == want }) {
		t.Errorf("no name begins with %s: %v", want, names)
	}
}
