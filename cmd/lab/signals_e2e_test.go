//go:build e2e

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kind-lab/lab/labs/report"
)

// TestSignals interrupts lab once, twice and three times in each phase of a
// run; a choice of these where not every point is tried.
func TestSignals(t *testing.T) {
	t.Parallel()
	for _, phase := range []struct {
		after string
		wait  time.Duration
		often int // how often it is interrupted where not every point is tried
	}{
		{"creating Kubernetes", 4 * time.Second, 2},
		{"doing: on this machine", time.Second, 3},
		{"expecting: it goes on", time.Second, 1},
		{"destroying", 0, 2},
	} {
		for times := 1; times <= 3; times++ {
			if times != phase.often && !everyPoint() {
				continue
			}
			t.Run(fmt.Sprintf("%s +%s, %d times", phase.after, phase.wait, times), func(t *testing.T) {
				t.Parallel()
				interruptAt(t, phase.after, phase.wait, times)
			})
		}
	}
}

func interruptAt(t *testing.T, printed string, wait time.Duration, times int) {
	cmd, dir, out, ended := runUntil(t, "testdata/killed", printed, wait)
	began := time.Now()
	for i := range times {
		if i > 0 {
			// What comes while the one before is not taken yet counts as one.
			time.Sleep(300 * time.Millisecond)
		}
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil && i == 0 {
			t.Fatalf("%v; it printed:\n%s", err, out)
		}
	}
	select {
	case <-ended:
	case <-time.After(90 * time.Second):
		t.Fatalf("it did not end; it printed:\n%s", out)
	}
	took := time.Since(began).Round(100 * time.Millisecond)
	runs, err := filepath.Glob(filepath.Join(dir, ".lab", "runs", "*"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("runs %v, %v", runs, err)
	}
	text := out.String()
	left := strings.Contains(text, "left at once")
	if left {
		reaped(t, runs[0])
	}
	t.Logf("ended %s after the first signal, with exit code %d, clean after %s", took, cmd.ProcessState.ExitCode(), time.Since(began).Round(100*time.Millisecond))
	nothingLeft(t, dir, filepath.Base(runs[0]))
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit code %d, want %d; it printed:\n%s", code, exitInterrupted, text)
	}
	if times == 3 && left || times == 2 && took > 25*time.Second {
		if took > 25*time.Second {
			t.Errorf("it took %s", took)
		}
		return
	}
	r, err := report.Load(filepath.Join(runs[0], report.FileName))
	if err != nil {
		t.Fatalf("%v; it printed:\n%s", err, text)
	}
	if !r.Interrupted || !strings.Contains(text, "nterrupted") {
		t.Errorf("the report does not say that it was interrupted:\n%s", text)
	}
}
