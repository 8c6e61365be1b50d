package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/kind-lab/lab/clusters/pool"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/selection"
)

func (a *app) upCommand() *cobra.Command {
	var f scenarioFlags
	var only choice
	var parallel int
	cmd := &cobra.Command{
		Use: "up SCENARIO", Short: "Start a scenario's clusters, so that its run begins at once", SuggestFor: []string{"create"},
		Long: `Creates the clusters of a scenario, or takes idle ones that match, and leaves
them running for ` + "`lab run`" + `, which then begins within a second. ` + "`lab pause`" + ` frees
their processor time, ` + "`lab down`" + ` removes them, ` + "`lab clusters`" + ` lists them.`,
		Example: "  lab up job-sidecar\n  lab up scenario.hcl --cluster v129",
		Args:    oneScenario, ValidArgsFunction: completeScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.up(cmd.Context(), args[0], f, only.clusters, parallel)
		},
	}
	f.add(a, cmd, "print the clusters as JSON on standard output, and progress on standard error")
	only.addClusters(cmd, a.inScenario)
	addParallel(cmd, &parallel)
	return cmd
}

// readied is a cluster in the JSON form of `lab up`.
type readied struct {
	Name       string        `json:"name"`
	ID         string        `json:"id"`
	Kubernetes string        `json:"kubernetes"`
	Elapsed    time.Duration `json:"elapsed"`
}

func (a *app) up(ctx context.Context, arg string, f scenarioFlags, names selection.Names, parallel int) error {
	m, problems, err := a.load(arg, f)
	if err != nil {
		return err
	}
	if a.tell(a.stderr, problems) {
		return silent(exitUsage)
	}
	ctx, signals := a.signals(ctx)
	defer signals.stop()
	parts, err := a.openMaker(ctx)
	if err != nil {
		return broken(err)
	}
	p, problems := a.planned(func() (*plan.Plan, diag.List) {
		return plan.Build(m, plan.Options{Clusters: names, Resolve: parts.Resolver(ctx), Ask: parts.Asker(ctx)})
	})
	if a.tell(a.stderr, problems) {
		return silent(exitUsage)
	}
	if parallel <= 0 {
		parallel = parts.MaxCreates
	}
	ready := make([]readied, len(p.Clusters))
	var images sync.Mutex
	group := errgroup.Group{} // one that fails leaves the others alone
	group.SetLimit(max(1, parallel))
	for i, c := range p.Clusters {
		if !c.Capabilities.CanReuse {
			continue
		}
		group.Go(func() error {
			progress := func(text string) { a.say(c.Name + ": " + text) }
			images.Lock()
			err := parts.Images.Ensure(ctx, c.Image, progress)
			images.Unlock()
			if err != nil {
				return fmt.Errorf("%s: providing the node image %s: %w", c.Name, c.Image.Ref, err)
			}
			id, took, err := parts.Pool.Ready(ctx, c.Spec, c.Spec.Images, progress)
			if err != nil {
				return fmt.Errorf("%s: %w", c.Name, err)
			}
			progress(fmt.Sprintf("Kubernetes %s is ready as %s after %s", c.Image.Version, id, took.Round(100*time.Millisecond)))
			ready[i] = readied{c.Name, id, c.Image.Version, took}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return broken(err)
	}
	if f.json {
		return writeJSON(a.stdout, slices.DeleteFunc(ready, func(r readied) bool { return r.ID == "" }))
	}
	fmt.Fprintf(a.stdout, "Ready: lab run %s\n", arg)
	return nil
}

func (a *app) downCommand() *cobra.Command {
	cmd := a.idleCommand("down", "Remove idle clusters", "removed", (*pool.Pool).Remove)
	cmd.SuggestFor = []string{"delete", "destroy", "remove", "rm"}
	cmd.Long = `Removes the named clusters, or with --all every idle one. A CLUSTER is a name
that ` + "`lab clusters`" + ` prints, or a pattern. A cluster that a run uses stays;
` + "`lab gc`" + ` removes what a run left behind.`
	return cmd
}

func (a *app) pauseCommand() *cobra.Command {
	cmd := a.idleCommand("pause", "Pause idle clusters, so that they use no processor time", "paused", (*pool.Pool).Pause)
	cmd.Long = `Pauses the named clusters, or with --all every idle one. A paused cluster keeps
its memory and uses no processor time; a run resumes it within a second. A
CLUSTER is a name that ` + "`lab clusters`" + ` prints, or a pattern.`
	return cmd
}

func (a *app) resumeCommand() *cobra.Command {
	cmd := a.idleCommand("resume", "Resume idle clusters that are paused", "running", (*pool.Pool).Resume)
	cmd.Long = `Resumes the named clusters, or with --all every idle one, and leaves them
running for the next run. A CLUSTER is a name that ` + "`lab clusters`" + ` prints, or a
pattern.`
	return cmd
}

// idleCommand does one thing to clusters of the pool; done is what is said of each.
func (a *app) idleCommand(name, short, done string, do func(*pool.Pool, context.Context, string) (bool, error)) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: name + " CLUSTER... | --all", Short: short, ValidArgsFunction: a.completeIdle, DisableFlagsInUseLine: true,
		Example: fmt.Sprintf("  lab %s lab-pool-boflah\n  lab %[1]s --all", name),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.eachIdle(cmd, args, all, done, do) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "every idle cluster")
	return cmd
}

// eachIdle does something to the idle clusters of the pool that are named.
func (a *app) eachIdle(cmd *cobra.Command, names selection.Names, all bool, done string, do func(*pool.Pool, context.Context, string) (bool, error)) error {
	if all == (len(names) > 0) {
		return usage("name the clusters (`lab clusters` lists them), or use --all for every idle one: %s --all", cmd.CommandPath())
	}
	ctx := cmd.Context()
	parts, err := a.openMaker(ctx)
	if err != nil {
		return broken(err)
	}
	list, err := parts.Pool.List()
	if err != nil {
		return broken(err)
	}
	for _, name := range names {
		if !slices.ContainsFunc(list, func(s pool.Status) bool { return selection.Names{name}.Include(s.ID) }) {
			return usage("the pool has no cluster %s: `lab clusters` lists them", name)
		}
	}
	var errs []error
	count := 0
	for _, s := range list {
		if !names.Include(s.ID) || all && (s.Busy || s.State != pool.StateIdle) {
			continue
		}
		did, err := do(parts.Pool, ctx, s.ID)
		switch {
		case err != nil:
			errs = append(errs, err)
		case !did:
			errs = append(errs, fmt.Errorf("%s is %s", s.ID, poolState(s)))
		default:
			count++
			fmt.Fprintln(a.stdout, done, s.ID)
		}
	}
	if count == 0 && len(errs) == 0 {
		fmt.Fprintln(a.stdout, "No cluster is idle.")
	}
	if err := errors.Join(errs...); err != nil {
		return broken(err)
	}
	return nil
}

// poolState is what a cluster of the pool does, for a person.
func poolState(s pool.Status) string {
	switch {
	case s.Busy && s.State == pool.StateMaking:
		return "being made"
	case s.Busy && s.Lease != nil:
		return "in use by " + s.Lease.ID
	case s.Busy:
		return "in use"
	case s.State == pool.StateIdle && s.Awake:
		return "idle, running"
	case s.State == pool.StateIdle:
		return "idle, paused"
	case s.Lease != nil:
		return "left or kept by " + s.Lease.ID + " (lab gc)"
	}
	return "left or kept (lab gc)"
}
