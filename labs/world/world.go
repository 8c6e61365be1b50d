// Package world wires what runs consist of: the container engine, node images,
// kind and the pool of clusters, clusters that exist, the collectors and the
// steps. It is the one place that knows all implementations; `lab` and Go tests
// (labs/labtest) get theirs here.
package world

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/pool"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/reaper"
	"github.com/kind-lab/lab/labs/run"
)

// Options say in which surroundings a World is opened.
type Options struct {
	// Getenv returns an environment variable; empty where it is not set.
	Getenv func(name string) string
	// Reaper starts what cleans up after a run, in the folder, that is gone
	// without having done so; nil where nothing does.
	Reaper func(dir string, keep bool) (Guard, error)
}

// Guard is what cleans up after a run that is gone, seen from the run.
type Guard interface {
	// Release says that there is nothing left to do.
	Release() error
}

// World is what runs need of what is there. Its fields are set by Open, or by
// tests, and not changed while it is used.
type World struct {
	// Provisioners are by the names of their providers.
	Provisioners map[string]run.Provisioner
	Images       run.Images
	Connect      run.Connect
	// Resolve finds the node image for a version constraint.
	Resolve func(ctx context.Context, constraint, image string) (plan.Image, error)
	// Ask asks a cluster that exists for its version; nil where none can be.
	Ask func(ctx context.Context, constraint string, on clusters.Existing) (plan.Image, error)
	// Unmade is why no clusters can be made here; nil where they can.
	Unmade error
	// Pool lends clusters; Fresh makes those that nobody had before. Tools reach
	// into the nodes of both; nil where nothing does.
	Pool  *pool.Pool
	Fresh run.Provisioner
	Tools Tools
	// Remaining lists the clusters of lab that are on this host.
	Remaining  func(ctx context.Context) ([]clusters.Remaining, error)
	MaxCreates int
	// Getenv and Reaper are as in Options.
	Getenv func(name string) string
	Reaper func(dir string, keep bool) (Guard, error)

	// asked says that a cluster was to be made.
	asked bool
}

// UseFresh makes new clusters from now on, and destroys them in the end.
func (w *World) UseFresh() {
	if w.Fresh != nil {
		w.Provisioners[clusters.ProviderKind] = w.Fresh
	}
}

// Resolver resolves versions for a plan.
func (w *World) Resolver(ctx context.Context) plan.Resolve {
	return func(constraint, image string) (plan.Image, error) {
		w.asked = true
		return w.Resolve(ctx, constraint, image)
	}
}

// Asker asks clusters that exist for their versions, for a plan.
func (w *World) Asker(ctx context.Context) plan.Ask {
	if w.Ask == nil {
		return nil
	}
	return func(constraint string, on clusters.Existing) (plan.Image, error) { return w.Ask(ctx, constraint, on) }
}

// Unmet says why what was asked for cannot be made here.
func (w *World) Unmet() error {
	if w.asked {
		return w.Unmade
	}
	return nil
}

// Destroyer destroys a provider's clusters.
func (w *World) Destroyer(provider string) (reaper.Destroyer, error) {
	if p := w.Provisioners[provider]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("there is no provider %q of clusters", provider)
}

// Discard removes what is left of a run, and notes so in its journal where that
// is where it was found.
func (w *World) Discard(ctx context.Context, c clusters.Remaining) error {
	provider := cmp.Or(c.Provider, clusters.ProviderKind)
	by := w.Provisioners[provider]
	if by == nil {
		return fmt.Errorf("removing %s: no clusters of the provider %q can be had here", c.ID, provider)
	}
	if err := reaper.Destroy(ctx, by, journal.Intent{ID: c.ID, Kubeconfig: c.Kubeconfig}); err != nil || c.Run == "" {
		return err
	}
	return journal.Append(c.Run, time.Now(), journal.Intent{Action: journal.ActionDestroy, Provider: provider, ID: c.ID, Done: true})
}
