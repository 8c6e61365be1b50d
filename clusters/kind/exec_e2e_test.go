//go:build e2e

package kind

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
)

// shellNode is a container of a node image in which nothing is booted.
func shellNode(t *testing.T) (*Provisioner, string) {
	t.Helper()
	p := New(clusters.Engine{Name: "docker"}, clusters.Host{}, Options{})
	id := fmt.Sprintf("lab-exec-%d", time.Now().UnixNano()%1e9)
	name := id + "-control-plane"
	if _, err := p.output(t.Context(), "run", "--detach", "--privileged", "--name", name, "--label", clusterLabel+"="+id,
		"--entrypoint", "sleep", "kindest/node:v1.28.15", "600"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Destroy(context.WithoutCancel(t.Context()), id); err != nil {
			t.Error(err)
		}
	})
	return p, name
}

func TestNodeExecInARealNode(t *testing.T) {
	p, node := shellNode(t)
	t.Run("output, input and exit code", func(t *testing.T) {
		var out, errs bytes.Buffer
		err := p.NodeExec(t.Context(), node, strings.NewReader("hello\n"), &out, &errs, "sh", "-c", "cat; echo oops >&2; exit 7")
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 7 || out.String() != "hello\n" || errs.String() != "oops\n" || !strings.Contains(err.Error(), "oops") {
			t.Errorf("err %v, out %q, errs %q", err, &out, &errs)
		}
	})
	for _, tt := range []struct {
		name, script string
		stdin        bool
	}{
		{name: "plain", script: "sleep 4711"},
		{name: "with input", script: "sleep 4711", stdin: true},
		{name: "ignores SIGTERM", script: "trap '' TERM; while :; do sleep 4711; done"},
		{name: "child in a session of its own", script: "setsid sleep 4711 & wait"},
	} {
		t.Run(tt.name+" ends with its context", func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			var stdin *blocked
			began := time.Now()
			var err error
			if tt.stdin {
				stdin = &blocked{ctx.Done()}
				err = p.NodeExec(ctx, node, stdin, nil, nil, "sh", "-c", tt.script)
			} else {
				err = p.NodeExec(ctx, node, nil, nil, nil, "sh", "-c", tt.script)
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error is %v", err)
			}
			t.Logf("ended %v after its context", time.Since(began)-time.Second)
			runsNowhere(t, p, node)
		})
	}
	t.Run("a command that is killed at once", func(t *testing.T) {
		for i := range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i*10)*time.Millisecond)
			err := p.NodeExec(ctx, node, nil, nil, nil, "sleep", "4711")
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error is %v", err)
			}
		}
		runsNowhere(t, p, node)
	})
}

// runsNowhere looks for the command among the command lines of all processes of a
// node. The search itself names no number.
func runsNowhere(t *testing.T, p *Provisioner, node string) {
	t.Helper()
	var out bytes.Buffer
	if err := p.NodeExec(t.Context(), node, nil, &out, nil, "sh", "-c", `cat /proc/[0-9]*/cmdline | tr '\0' ' '`); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "4711") {
		t.Errorf("it still runs in the node: %s", &out)
	}
}

// TestANodeIsPausedWhileCommandsStart pauses it at all moments of a command's
// start. An engine that freezes a command that is just starting answers nothing
// about the node any more.
func TestANodeIsPausedWhileCommandsStart(t *testing.T) {
	p, node := shellNode(t)
	for i := range 12 {
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				_ = p.NodeExec(ctx, node, nil, io.Discard, nil, "sh", "-c", "echo up; sleep 60") // it ends with ctx
			})
		}
		time.Sleep(time.Duration(i*10) * time.Millisecond)
		if err := p.NodeAction(ctx, node, "pause"); err != nil {
			t.Fatalf("after %d ms: %v", i*10, err)
		}
		asking, done := context.WithTimeout(ctx, 10*time.Second)
		state, err := p.NodeState(asking, node)
		done()
		if err != nil || state != "paused" {
			t.Fatalf("after %d ms the node is %q, %v", i*10, state, err)
		}
		if err := p.NodeAction(ctx, node, "unpause"); err != nil {
			t.Fatal(err)
		}
		cancel()
		group.Wait()
	}
}

// blocked is an input that nothing comes from until the end.
type blocked struct{ end <-chan struct{} }

func (b *blocked) Read([]byte) (int, error) {
	<-b.end
	return 0, errors.New("over")
}
