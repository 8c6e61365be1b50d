//go:build e2e

package kind

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
)

// interruptee names the cluster that the process below makes, and its
// kubeconfig.
const interruptee = "LAB_E2E_INTERRUPTEE"

// lastStep may be over as soon as it is reported, so that it waits for its
// interrupt.
const lastStep = "Waiting for readiness"

// A Ctrl-C at the terminal goes to lab and to all that it has started, the
// library's clients among them, and twice if somebody is impatient.
func TestInterruptOfTheWholeGroup(t *testing.T) {
	if asked := os.Getenv(interruptee); asked != "" {
		beInterrupted(t, asked)
		return
	}
	for _, step := range []string{"Preparing nodes", "Starting control-plane", lastStep} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			p, id, kubeconfig := realCluster(t)
			before := volumes(t, p)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(self, "-test.run=^TestInterruptOfTheWholeGroup$", "-test.v")
			cmd.Env = append(os.Environ(), interruptee+"="+id+" "+kubeconfig)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			scanner := bufio.NewScanner(out)
			for scanner.Scan() {
				t.Log(scanner.Text())
				if strings.HasSuffix(scanner.Text(), "progress "+step) {
					if err := errors.Join(clusters.Pause(t.Context(), time.Second), syscall.Kill(-cmd.Process.Pid, syscall.SIGINT),
						clusters.Pause(t.Context(), time.Second), syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)); err != nil {
						t.Error(err)
					}
				}
			}
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			gone(t, p, id, kubeconfig, before)
		})
	}
}

func beInterrupted(t *testing.T, asked string) {
	// As lab does: the first signal ends the work, later ones do not kill it.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt)
	go func() {
		<-signals
		cancel()
	}()
	id, kubeconfig, _ := strings.Cut(asked, " ")
	p := New(clusters.Engine{Name: "docker"}, realHost(t), Options{})
	_, err := p.Create(ctx, realSpec("1.28.15"), id, kubeconfig, func(line string) {
		fmt.Println("progress " + line)
		if line == lastStep {
			<-ctx.Done()
		}
	})
	fmt.Println("ended:", err)
	if err == nil || errors.Is(err, ErrLeft) {
		t.Errorf("error is %v", err)
	}
}
