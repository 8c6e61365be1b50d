package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/clusters/nodeimage"
	"github.com/kind-lab/lab/labs/wiring"
)

// writeInventory prints what there is of images for a person.
func (a *app) writeInventory(found nodeimage.Inventory) error {
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "IMAGE\tROLE\tSIZE\tORIGIN\tUSED BY")
	for _, i := range found.Images {
		origin := "pulled"
		if i.Built {
			origin = "built here"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", i.Ref, i.Role, megabytes(i.Size), origin, orDash(strings.Join(i.UsedBy, ", ")))
	}
	if len(found.Entries) > 0 {
		fmt.Fprintf(table, "\nCACHED PART\tTOOK\tSIZE\tBUILT\tUSED BY\n")
	}
	for _, e := range found.Entries {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", e.Name, e.Took.Round(time.Second), megabytes(e.Size),
			e.Built.Format("2006-01-02 15:04"), orDash(strings.Join(e.UsedBy, ", ")))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.stdout, "\nThe cache is", found.Cache)
	return err
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func megabytes(bytes int64) string { return fmt.Sprintf("%d MB", bytes/1_000_000) }

func (a *app) imagePruneCommand() *cobra.Command {
	var options nodeimage.PruneOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use: "prune", Short: "Remove what builds left and nothing uses", Args: noArguments,
		Long: `Removes the parts of the cache from which no image in the engine is made, base
images that no image uses, and images that have been built again since. With
--all it removes every image that was built here and the whole cache. It never
removes what a container uses or what was pulled.`,
		Example: "  lab image prune --dry-run\n  lab image prune --all --older-than 72h",
		RunE: func(cmd *cobra.Command, _ []string) error {
			provider, err := a.images(cmd.Context())
			if err != nil {
				return err
			}
			result, err := provider.Prune(cmd.Context(), options, wiring.Lines(a.say))
			if err != nil {
				return broken(err)
			}
			if asJSON {
				return writeJSON(a.stdout, result)
			}
			verb := "removed"
			if options.DryRun {
				verb = "would remove"
			}
			for _, p := range result.Removed {
				fmt.Fprintf(a.stdout, "%s %s (%s)\n", verb, p.Name, megabytes(p.Size))
			}
			fmt.Fprintf(a.stdout, "%d things, %s of the cache\n", len(result.Removed), megabytes(result.Freed))
			return nil
		},
	}
	cmd.Flags().BoolVar(&options.All, "all", false, "remove everything that was built here")
	cmd.Flags().DurationVar(&options.OlderThan, "older-than", 0, "keep what is younger than `DURATION`, such as 72h")
	cmd.Flags().BoolVar(&options.DryRun, "dry-run", false, "only print what would be removed")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}
