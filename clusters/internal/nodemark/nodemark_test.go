package nodemark_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters/internal/nodemark"
)

// begun starts a shell with the mark, and waits until it has begun its work.
func begun(t *testing.T, mark nodemark.Mark, script string) *exec.Cmd {
	t.Helper()
	ready := filepath.Join(t.TempDir(), "ready")
	cmd := exec.Command("sh", "-c", script, "sh", ready)
	cmd.Env = append(os.Environ(), mark.Env())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended in most cases
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(ready); err == nil {
			return cmd
		}
	}
	t.Fatal("the command does not begin")
	return nil
}

// withoutGNU is an environment in which grep does not separate by NUL, as
// busybox's.
func withoutGNU(t *testing.T) []string {
	t.Helper()
	grep, err := exec.LookPath("grep")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	fake := "#!/bin/sh\ncase $1 in -*z*) echo 'grep: unrecognized option: z' >&2; exit 1 ;; esac\nexec " + grep + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "grep"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
}

func TestEnd(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Log("nodes have /proc: there is none here")
		return
	}
	const children = `sleep 4711 & sleep 4711 & : >"$1"; wait`
	for name, test := range map[string]struct{ script string }{
		"what a command started":      {children},
		"what does not mind SIGTERM":  {`trap '' TERM; : >"$1"; while :; do sleep 0.05; done`},
		"what began to end by itself": {`: >"$1"; sleep 0.3`},
	} {
		for how, env := range map[string][]string{"GNU grep": os.Environ(), "another grep": withoutGNU(t)} {
			t.Run(name+", "+how, func(t *testing.T) {
				mine, others := nodemark.New(), nodemark.New()
				cmd, stays := begun(t, mine, test.script), begun(t, others, children)
				args := mine.End()
				end := exec.Command(args[0], args[1:]...)
				end.Env = env
				if out, err := end.CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
				_ = cmd.Wait() // it was killed
				if left := carrying(t, mine); len(left) > 0 {
					t.Errorf("left: %v", left)
				}
				if left := carrying(t, others); len(left) != 3 {
					t.Errorf("of another command are left: %v, want 3", left)
				}
				args = others.End()
				if err := exec.Command(args[0], args[1:]...).Run(); err != nil {
					t.Error(err)
				}
				_ = stays.Wait()
			})
		}
	}
}

// carrying are the processes with a mark.
func carrying(t *testing.T, mark nodemark.Mark) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains("\x00"+string(text), "\x00"+mark.Env()+"\x00") {
			all = append(all, file)
		}
	}
	return all
}

func TestMarksDiffer(t *testing.T) {
	if a, b := nodemark.New(), nodemark.New(); a == b || !strings.HasPrefix(a.Env(), "LAB_EXEC=") {
		t.Errorf("%q and %q", a.Env(), b.Env())
	}
}
