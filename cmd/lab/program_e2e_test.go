//go:build e2e

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/kind-lab/lab/labs/report"
)

// asProgram is this test's binary as the program, in a folder.
func asProgram(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), asProgramVariable+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// labIn runs lab as a program in a folder and returns what it printed and its
// exit code. What it printed is in the output of the tests as well.
func labIn(t *testing.T, dir string, args ...string) (stdout string, code int) {
	t.Helper()
	var out bytes.Buffer
	cmd := asProgram(t, dir, args...)
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, os.Stderr), os.Stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// inTestdata is the path of a scenario of testdata.
func inTestdata(t *testing.T, scenario string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", scenario))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// runScenario runs a scenario of testdata in a folder of its own and holds it to
// an exit code.
func runScenario(t *testing.T, scenario string, want int, flags ...string) report.Report {
	t.Helper()
	dir := t.TempDir()
	args := append(append([]string{"run", "--no-logs"}, flags...), inTestdata(t, scenario))
	if _, code := labIn(t, dir, args...); code != want {
		t.Errorf("exit code %d, want %d", code, want)
	}
	return theReport(t, dir)
}

// theReport is that of the only run below a folder.
func theReport(t *testing.T, dir string) report.Report {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, ".lab", "runs", "*", report.FileName))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v; want one", report.FileName, found, err)
	}
	r, err := report.Load(found[0])
	if err != nil {
		t.Fatal(err)
	}
	r.Folder = filepath.Dir(found[0])
	return r
}

// everyPoint says whether runs are broken off at every point that is known, as
// LAB_TEST_EVERY_POINT asks for, or at a choice of them.
func everyPoint() bool { return os.Getenv("LAB_TEST_EVERY_POINT") != "" }
