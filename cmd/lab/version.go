package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/labs/wiring"
)

// versions is the JSON form of `lab version`.
type versions struct {
	LabVersion string `json:"lab_version"`
	GoVersion  string `json:"go_version"`
	// Platform is the operating system and the architecture, such as
	// "linux/amd64".
	Platform string `json:"platform"`
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version of lab", Args: noArguments,
		Long:    "Prints the version of lab, as `lab --version` does.",
		Example: "  lab version\n  lab version --json",
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return writeJSON(a.stdout, versions{wiring.Version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH})
			}
			_, err := fmt.Fprintln(a.stdout, "lab", wiring.Version())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the version, Go's version and the platform as JSON")
	return cmd
}
