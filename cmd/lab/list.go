package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

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
}

func (a *app) listCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the labs of the catalog", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			labs, err := catalogLabs()
			if err != nil {
				return broken(err)
			}
			if asJSON {
				return writeJSON(a.stdout, labs)
			}
			table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, "LAB\tKUBERNETES\tSCENARIOS\tCLUSTERS\tWHAT IT SHOWS")
			for _, l := range labs {
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", l.Name, strings.Join(l.Kubernetes, " "), strings.Join(l.Scenarios, ","), strings.Join(l.Clusters, ","), l.Description)
			}
			return table.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	return cmd
}

func catalogLabs() ([]listed, error) {
	names, err := catalog.Names()
	if err != nil {
		return nil, err
	}
	labs := []listed{}
	for _, name := range names {
		folder, err := catalog.Open(name)
		if err != nil {
			return nil, err
		}
		m, problems := dsl.LoadFS(folder, "scenario.hcl", dsl.Options{})
		if problems.HasErrors() {
			return nil, fmt.Errorf("lab %s: %s: %s", name, problems[0].Summary, problems[0].Detail)
		}
		l := listed{Name: name, Description: m.Description, Kubernetes: []string{}}
		for _, s := range m.Scenarios {
			l.Scenarios = append(l.Scenarios, s.Name)
		}
		for _, c := range m.Clusters {
			l.Clusters = append(l.Clusters, c.Name)
			if c.Kubernetes != "" && !slices.Contains(l.Kubernetes, c.Kubernetes) {
				l.Kubernetes = append(l.Kubernetes, c.Kubernetes)
			}
		}
		labs = append(labs, l)
	}
	return labs, nil
}
