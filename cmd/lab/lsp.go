package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/labs/catalog"
	"github.com/kind-lab/lab/labs/editor"
	"github.com/kind-lab/lab/labs/render"
	"github.com/kind-lab/lab/labs/validate"
	"github.com/kind-lab/lab/labs/wiring"
)

func (a *app) lspCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Run the language server for editors",
		Long: `Speaks the Language Server Protocol on standard input and output; editors start
it. It offers diagnostics, completion, hover, formatting, symbols and
definitions for scenario files. README.md says how to set up an editor.`,
		Example: "  lab lsp",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := editor.Serve(cmd.Context(), a.stdin, writeCloser{a.stdout}, editor.Options{
				Version: wiring.Version(), Verbs: a.verbs, Check: validate.Check, CheckVersion: validate.Version, ClusterSets: catalog.ClusterSets(),
				Providers: wiring.Language(wiring.Providers()), Renderer: render.Renderer{},
			})
			if err != nil {
				return broken(err)
			}
			return nil
		},
	}
}

// writeCloser is a stream that nobody closes but its owner.
type writeCloser struct{ io.Writer }

func (writeCloser) Close() error { return nil }
