//go:build e2e && restart

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTheEngineIsRestarted restarts the container engine in the middle of a
// run: no verdict is wrong, and nothing is left. It is built only where the
// machine is for tests alone: see the Makefile.
func TestTheEngineIsRestarted(t *testing.T) {
	scenario, err := filepath.Abs("testdata/engine")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := asProgram(t, dir, "run", "--no-logs", "--allow-host-exec", scenario)
	pid := filepath.Join(dir, "restart.pid")
	cmd.Env = append(cmd.Env, "LAB_PROGRAM="+program, "RESTART_PID="+pid)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	_ = cmd.Run() // what is false makes it fail
	r := theReport(t, dir)
	for _, run := range r.Runs {
		t.Log(tried(t, run))
	}
	restarted(t, pid, r.ID)
	nothingLeft(t, dir, r.ID)
}

// restarted waits for the end of the process that the scenario leaves in the
// background to bring the engine up. It has the run's environment, and the run
// does not wait for it: what it still does after the engine answers again, such
// as starting its probes, can outlast the run.
func restarted(t *testing.T, file, run string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("the engine was not restarted: %v", err)
	}
	environ := filepath.Join("/proc", strings.TrimSpace(string(text)), "environ")
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		// One that has ended and is not reaped yet has no environment.
		if text, err := os.ReadFile(environ); err != nil || !bytes.Contains(text, []byte("LAB_RUN="+run)) {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the engine was not brought up in 2 minutes after the run")
		}
	}
}
