package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/labs/editor"
	"github.com/kind-lab/lab/labs/validate"
	"github.com/kind-lab/lab/labs/world"
)

func (a *app) lspCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor: mistakes, completion, hover, layout",
		Long: `Speaks the Language Server Protocol on standard input and output, for editors
to start: what is wrong with a scenario while it is written, completion, what
things mean, layout, symbols and definitions. The README says how to set up an
editor.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := editor.Serve(cmd.Context(), a.stdin, writeCloser{a.stdout}, editor.Options{
				Version: world.Version(), Check: validate.Check, CheckVersion: validate.Version,
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

// usageArgs makes a mistake in the arguments one of usage.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usage("%v", err)
		}
		return nil
	}
}
