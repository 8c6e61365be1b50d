package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/labs/reaper"
	"github.com/kind-lab/lab/labs/wiring"
)

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
	log := slog.New(slog.NewTextHandler(a.stderr, nil))
	run := reaper.Invocation{Dir: dir, ID: filepath.Base(dir), Keep: keep}
	err := wiring.Reap(a.stdin, run, log, func(ctx context.Context) (*wiring.Parts, error) { return a.open(ctx, a) })
	if err != nil {
		log.Error("the clean-up failed; try: lab gc "+run.ID, "error", err)
		return silent(exitBroken)
	}
	return nil
}

// guard is the reaper of a run, seen from the run.
type guard struct{ *reaper.Guard }

// startReaper starts the process that cleans up should this one be gone. All
// that is started from now on is known as the run's.
func startReaper(dir string, keep bool) (wiring.Guard, error) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("starting the reaper: %w", err)
	}
	g, err := reaper.Start(dir, []string{"reap", fmt.Sprintf("--keep=%t", keep), whole}, nil)
	if err != nil {
		return nil, err
	}
	return guard{g}, os.Setenv(reaper.Variable, filepath.Base(dir))
}

// Release tells the reaper that there is nothing left to do for it.
func (g guard) Release() error {
	return errors.Join(g.Guard.Release(), os.Unsetenv(reaper.Variable))
}
