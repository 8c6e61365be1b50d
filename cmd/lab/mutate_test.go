package main

import (
	"strings"
	"testing"
	"time"
)

// TestCountingIsPatient counts on a clock that is moved by hand: nothing is
// written in the first two seconds, and no more often than people read.
func TestCountingIsPatient(t *testing.T) {
	var out strings.Builder
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	progress, clear := countingOn(&out, "copies judged", func() time.Time { return now })
	progress(1, 9)
	clear()
	if out.Len() > 0 {
		t.Errorf("written at once: %q", out.String())
	}
	for done := 2; done < 5; done++ {
		now = now.Add(1990 * time.Millisecond)
		progress(done, 9)
		progress(done+1, 9)
	}
	clear()
	want := "\r\x1b[K3 of at most 9 copies judged\r\x1b[K4 of at most 9 copies judged\r\x1b[K"
	if got := out.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
