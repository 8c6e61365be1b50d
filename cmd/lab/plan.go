package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/labs/plan"
)

func (a *app) planCommand() *cobra.Command {
	var f scenarioFlags
	var clusters, scenarios []string
	cmd := &cobra.Command{
		Use: "plan SCENARIO", Short: "Say what a run would do: clusters, images, steps, deadlines",
		Args: oneScenario, ValidArgsFunction: completeScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.plan(cmd.Context(), args[0], f, clusters, scenarios)
		},
	}
	f.add(cmd, "print the plan as JSON")
	addChoice(cmd, &clusters, &scenarios)
	return cmd
}

func (a *app) plan(ctx context.Context, arg string, f scenarioFlags, clusters, scenarios []string) error {
	m, problems, err := a.load(arg, f)
	if err != nil {
		return err
	}
	if a.tell(a.stderr, problems) {
		return silent(exitUsage)
	}
	world, err := a.open(ctx, a)
	if err != nil {
		return broken(err)
	}
	p, problems := plan.Build(m, plan.Options{Clusters: clusters, Scenarios: scenarios, Resolve: world.resolver(ctx)})
	if a.tell(a.stderr, problems) {
		return silent(exitUsage)
	}
	if f.json {
		return writeJSON(a.stdout, p)
	}
	return p.WriteText(a.stdout)
}
