//go:build e2e && restart

package main

import (
	"os"
	"path/filepath"
	"testing"
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
