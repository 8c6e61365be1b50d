package exec

import (
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"time"

	"github.com/kind-lab/lab/labs/step/failure"
)

// ending is how long a command on this machine, asked to end, may take to.
const ending = 2 * time.Second

// onHost runs the call on this machine, in a process group of its own: a Ctrl-C
// at the terminal does not reach it, the context's end reaches all of it.
func (c *call) onHost(ctx context.Context) error {
	kubeconfig, err := filepath.Abs(c.Kubeconfig)
	if err != nil {
		return fmt.Errorf("finding the kubeconfig: %w", err)
	}
	cmd := osexec.CommandContext(ctx, c.Command[0], c.Command[1:]...)
	cmd.Dir, cmd.Env = c.Dir, append(os.Environ(), "KUBECONFIG="+kubeconfig)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.stdin, c.stdout, c.stderr
	cmd.WaitDelay = ending
	end := ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return failure.New("the command could not be started: %v", err)
	}
	err = cmd.Wait()
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), end())
	}
	var exit *osexec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return ended(exit.ExitCode())
	case errors.As(err, &exit):
		return failure.New("the command was ended by a signal: %v", exit)
	case errors.Is(err, osexec.ErrWaitDelay):
		return failure.New("the command ended, and left processes behind that held on to its output for %s", ending)
	}
	return fmt.Errorf("running a command on this machine: %w", err)
}
