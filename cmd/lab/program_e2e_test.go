//go:build e2e

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// runHere runs a scenario of testdata in a folder of its own, which becomes the
// working directory, and holds it to an exit code.
func runHere(t *testing.T, scenario string, want int, flags ...string) report.Report {
	t.Helper()
	from, err := filepath.Abs(filepath.Join("testdata", scenario))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	a := &app{stdin: strings.NewReader(""), stdout: os.Stderr, stderr: os.Stderr, env: os.LookupEnv, open: openWorld}
	if code := a.main(t.Context(), append(append([]string{"run", "-no-logs"}, flags...), from)); code != want {
		t.Errorf("exit code %d, want %d", code, want)
	}
	return theReport(t, ".")
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
