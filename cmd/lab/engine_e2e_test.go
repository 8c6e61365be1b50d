//go:build e2e

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// restartEngine allows the tests to restart the host's container engine, and so
// everything that runs on it.
const restartEngine = "LAB_TEST_RESTART_ENGINE"

// TestTheEngineIsRestarted restarts the container engine in the middle of a
// run: no verdict is wrong, and nothing is left. It runs only where the machine
// is for tests alone.
func TestTheEngineIsRestarted(t *testing.T) {
	if os.Getenv(restartEngine) == "" {
		t.Skipf("it restarts this machine's container engine: allow that with %s=1", restartEngine)
	}
	scenario, err := filepath.Abs("testdata/engine")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := asProgram(t, dir, "run", "-no-logs", "-allow-host-exec", scenario)
	cmd.Env = append(cmd.Env, "LAB_PROGRAM="+program)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	_ = cmd.Run() // what is false makes it fail
	r := theReport(t, dir)
	for _, run := range r.Runs {
		t.Log(tried(t, run))
	}
	nothingLeft(t, dir, r.ID)
}
