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

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/pool"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/world"
)

func (a *app) upCommand() *cobra.Command {
	var f scenarioFlags
	var names []string
	var parallel int
	cmd := &cobra.Command{
		Use: "up SCENARIO", Short: "Make a scenario's clusters ready, so that its run begins at once",
		Long: `Up makes the clusters that the scenario names, or takes those that are there
already, and leaves them running for ` + "`lab run`" + `, which then begins within a second.
` + "`lab pause`" + ` gives their processor time back, ` + "`lab down`" + ` removes them, ` + "`lab ls`" + ` lists them.`,
		Example: `  lab up job-sidecar
  lab up -cluster v129 scenario.hcl`,
		Args: oneScenario, ValidArgsFunction: completeScenario,
		RunE: func(cmd *cobra.Command, args []string) error { return a.up(cmd.Context(), args[0], f, names, parallel) },
	}
	f.add(cmd, "print the clusters as JSON; progress goes to standard error")
	cmd.Flags().StringSliceVar(&names, "cluster", nil, "only these clusters of the scenario file (repeatable, or with commas)")
	cmd.Flags().IntVar(&parallel, "parallel", 0, "how many clusters may boot at once (default: what the machine bears)")
	return cmd
}

// readied is a cluster in the JSON form of `lab up`.
type readied struct {
	Name       string        `json:"name"`
	ID         string        `json:"id"`
	Kubernetes string        `json:"kubernetes"`
	Elapsed    time.Duration `json:"elapsed"`
}

func (a *app) up(ctx context.Context, arg string, f scenarioFlags, names []string, parallel int) error {
	m, problems, err := a.load(arg, f)
	if err != nil {
		return err
	}
	if a.tell(a.stderr, problems) {
		return silent(exitUsage)
	}
	ctx, signals := a.signals(ctx)
	defer signals.stop()
	world, err := a.openMaker(ctx)
	if err != nil {
		return broken(err)
	}
	p, problems := a.planned(func() (*plan.Plan, diag.List) {
		return plan.Build(m, plan.Options{Clusters: names, Resolve: world.Resolver(ctx), Ask: world.Asker(ctx)})
	})
	if a.tell(a.stderr, problems) {
		return silent(exitUsage)
	}
	if parallel <= 0 {
		parallel = world.MaxCreates
	}
	ready := make([]readied, len(p.Clusters))
	var images sync.Mutex
	group := errgroup.Group{} // one that fails leaves the others alone
	group.SetLimit(max(1, parallel))
	for i, c := range p.Clusters {
		if c.Spec.By() != clusters.ProviderKind {
			continue
		}
		group.Go(func() error {
			progress := func(text string) { a.say(c.Name + ": " + text) }
			images.Lock()
			err := world.Images.Ensure(ctx, c.Image, progress)
			images.Unlock()
			if err != nil {
				return fmt.Errorf("%s: providing the node image %s: %w", c.Name, c.Image.Ref, err)
			}
			id, took, err := world.Pool.Ready(ctx, c.Spec, c.Spec.Images, progress)
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
	cmd := a.idleCommand("down", "Remove clusters that wait for the next run", "removed", (*pool.Pool).Remove)
	cmd.Long = "Down removes the named clusters of the pool, or with -all every one that waits.\nWhat a run uses stays; what a run left behind is for `lab gc`."
	return cmd
}

func (a *app) pauseCommand() *cobra.Command {
	return a.idleCommand("pause", "Pause clusters that wait, so that they cost no processor time", "paused", (*pool.Pool).Pause)
}

func (a *app) resumeCommand() *cobra.Command {
	return a.idleCommand("resume", "Let clusters that wait do so running", "running", (*pool.Pool).Resume)
}

// idleCommand does one thing to clusters of the pool; done is what is said of each.
func (a *app) idleCommand(name, short, done string, do func(*pool.Pool, context.Context, string) (bool, error)) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: name + " [CLUSTER]...", Short: short, ValidArgsFunction: a.completeIdle,
		RunE: func(cmd *cobra.Command, args []string) error { return a.eachIdle(cmd.Context(), args, all, done, do) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "every cluster that waits")
	return cmd
}

// eachIdle does something to the clusters of the pool that are named and wait.
func (a *app) eachIdle(ctx context.Context, names []string, all bool, done string, do func(*pool.Pool, context.Context, string) (bool, error)) error {
	if all == (len(names) > 0) {
		return usage("name the clusters (`lab ls` lists them), or say -all")
	}
	world, err := a.openMaker(ctx)
	if err != nil {
		return broken(err)
	}
	list, err := world.Pool.List()
	if err != nil {
		return broken(err)
	}
	for _, name := range names {
		if !slices.ContainsFunc(list, func(s pool.Status) bool { return s.ID == name }) {
			return usage("the pool has no cluster %s: `lab ls` lists them", name)
		}
	}
	var errs []error
	count := 0
	for _, s := range list {
		if !all && !slices.Contains(names, s.ID) || all && (s.Busy || s.State != pool.StateIdle) {
			continue
		}
		did, err := do(world.Pool, ctx, s.ID)
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
		fmt.Fprintln(a.stdout, "No cluster waits.")
	}
	if err := errors.Join(errs...); err != nil {
		return broken(err)
	}
	return nil
}

func (a *app) completeIdle(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	list, err := pool.New(nil, pool.Options{Dir: world.PoolDir(a.get)}).List()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for _, s := range list {
		ids = append(ids, s.ID+"\t"+s.Spec.Version+", "+poolState(s))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
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
		return "waits, running"
	case s.State == pool.StateIdle:
		return "waits, paused"
	case s.Lease != nil:
		return "left or kept by " + s.Lease.ID + " (lab gc)"
	}
	return "left or kept (lab gc)"
}
