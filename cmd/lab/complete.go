package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/clusters/gates"
	"github.com/kind-lab/lab/clusters/pool"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/catalog"
	"github.com/kind-lab/lab/labs/selection"
	"github.com/kind-lab/lab/labs/validate"
	"github.com/kind-lab/lab/labs/wiring"
)

// Completion runs while somebody types: it reads files of this machine alone,
// is bounded in time, and offers nothing if something is wrong.

// choosable returns the clusters and scenarios that a command could use, given
// its arguments.
type choosable func(cmd *cobra.Command, args []string) (clusters, scenarios []string)

// completeFlag offers values for a flag. The flag must be there already.
func completeFlag(cmd *cobra.Command, name string, complete cobra.CompletionFunc) {
	// It fails only if there is no such flag.
	_ = cmd.RegisterFlagCompletionFunc(name, complete)
}

// nextOf are the names that can follow what was typed of a comma-separated list.
func nextOf(typed string, names []string) []string {
	before := ""
	if i := strings.LastIndex(typed, ","); i >= 0 {
		before = typed[:i+1]
	}
	there := selection.Split(before)
	var offered []string
	for _, name := range names {
		if bare, _, _ := strings.Cut(name, "\t"); !slices.Contains(there, bare) {
			offered = append(offered, before+name)
		}
	}
	return offered
}

// completeScenario offers files, folders and the catalog's labs.
func completeScenario(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names, err := catalog.Names()
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return names, cobra.ShellCompDirectiveDefault
}

// completeRun offers the runs that were recorded, the newest first, and files.
func completeRun(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return append([]string{lastRun}, runNames()...), cobra.ShellCompDirectiveKeepOrder
}

// completeRunAndScenario offers runs and scenarios, and after a run scenarios.
func completeRunAndScenario(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	labs, directive := completeScenario(cmd, nil, typed)
	switch {
	case len(args) == 0:
		runs, _ := completeRun(cmd, nil, typed)
		return append(runs, labs...), cobra.ShellCompDirectiveKeepOrder
	case len(args) == 1 && isRun(args[0]):
		return labs, directive
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeLabs offers the catalog's labs, each once.
func completeLabs(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	names, err := catalog.Names()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return without(names, args), cobra.ShellCompDirectiveNoFileComp
}

// completeIdle offers the clusters of the pool.
func (a *app) completeIdle(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	list, err := pool.New(nil, pool.Options{Dir: wiring.PoolDir(a.get)}).List()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for _, s := range list {
		ids = append(ids, cobra.CompletionWithDesc(s.ID, s.Spec.Version+", "+poolState(s)))
	}
	return without(ids, args), cobra.ShellCompDirectiveNoFileComp
}

// without are the names, which may have descriptions, that are not among args.
func without(names, args []string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		bare, _, _ := strings.Cut(name, "\t")
		return slices.Contains(args, bare)
	})
}

// completeVersions offers the minor versions whose feature gates lab knows, and
// after a + or - the gates of the version.
func completeVersions(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	table := gates.Load()
	var minors, offered []string
	for _, minor := range table.Minors() {
		minors = append(minors, fmt.Sprintf("1.%d", minor))
	}
	last := typed[strings.LastIndex(typed, ",")+1:]
	sign := strings.LastIndexAny(last, "+-")
	if sign < 0 {
		return nextOf(typed, minors), cobra.ShellCompDirectiveNoFileComp
	}
	before := typed[:len(typed)-len(last)+sign+1]
	for _, minor := range table.Minors() {
		if version := fmt.Sprintf("1.%d", minor); strings.HasPrefix(last, version+"+") || strings.HasPrefix(last, version+"-") {
			for _, gate := range table.Names(minor) {
				offered = append(offered, before+gate)
			}
		}
	}
	return offered, cobra.ShellCompDirectiveNoFileComp
}

// inScenario are the clusters and scenarios of the scenario that the first
// argument names, or of this folder's.
func (a *app) inScenario(_ *cobra.Command, args []string) (clusters, scenarios []string) {
	m := a.peek(args)
	if m == nil {
		return nil, nil
	}
	for _, c := range m.Clusters {
		clusters = append(clusters, cobra.CompletionWithDesc(selection.Unquoted(c.Name), c.Kubernetes))
	}
	for _, s := range m.Scenarios {
		scenarios = append(scenarios, cobra.CompletionWithDesc(selection.Unquoted(s.Title()), s.Description))
	}
	return clusters, scenarios
}

// peek reads a scenario as far as it can be read; nil if there is none.
func (a *app) peek(args []string) *dsl.Module {
	name := "."
	if len(args) > 0 {
		name = args[0]
	} else if _, err := os.Stat("scenario.hcl"); err != nil {
		return nil
	}
	m, _, err := validate.Load(name, dsl.Options{Env: a.env, NoValues: true})
	if err != nil {
		return nil
	}
	return m
}

// completeVariable offers the variables of a scenario, for --var.
func (a *app) completeVariable(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	m := a.peek(args)
	if m == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, v := range m.Variables {
		names = append(names, cobra.CompletionWithDesc(v.Name+"=", v.Description))
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
