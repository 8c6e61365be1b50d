package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/engine"
	"github.com/kind-lab/lab/clusters/nodeimage"
	"github.com/kind-lab/lab/labs/world"
)

func (a *app) imageCommand() *cobra.Command {
	group := &cobra.Command{Use: "image", Short: "Have, build, list and remove node images"}
	group.AddCommand(a.imageBuildCommand(), a.imageListCommand(), a.imagePruneCommand())
	return group
}

// images reaches the images of the engine.
func (a *app) images(ctx context.Context) (*nodeimage.Provider, error) {
	found, err := engine.Detect(ctx, a.get)
	if err != nil {
		return nil, broken(err)
	}
	p, err := nodeimage.New(nodeimage.Options{Engine: found})
	if err != nil {
		return nil, broken(err)
	}
	return p, nil
}

func (a *app) imageBuildCommand() *cobra.Command {
	return &cobra.Command{
		Use: "build VERSION...", Short: "Have the node images of Kubernetes versions: there already, pulled, or built",
		Long: `Build makes the container engine have the node image of each version, such as
1.28, 1.28.15 or "~> 1.28": it is there already, or it is pulled, or it is built
of Go modules and Debian packages (5 to 15 minutes for the first, less for the
others, since only Kubernetes itself differs). A build that was interrupted goes
on where it was.`,
		Example: "  lab image build 1.27 1.28 1.29", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.imageBuild(cmd.Context(), args) },
	}
}

func (a *app) imageBuild(ctx context.Context, constraints []string) error {
	for _, c := range constraints {
		if _, err := clusters.ParseConstraint(c); err != nil {
			return usage("%v", err)
		}
	}
	ctx, signals := a.signals(ctx)
	defer signals.stop()
	provider, err := a.images(ctx)
	if err != nil {
		return err
	}
	for _, c := range constraints {
		began := time.Now()
		r, err := provider.Resolve(ctx, c, "")
		if err != nil {
			return broken(err)
		}
		fmt.Fprintf(a.stdout, "%s: %s (%s)\n", c, r.Image, r.Why)
		ref, err := provider.Ensure(ctx, r, world.Lines(func(line string) { fmt.Fprintf(a.stdout, "  %s\n", line) }))
		if err != nil {
			if errors.Is(ctx.Err(), context.Canceled) {
				return &exitError{code: exitInterrupted, err: fmt.Errorf("%w; the next build goes on from here", err)}
			}
			return broken(err)
		}
		fmt.Fprintf(a.stdout, "%s: ready after %s\n", ref, time.Since(began).Round(100*time.Millisecond))
	}
	return nil
}

func (a *app) imageListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the node images that the engine has, and what builds keep", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			provider, err := a.images(cmd.Context())
			if err != nil {
				return err
			}
			found, err := provider.List(cmd.Context())
			if err != nil {
				return broken(err)
			}
			if asJSON {
				return writeJSON(a.stdout, found)
			}
			return a.writeInventory(found)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	return cmd
}
