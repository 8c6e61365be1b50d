package main

import (
	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/labs/catalog"
	"github.com/kind-lab/lab/labs/report/document"
)

// schemaDocument is the whole language as data.
type schemaDocument struct {
	// Version is raised when a reader of an older one would be misled.
	Version   int               `json:"version"`
	Language  *schema.Block     `json:"language"`
	Values    []*schema.Value   `json:"values"`
	Functions []schema.Function `json:"functions"`
	// ClusterSets are the sets of clusters that come with lab.
	ClusterSets []schema.ClusterSet `json:"cluster_sets"`
}

func (a *app) schemaDocument() schemaDocument {
	return schemaDocument{Version: 1, Language: a.verbs.Language(), Values: schema.Values(), Functions: schema.Functions(), ClusterSets: catalog.ClusterSets()}
}

func (a *app) schemaCommand() *cobra.Command {
	var ofDocument bool
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the language as JSON, for programs",
		Long: `Prints the scenario language as one JSON document: its blocks with their
arguments, the values with their attributes, the functions, and the sets of
clusters that scenarios can take by name. ` + "`lab explain`" + ` prints the same for
people. With --document it prints the JSON schema of what
` + "`lab report --format json`" + ` prints.`,
		Example: "  lab schema\n  lab schema --document",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			if ofDocument {
				if _, err := a.stdout.Write(document.Schema()); err != nil {
					return broken(err)
				}
				return nil
			}
			return writeJSON(a.stdout, a.schemaDocument())
		},
	}
	cmd.Flags().Bool("json", true, "print JSON; there is no other format")
	_ = cmd.Flags().MarkHidden("json") // fails only if there is no such flag
	cmd.Flags().BoolVar(&ofDocument, "document", false, "print the JSON schema of a run's document")
	return cmd
}
