package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/labs/reaper"
)

// reaperLog is the file in the run's folder in which its reaper says what it
// did.
const reaperLog = "reaper.log"

// reaping bounds how long a reaper tries.
const reaping = 5 * time.Minute

// reapCommand is the reaper's own process. It is for lab itself, and hidden.
func (a *app) reapCommand() *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use: "reap FOLDER", Hidden: true, Args: cobra.ExactArgs(1), Short: "Clean up after a run once it is gone (lab calls this itself)",
		RunE: func(_ *cobra.Command, args []string) error { return a.reap(args[0], keep) },
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "leave the clusters that are ready")
	return cmd
}

func (a *app) reap(dir string, keep bool) error {
	// Whatever ends the run must not end this.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if reaper.Released(a.stdin) {
		return nil
	}
	log := slog.New(slog.NewTextHandler(a.stderr, nil))
	ctx, cancel := context.WithTimeout(context.Background(), reaping)
	defer cancel()
	log.Info("the run is gone and has not cleaned up")
	world, err := a.open(ctx, a)
	if err != nil {
		log.Error("the container engine cannot be reached", "error", err)
		return silent(exitBroken)
	}
	if err := reaper.Reap(ctx, reaper.Run{Dir: dir, ID: filepath.Base(dir), Keep: keep}, world.destroyer, log); err != nil {
		log.Error("something is left; remove it with: lab gc "+filepath.Base(dir), "error", err)
		return silent(exitBroken)
	}
	log.Info("nothing is left")
	return nil
}

// destroyer destroys a provider's clusters.
func (b *backend) destroyer(provider string) (reaper.Destroyer, error) {
	if p := b.provisioners[provider]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("there is no provider %q of clusters", provider)
}

// guard is the reaper of a run, seen from the run.
type guard struct {
	pipe    *os.File
	process *exec.Cmd
}

// startReaper starts the process that cleans up should this one be gone. All
// that is started from now on is known as the run's.
func startReaper(dir string, keep bool) (*guard, error) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("starting the reaper: %w", err)
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("starting the reaper: %w", err)
	}
	log, err := os.OpenFile(filepath.Join(dir, reaperLog), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("starting the reaper: %w", err)
	}
	defer log.Close()
	held, pipe, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("starting the reaper: %w", err)
	}
	defer held.Close()
	cmd := exec.Command(program, "reap", fmt.Sprintf("-keep=%t", keep), whole)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = held, log, log
	leave(cmd)
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("starting the reaper: %w", err), pipe.Close())
	}
	return &guard{pipe: pipe, process: cmd}, os.Setenv(reaper.Variable, filepath.Base(dir))
}

// release tells the reaper that there is nothing left to do for it.
func (g *guard) release() error {
	if g == nil {
		return nil
	}
	_, err := g.pipe.WriteString(reaper.Word)
	err = errors.Join(err, g.pipe.Close(), g.process.Wait(), os.Unsetenv(reaper.Variable))
	if err != nil {
		return fmt.Errorf("ending the reaper: %w", err)
	}
	return nil
}
