package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/step/failure"
	"github.com/kind-lab/lab/labs/step/internal/fakes"
)

// nodes runs commands of this machine, as the engine's client runs those of a
// node.
type nodes struct{ state string }

func (n nodes) NodeExec(ctx context.Context, _ string, stdin io.Reader, stdout, stderr io.Writer, command ...string) error {
	cmd := osexec.CommandContext(ctx, "sh", "-c", strings.Join(command, " "))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	if err := cmd.Run(); err != nil {
		return clusters.NewCommandError(cmd, "", err)
	}
	return nil
}

func (n nodes) NodeState(context.Context, string) (string, error) {
	if n.state == "" {
		return "", errors.New("cannot connect to the engine")
	}
	return n.state, nil
}

func (n nodes) NodeAction(context.Context, string, string) error { return nil }

func TestCommandsOnNodes(t *testing.T) {
	tests := []struct {
		name, state, node, command string
		stdout                     string
		code                       int
		refused, failed            string
	}{
		{"done", "running", "n1", "echo hello", "hello\n", 0, "", ""},
		{"exit code", "running", "n1", "echo oops >&2; exit 4", "", 4, "exit code 4: oops", ""},
		{"not found by the runtime", "running", "n1", "echo 'OCI runtime exec failed: not found' >&2; exit 127", "", -1, "could not be started: OCI runtime", ""},
		{"not found, reported by docker", "running", "n1", "echo 'OCI runtime exec failed: not found'; exit 126", "OCI runtime exec failed: not found\n", -1, "could not be started: OCI runtime", ""},
		{"not found by a shell", "running", "n1", "echo 'sh: nope: not found' >&2; exit 127", "", 127, "exit code 127", ""},
		{"the engine fails", "running", "n1", "exit 125", "", -1, "", "exit status 125"},
		{"paused", "paused", "n1", "exit 1", "", -1, "node n1 does not run: it is paused", ""},
		{"the engine is away", "", "n1", "exit 1", "", -1, "", "cannot connect"},
		{"no such node", "running", "n9", "true", "", -1, `no node "n9"; its nodes are n1, n2`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &Runner{nodes: nodes{tt.state}, names: []string{"n1", "n2"}}
			out, err := r.Do(t.Context(), Request{Node: tt.node, Command: []string{tt.command}})
			switch {
			case tt.refused != "":
				fakes.WantFailure(t, err, tt.refused)
			case tt.failed != "":
				fakes.WantError(t, err, tt.failed)
				if r := (failure.Failure)(nil); errors.As(err, &r) {
					t.Errorf("%v is a refusal", err)
				}
			case err != nil:
				t.Fatal(err)
			}
			if out.Stdout != tt.stdout || codeOf(out) != tt.code {
				t.Errorf("stdout = %q, exit code %d; want %q, %d", out.Stdout, codeOf(out), tt.stdout, tt.code)
			}
		})
	}
}

func TestCommandsOnThisMachine(t *testing.T) {
	dir := t.TempDir()
	input := "in"
	out, err := (&Runner{}).Do(t.Context(), Request{Host: true, Dir: dir, Kubeconfig: "/the/kubeconfig", Stdin: &input,
		Command: []string{"sh", "-c", "pwd; echo $KUBECONFIG; cat; echo err >&2"}})
	if err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := real + "\n/the/kubeconfig\nin"; out.Stdout != want || out.Stderr != "err\n" {
		t.Errorf("stdout = %q, stderr = %q; want %q", out.Stdout, out.Stderr, want)
	}
	_, err = (&Runner{}).Do(t.Context(), Request{Host: true, Command: []string{"sh", "-c", "exit 5"}})
	fakes.WantFailure(t, err, "exit code 5")
	_, err = (&Runner{}).Do(t.Context(), Request{Host: true, Command: []string{"lab-has-no-such-program"}})
	fakes.WantFailure(t, err, "could not be started")
	_, err = (&Runner{}).Do(t.Context(), Request{Host: true, Command: []string{"sh", "-c", "kill -9 $$"}})
	fakes.WantFailure(t, err, "ended by a signal")
}

func TestATimeoutEndsTheWholeGroup(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := (&Runner{}).Do(ctx, Request{Host: true, Dir: dir,
		Command: []string{"sh", "-c", "trap '' TERM; sh -c 'trap \"\" TERM; echo $$ >child; while :; do sleep 0.05; done' & wait; sleep 60"}})
	fakes.WantFailure(t, err, "did not end within")
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("ended only after %s", took)
	}
	text, err := os.ReadFile(filepath.Join(dir, "child"))
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(5 * time.Second)
	for alive(strings.TrimSpace(string(text))) {
		if time.Now().After(deadline) {
			t.Fatalf("process %s is still there", text)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// alive says whether a process runs; one that waits to be reaped does not.
func alive(pid string) bool {
	out, err := osexec.Command("ps", "-o", "stat=", "-p", pid).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(out)), "Z")
}

func TestOutputThatIsNoText(t *testing.T) {
	o := &output{}
	if _, err := fmt.Fprint(o, "a\xff\xfe", "b"); err != nil {
		t.Fatal(err)
	}
	if got := o.String(); got != "a\uFFFDb" {
		t.Errorf("kept %q", got)
	}
}
