package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/clusters/engine"
)

func (a *app) doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check whether clusters can run on this machine, and say what to do if not",
		Long: `Checks what clusters need of this machine: a container engine that answers,
privileged containers, cgroups, capabilities, inotify limits, disk space,
memory, and an image registry. Every problem comes with its cause and a remedy.
The exit code is 3 if clusters cannot run.`,
		Example: "  lab doctor",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return cmd
}

func (a *app) doctor(ctx context.Context, asJSON bool) error {
	r, err := engine.Examine(ctx, engine.Options{Getenv: a.get, Progress: a.say})
	if err != nil {
		return broken(err)
	}
	if asJSON {
		err = writeJSON(a.stdout, r)
	} else {
		err = engine.WriteText(a.stdout, r)
	}
	if err != nil {
		return err
	}
	if !r.OK() {
		return silent(exitBroken)
	}
	return nil
}

// say tells on standard error what is being done.
func (a *app) say(text string) {
	fmt.Fprintln(a.stderr, text)
}
