package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/pool"
	"github.com/kind-lab/lab/labs/wiring"
)

// clusterLine is a cluster in the JSON form of `lab clusters`.
type clusterLine struct {
	ID           string          `json:"id"`
	Kubernetes   string          `json:"kubernetes,omitempty"`
	FeatureGates map[string]bool `json:"feature_gates,omitempty"`
	Nodes        []string        `json:"nodes"`
	State        string          `json:"state"`
	// Pooled says that it is one of the pool's.
	Pooled     bool      `json:"pooled"`
	Memory     int64     `json:"memory,omitempty"`
	Created    time.Time `json:"created,omitzero"`
	Used       time.Time `json:"used,omitzero"`
	Kubeconfig string    `json:"kubeconfig,omitempty"`
}

func (a *app) clustersCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "clusters", Aliases: []string{"ls"}, Short: "List the clusters of lab on this machine", Args: noArguments, SuggestFor: []string{"ps", "get"},
		Long: `Lists the clusters of lab on this machine: those that are idle and wait for the
next run, those in use, and those that a run left behind or kept.`,
		Example: "  lab clusters",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.listClusters(cmd.Context(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	return cmd
}

func (a *app) listClusters(ctx context.Context, asJSON bool) error {
	parts, err := a.openMaker(ctx)
	if err != nil {
		return broken(err)
	}
	lines, err := a.clusterLines(ctx, parts)
	if err != nil {
		return broken(err)
	}
	if asJSON {
		return writeJSON(a.stdout, lines)
	}
	if len(lines) == 0 {
		fmt.Fprintln(a.stdout, "No cluster of lab is here; `lab up SCENARIO` makes some.")
		return nil
	}
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CLUSTER\tKUBERNETES\tFEATURE GATES\tNODES\tMEMORY\tLAST USED\tSTATE")
	for _, l := range lines {
		memory, used := "-", "-"
		if l.Memory > 0 {
			memory = fmt.Sprintf("%d MiB", l.Memory>>20)
		}
		if !l.Used.IsZero() {
			used = time.Since(l.Used).Round(time.Second).String() + " ago"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\t%s\t%s\n", l.ID, orDash(l.Kubernetes), orDash(clusters.FeatureGates(l.FeatureGates).String()), len(l.Nodes), memory, used, l.State)
	}
	return table.Flush()
}

// clusterLines are the pool's clusters and then those beside it.
func (a *app) clusterLines(ctx context.Context, parts *wiring.Parts) ([]clusterLine, error) {
	list, err := parts.Pool.List()
	if err != nil {
		return nil, err
	}
	all, err := parts.Orphans(ctx)
	if err != nil {
		return nil, err
	}
	alive, err := a.alive()
	if err != nil {
		return nil, err
	}
	lines := []clusterLine{}
	for _, s := range list {
		line := clusterLine{ID: s.ID, Kubernetes: s.Spec.Version, FeatureGates: s.Spec.FeatureGates, State: poolState(s), Pooled: true,
			Memory: s.Memory, Created: s.Created, Used: s.Used, Kubeconfig: s.Kubeconfig, Nodes: []string{}}
		for _, n := range s.Handle.Nodes {
			line.Nodes = append(line.Nodes, n.Name)
		}
		lines = append(lines, line)
	}
	for _, c := range all {
		if slices.ContainsFunc(list, func(s pool.Status) bool { return s.ID == c.ID }) {
			continue
		}
		line := clusterLine{ID: c.ID, Nodes: c.Nodes, Created: c.Created, State: "left or kept by a run (lab gc)"}
		switch {
		case inUse(c, alive):
			line.State = "in use by a run"
		case strings.HasPrefix(c.ID, pool.Prefix):
			line.State = "of another pool (another LAB_POOL)"
		}
		lines = append(lines, line)
	}
	return lines, nil
}
