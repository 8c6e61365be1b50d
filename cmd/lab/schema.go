package main

import (
	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/dsl/schema"
)

// schemaDocument is the whole language as data.
type schemaDocument struct {
	// Version is raised when a reader of an older one would be misled.
	Version   int               `json:"version"`
	Language  *schema.Block     `json:"language"`
	Values    []*schema.Value   `json:"values"`
	Functions []schema.Function `json:"functions"`
}

func newSchemaDocument() schemaDocument {
	return schemaDocument{Version: 1, Language: schema.Language(), Values: schema.Values(), Functions: schema.Functions()}
}

func (a *app) schemaCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "schema -json",
		Short: "Print the language as data, for programs",
		Long: `Prints the scenario language as one JSON document: its blocks with their
arguments, the values with their attributes, and the functions. For people
there is ` + "`lab explain`" + `.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if !asJSON {
				return usage("the schema is for programs: write `lab schema -json`; `lab explain` is for people")
			}
			return writeJSON(a.stdout, newSchemaDocument())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON; required")
	return cmd
}
