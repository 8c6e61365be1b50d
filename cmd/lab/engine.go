package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/clusters/engine"
	"github.com/kind-lab/lab/labs/reaper"
)

func (a *app) engineCommand() *cobra.Command {
	var yes, asJSON bool
	up := &cobra.Command{
		Use: "up", Short: "Install and start a container engine if none answers",
		Long: `Makes sure that a container engine answers that can run clusters. It installs
and starts docker if there is none, registers an OCI runtime of its own if the
host cannot grant every capability, and raises the kernel's inotify limits,
which all clusters share. It prints what it will change and asks first. It
changes nothing if everything works already.`,
		Example: "  lab engine up\n  sudo lab engine up --yes",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.engineUp(cmd.Context(), yes, asJSON) },
	}
	up.Flags().BoolVar(&yes, "yes", false, "do not ask")
	up.Flags().BoolVar(&asJSON, "json", false, "print what would be changed as JSON, and change nothing")
	return holder("engine", "Set up the container engine that clusters run in", up)
}

func (a *app) engineUp(ctx context.Context, yes, asJSON bool) error {
	// An engine is nobody's, also where a run's own step brings it up.
	if err := os.Unsetenv(reaper.Variable); err != nil {
		return broken(err)
	}
	options := engine.UpOptions{Getenv: a.get, Progress: a.say}
	p, err := engine.PlanUp(ctx, options)
	if err != nil {
		return broken(err)
	}
	if asJSON {
		return writeJSON(a.stdout, p)
	}
	if err := p.WriteText(a.stdout); err != nil {
		return err
	}
	if len(p.Changes) == 0 {
		return nil
	}
	if !yes && !a.agreed(fmt.Sprintf("Make these %d changes?", len(p.Changes))) {
		return broken(errors.New("nothing was changed; `lab engine up --yes` does not ask"))
	}
	r, err := engine.Up(ctx, options, p)
	if err != nil {
		return broken(err)
	}
	if err := engine.WriteText(a.stdout, r); err != nil {
		return err
	}
	if !r.OK() {
		return broken(errors.New("the engine answers, but cannot run clusters yet: `lab doctor` tells more"))
	}
	return nil
}
