package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fakeMake notes its targets and fails at the target FAIL, or hangs at HANG
// until it is ended.
const fakeMake = `#!/bin/sh
echo "make $*" >>made.txt
echo "output of make $*"
case " $* " in
*" $FAIL "*) exit 2 ;;
*" $HANG "*) echo hanging >>made.txt; exec sleep 3600 ;;
esac
`

// ci runs .ci/run with a fake make, and with minutes of a second, and returns
// what it printed, which targets were made, and its exit code.
func ci(t *testing.T, interrupt bool, env ...string) (printed, made string, code int) {
	t.Helper()
	dir := t.TempDir()
	script, err := os.ReadFile(filepath.Join("..", "..", "..", "..", ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{".ci/run": string(script), "programs/make": fakeMake} {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err = errors.Join(err, os.WriteFile(path, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	// A shell reads it. To execute a file that was just written fails while a process
	// that another test has forked still has it open.
	cmd := exec.Command("bash", filepath.Join(dir, ".ci", "run"))
	cmd.Env = append(append(os.Environ(), "CI_MINUTE=1", "PATH="+filepath.Join(dir, "programs")+":"+os.Getenv("PATH")), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 20 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	notes := filepath.Join(dir, "made.txt")
	if interrupt {
		for text := []byte(nil); !bytes.Contains(text, []byte("hanging")); time.Sleep(20 * time.Millisecond) {
			text, _ = os.ReadFile(notes) // it is not there at first
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v:\n%s", err, &out)
	}
	text, err := os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), string(text), cmd.ProcessState.ExitCode()
}

func TestCI(t *testing.T) {
	for _, tt := range []struct {
		name, env string
		interrupt bool
		code      int
		want      []string // what is printed
		made      []string // what is made
		not       []string // what is not
	}{
		{name: "all is well", want: []string{"== check (after ", "output of make test-images browser", "== the ten slowest tests", "unit tests ", "restart of the engine ", "in all "},
			made: []string{"engine", "test-images browser", "check", "unit", "e2e TEST_POOL=", "race", "test-labs TEST_POOL=", "e2e-restart"}},
		{name: "tests fail", env: "FAIL=unit", code: 1, want: []string{"CI FAILED: unit tests: failed, exit code 2"}, made: []string{"check"}, not: []string{"race", "e2e", "test-labs"}},
		{name: "labs fail", env: "FAIL=test-labs", code: 1, want: []string{"CI FAILED: labs: failed, exit code 2"}, made: []string{"e2e"}, not: []string{"e2e-restart"}},
		{name: "no node images", env: "FAIL=test-images", code: 1, want: []string{"CI FAILED: node images (the rest of it): failed"}, made: []string{"unit"}, not: []string{"e2e"}},
		{name: "a phase runs over", env: "HANG=e2e-restart", code: 1, want: []string{"CI FAILED: restart of the engine: RAN OVER its "}},
		{name: "the race detector runs over", env: "HANG=race", want: []string{"race detector ", "RAN OVER its "}, made: []string{"test-labs", "e2e-restart"}},
		{name: "a test fails with the race detector", env: "FAIL=race", want: []string{"race detector ", "failed, exit code 2"}, made: []string{"test-labs", "e2e-restart"}},
		{name: "an interrupt", env: "HANG=check", interrupt: true, code: 130, want: []string{"CI FAILED: interrupted", "in all "}, not: []string{"unit"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			printed, made, code := ci(t, tt.interrupt, tt.env)
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			for _, want := range tt.want {
				if !strings.Contains(printed, want) {
					t.Errorf("%q is not printed", want)
				}
			}
			for _, target := range tt.made {
				if !strings.Contains(made, "make "+target) {
					t.Errorf("%q is not made", target)
				}
			}
			for _, target := range tt.not {
				if strings.Contains(made, "make "+target) {
					t.Errorf("%q is made", target)
				}
			}
			if t.Failed() {
				t.Logf("printed:\n%s\nmade:\n%s", printed, made)
			}
		})
	}
}
