package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/validate"
)

func (a *app) planCommand() *cobra.Command {
	var f scenarioFlags
	var only choice
	var bounds plan.Bounds
	var skip bool
	cmd := &cobra.Command{
		Use: "plan SCENARIO", Short: "Print what a run would do, and how long it may take",
		Long: `Prints what ` + "`lab run`" + ` would do with the same flags, and changes nothing: the
clusters with their exact versions, where their node images come from, the
scenarios with their steps and deadlines, and how long it may take.

With --json it prints one document: version, file, clusters, runs in their
order, and estimate. Durations are nanoseconds. New fields may be added; the
version is raised when existing ones change.`,
		Example: "  lab plan job-sidecar\n  lab plan scenario.hcl --cluster v129 --json",
		Args:    oneScenario, ValidArgsFunction: completeScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.plan(cmd.Context(), args[0], f, plan.Options{Clusters: only.clusters, Scenarios: only.scenarios, SkipUnavailable: skip}, bounds)
		},
	}
	f.add(a, cmd, "print the plan as JSON")
	only.add(cmd, a.inScenario)
	addBounds(cmd, &bounds.Clusters, &bounds.Creates)
	addSkip(cmd, &skip)
	return cmd
}

func (a *app) plan(ctx context.Context, arg string, f scenarioFlags, o plan.Options, bounds plan.Bounds) error {
	m, problems, err := a.load(arg, f)
	if err != nil {
		return err
	}
	if a.tell(a.stderr, problems) {
		return silent(exitUsage)
	}
	parts, err := a.open(ctx, a)
	if err != nil {
		return broken(err)
	}
	p, problems := a.planned(func() (*plan.Plan, diag.List) {
		o.Resolve, o.Ask = parts.Resolver(ctx), parts.Asker(ctx)
		return plan.Build(m, o)
	})
	if err := parts.WhyUnavailable(); err != nil {
		return broken(err)
	}
	if a.tell(a.stderr, problems) {
		return silent(exitUsage)
	}
	if bounds.Creates <= 0 {
		bounds.Creates = parts.MaxCreates
	}
	if f.json {
		return writeJSON(a.stdout, p.Document(bounds))
	}
	if err := p.WriteText(a.stdout); err != nil {
		return err
	}
	return p.Estimate(bounds).WriteText(a.stdout)
}

// planned makes a plan, and says what takes so long where it does: the first
// time, versions are looked up in the registry and among the Go modules.
func (a *app) planned(build func() (*plan.Plan, diag.List)) (*plan.Plan, diag.List) {
	began := time.Now()
	done := make(chan struct{})
	var telling sync.WaitGroup
	telling.Go(func() {
		ticker := time.NewTicker(planningTick)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				fmt.Fprintf(a.stderr, "looking for the Kubernetes versions that are available: %s\n", time.Since(began).Round(time.Second))
			}
		}
	})
	p, problems := build()
	close(done)
	telling.Wait()
	if !problems.HasErrors() {
		validate.Needs(p)
	}
	return p, problems
}

// planningTick is how often it is said that planning goes on.
const planningTick = 2 * time.Second
