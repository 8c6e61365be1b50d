package main

import (
	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/labs/report"
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
	var asJSON, document bool
	cmd := &cobra.Command{
		Use:   "schema {-json|-document}",
		Short: "Print the language as data, for programs",
		Long: `Prints the scenario language as one JSON document: its blocks with their
arguments, the values with their attributes, and the functions. For people
there is ` + "`lab explain`" + `. With -document it prints the JSON schema of what
` + "`lab report -format json`" + ` prints.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if document {
				if _, err := a.stdout.Write(report.DocumentSchema()); err != nil {
					return broken(err)
				}
				return nil
			}
			if !asJSON {
				return usage("the schema is for programs: write `lab schema -json`; `lab explain` is for people")
			}
			return writeJSON(a.stdout, newSchemaDocument())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the language as JSON")
	cmd.Flags().BoolVar(&document, "document", false, "print the JSON schema of a run's document")
	return cmd
}
