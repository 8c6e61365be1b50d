package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/clusters/nodeimage"
	"github.com/kind-lab/lab/labs/world"
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
		Use: "prune", Short: "Remove what builds left and nothing uses", Args: cobra.NoArgs,
		Long: `Prune removes parts of the cache that no image in the engine is made of, base
images that nothing is layered on, and images that were built again since. With
-all it removes every image that was built here and the whole cache, but nothing
that a container uses and nothing that was pulled.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			provider, err := a.images(cmd.Context())
			if err != nil {
				return err
			}
			result, err := provider.Prune(cmd.Context(), options, world.Lines(a.say))
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
	cmd.Flags().BoolVar(&options.All, "all", false, "everything that was built here")
	cmd.Flags().DurationVar(&options.OlderThan, "older-than", 0, "spare what is younger, such as 72h")
	cmd.Flags().BoolVar(&options.DryRun, "dry-run", false, "only say what would be removed")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}
