//go:build e2e

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestADiskThatFillsUp runs a scenario whose logs do not fit onto the disk of
// the run's folder: the verdicts are right all the same, the failure is reported
// once with what to do, and the report is there.
func TestADiskThatFillsUp(t *testing.T) {
	t.Parallel()
	scenario, err := filepath.Abs("testdata/fulldisk")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	runs := filepath.Join(dir, ".lab")
	if err := os.Mkdir(runs, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", runs, "tmpfs", 0, "size=50m"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(runs, 0); err != nil {
			t.Error(err)
		}
	})
	cmd := asProgram(t, dir, "run", "--no-logs", scenario)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	t.Logf("%v; it printed:\n%s", err, &out)
	if code := cmd.ProcessState.ExitCode(); code != exitBroken {
		t.Errorf("exit code %d, want %d", code, exitBroken)
	}
	if n := strings.Count(out.String(), "no space left on device"); n == 0 || n > 10 {
		t.Errorf("that there is no space is printed %d times", n)
	}
	r := theReport(t, dir)
	for _, run := range r.Runs {
		t.Log(tried(t, run))
	}
	nothingLeft(t, dir, r.ID)
}
