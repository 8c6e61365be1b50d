package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/catalog"
)

// listed is a lab of the catalog in the JSON form of `lab list`.
type listed struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Scenarios   []string `json:"scenarios"`
	Clusters    []string `json:"clusters"`
	// Kubernetes are the versions that the clusters name, each once.
	Kubernetes []string `json:"kubernetes"`

	module *dsl.Module
}

func (a *app) listCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list [LAB]...", Short: "List the labs that come with lab", SuggestFor: []string{"labs", "catalog"},
		Long: `Lists the labs of the catalog; of the labs that are named, the scenarios and the
clusters too. ` + "`lab clusters`" + ` lists clusters.`,
		Example:           "  lab list\n  lab list job-sidecar",
		ValidArgsFunction: completeLabs,
		RunE: func(_ *cobra.Command, args []string) error {
			labs, err := catalogLabs(args)
			if err != nil {
				return err
			}
			switch {
			case asJSON:
				return writeJSON(a.stdout, labs)
			case len(args) > 0:
				return tellLabs(a.stdout, labs)
			}
			return listLabs(a.stdout, labs)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	return cmd
}

// listLabs writes a line for each lab.
func listLabs(w io.Writer, labs []listed) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "LAB\tWHAT IT SHOWS")
	var versions []string
	for _, l := range labs {
		fmt.Fprintf(table, "%s\t%s\n", l.Name, l.Description)
		for _, v := range l.Kubernetes {
			if !slices.Contains(versions, v) {
				versions = append(versions, v)
			}
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nOn Kubernetes %s.\n`lab list LAB` lists a lab's scenarios and clusters, `lab run LAB` runs it.\n", strings.Join(versions, ", "))
	return err
}

// tellLabs writes what the labs have in them.
func tellLabs(w io.Writer, labs []listed) error {
	for i, l := range labs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s\n\n", l.Name, l.Description)
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "SCENARIO\tWHAT IT SHOWS")
		for _, s := range l.module.Scenarios {
			fmt.Fprintf(table, "%s\t%s\n", s.Name, s.Description)
		}
		fmt.Fprintln(table, "\nCLUSTER\tKUBERNETES")
		for _, c := range l.module.Clusters {
			fmt.Fprintf(table, "%s\t%s\n", c.Name, strings.Join(append([]string{c.Kubernetes}, gatesOf(c)...), " "))
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// gatesOf are a cluster's feature gates, and those of its components.
func gatesOf(c *dsl.Cluster) []string {
	var list []string
	add := func(of string, gates map[string]bool) {
		for _, gate := range clusters.FeatureGates(gates).List() {
			list = append(list, of+gate)
		}
	}
	add("", c.FeatureGates)
	for _, component := range c.Components {
		add(component.Name+":", component.FeatureGates)
	}
	return list
}

// catalogLabs reads the labs of these names, or all.
func catalogLabs(wanted []string) ([]listed, error) {
	names, err := catalog.Names()
	if err != nil {
		return nil, broken(err)
	}
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			return nil, usage("no lab %q in the catalog%s\nIt has: %s", name, didYouMean("", name, names), strings.Join(names, ", "))
		}
	}
	if len(wanted) > 0 {
		names = wanted
	}
	labs := []listed{}
	for _, name := range names {
		l, err := readLab(name)
		if err != nil {
			return nil, broken(err)
		}
		labs = append(labs, l)
	}
	return labs, nil
}

func readLab(name string) (listed, error) {
	folder, err := catalog.Open(name)
	if err != nil {
		return listed{}, err
	}
	m, problems := dsl.LoadFS(folder, "scenario.hcl", dsl.Options{ClusterSets: catalog.ClusterSets()})
	if problems.HasErrors() {
		return listed{}, fmt.Errorf("lab %s: %s: %s", name, problems[0].Summary, problems[0].Detail)
	}
	l := listed{Name: name, Description: m.Description, Kubernetes: []string{}, module: m}
	for _, s := range m.Scenarios {
		l.Scenarios = append(l.Scenarios, s.Name)
	}
	for _, c := range m.Clusters {
		l.Clusters = append(l.Clusters, c.Name)
		if c.Kubernetes != "" && !slices.Contains(l.Kubernetes, c.Kubernetes) {
			l.Kubernetes = append(l.Kubernetes, c.Kubernetes)
		}
	}
	return l, nil
}
