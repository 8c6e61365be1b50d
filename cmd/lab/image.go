package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/engine"
	"github.com/kind-lab/lab/clusters/nodeimage"
	"github.com/kind-lab/lab/labs/wiring"
)

func (a *app) imageCommand() *cobra.Command {
	return holder("image", "Get, list and remove node images", a.imageBuildCommand(), a.imageListCommand(), a.imagePruneCommand())
}

// images reaches the images of the engine.
func (a *app) images(ctx context.Context) (*nodeimage.Provider, error) {
	found, err := engine.Detect(ctx, a.get)
	if err != nil {
		return nil, broken(err)
	}
	p, err := nodeimage.New(nodeimage.Options{Engine: found, Program: thisProgram()})
	if err != nil {
		return nil, broken(err)
	}
	return p, nil
}

func (a *app) imageBuildCommand() *cobra.Command {
	var from string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "build VERSION...", Short: "Get the node images of Kubernetes versions: pull or build them", SuggestFor: []string{"pull", "get"},
		Long: `Makes sure that the container engine has the node image of each version, such
as 1.28, 1.28.15 or "~> 1.28". If it does not have the image, it is pulled or
built. kind's own builder makes it from the release in a few minutes, if the
release can be downloaded and kind's base image can be pulled. Otherwise it is
built from Go modules and Debian packages: the first build takes 5 to 15
minutes; later ones take less, because only Kubernetes itself differs. A build
that was interrupted is continued.

With --from the image is built even if there is one: from the "release", from
"modules", from the URL or path of a kubernetes-server-*.tar.gz, or from the
folder of a source tree of Kubernetes.`,
		Example: `  lab image build 1.27 1.28 1.29
  lab image build 1.29 --from release
  lab image build 1.37.0 --from ~/src/kubernetes`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("name the Kubernetes versions, such as: lab image build 1.28 1.29")
			}
			return nil
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if strings.ContainsAny(typed, ",+-") {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			versions, directive := completeVersions(cmd, args, typed)
			return without(versions, args), directive
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.imageBuild(cmd.Context(), args, from, asJSON) },
	}
	cmd.Flags().StringVar(&from, "from", "", "build it, even if there is one, from `SOURCE`: release, modules, a URL, an archive or a source tree")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the images as JSON on standard output, and progress on standard error")
	return cmd
}

// builtImage is an image in the JSON form of `lab image build`.
type builtImage struct {
	// Kubernetes is the version as it was asked for, Version the exact one.
	Kubernetes string           `json:"kubernetes"`
	Version    clusters.Version `json:"version,omitzero"`
	// Source is "have", "pull" or "build".
	Source  string        `json:"source"`
	Image   string        `json:"image"`
	Elapsed time.Duration `json:"elapsed"`
}

func (a *app) imageBuild(ctx context.Context, constraints []string, from string, asJSON bool) error {
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
	out := a.stdout
	if asJSON {
		out = a.stderr
	}
	built := []builtImage{}
	for _, c := range constraints {
		began := time.Now()
		image, err := a.imageOf(ctx, out, provider, c, from)
		if errors.Is(err, nodeimage.ErrBadSource) {
			return usage("%v", err)
		}
		if err != nil {
			if errors.Is(ctx.Err(), context.Canceled) {
				return &exitError{code: exitInterrupted, err: fmt.Errorf("%w; the next build continues from here", err)}
			}
			return broken(err)
		}
		image.Elapsed = time.Since(began)
		fmt.Fprintf(out, "%s: ready after %s\n", image.Image, image.Elapsed.Round(100*time.Millisecond))
		built = append(built, image)
	}
	if asJSON {
		return writeJSON(a.stdout, built)
	}
	return nil
}

// imageOf makes the engine have the node image of a version, and prints progress.
// It is built if from says what from.
func (a *app) imageOf(ctx context.Context, out io.Writer, provider *nodeimage.Provider, constraint, from string) (builtImage, error) {
	image := builtImage{Kubernetes: constraint, Source: "build"}
	progress := wiring.Lines(func(line string) { fmt.Fprintf(out, "  %s\n", line) })
	var err error
	if from != "" {
		image.Image, err = provider.BuildFrom(ctx, constraint, from, progress)
		return image, err
	}
	r, err := provider.Resolve(ctx, constraint, "")
	if err != nil {
		return image, err
	}
	image.Version, image.Source = r.Version, r.Source
	fmt.Fprintf(out, "%s: %s (%s)\n", constraint, r.Image, r.Why)
	image.Image, err = provider.Ensure(ctx, r, progress)
	return image, err
}

func (a *app) imageListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the node images that the engine has, and what builds keep", Args: noArguments, SuggestFor: []string{"ls"},
		Long: `Lists the node images that the container engine has, and the parts of images
that earlier builds keep in the cache.`,
		Example: "  lab image list",
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
