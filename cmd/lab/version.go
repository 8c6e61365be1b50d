package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/labs/world"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.stdout, "lab", world.Version())
			return err
		},
	}
}
