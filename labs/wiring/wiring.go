// Package wiring puts together what runs consist of: the providers of clusters,
// node images, the collectors and the steps. It is the one place that knows all
// implementations; `lab` and Go tests (labs/labtest) get theirs here.
package wiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/nodeimage"
	"github.com/kind-lab/lab/clusters/pool"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/reaper"
	"github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/verbs"
)

// Options say in which surroundings Open works.
type Options struct {
	// Getenv returns an environment variable; empty where it is not set.
	Getenv func(name string) string
	// Reaper starts what cleans up after a run, in the folder, that is gone
	// without having done so; nil where nothing does.
	Reaper func(dir string, keep bool) (Guard, error)
	// Providers are the providers of clusters; nil means those of Providers().
	Providers []Provider
	// Program is the path of a program that calls RunKindBuilder before anything
	// else; empty means that kind's own builder makes no node images.
	Program string
}

// RunKindBuilder runs kind's own builder of node images if the environment asks
// this process for that, and returns the exit code of the process; otherwise ok
// is false.
func RunKindBuilder(environ []string, out io.Writer) (code int, ok bool) {
	return nodeimage.RunKindBuilder(environ, out)
}

// Guard is what cleans up after a run that is gone, seen from the run.
type Guard interface {
	// Release says that there is nothing left to do.
	Release() error
}

// Parts is what runs need of what is there. Its fields are set by Open, or by
// tests, and not changed while it is used.
type Parts struct {
	// Provisioners are by the names of their providers.
	Provisioners map[string]run.Provisioner
	Images       run.Images
	Connect      run.Connect
	// Resolve finds the node image for a version constraint.
	Resolve func(ctx context.Context, constraint, image string) (plan.Image, error)
	// Ask asks the provider of a cluster for its version; nil if none can be.
	Ask func(ctx context.Context, constraint string, spec clusters.Spec) (plan.Image, error)
	// Providers are what the providers state; Unavailable is, by its name, why one
	// of them cannot be used here.
	Providers   clusters.Providers
	Unavailable map[string]error
	// Pool keeps clusters; Fresh makes those that nobody had before. Tools reach
	// into the nodes of both; nil where nothing does.
	Pool  *pool.Pool
	Fresh run.Provisioner
	Tools Tools
	// Orphans lists the clusters of lab that the providers find.
	Orphans    func(ctx context.Context) ([]clusters.Orphan, error)
	MaxCreates int
	// Getenv and Reaper are as in Options.
	Getenv func(name string) string
	Reaper func(dir string, keep bool) (Guard, error)

	// Verbs are those of the steps of scenarios; all if it is nil.
	Verbs *step.Table

	backends map[string]Backend
	// program is Options.Program.
	program string
	// asked says that a node image was asked for.
	asked bool
}

func (w *Parts) verbs() step.Table {
	if w.Verbs == nil {
		return verbs.Default()
	}
	return *w.Verbs
}

// Open wires everything. A provider that cannot be used here, for example because
// there is no container engine, is in Parts.Unavailable; the others can be used
// all the same.
func Open(ctx context.Context, o Options) (*Parts, error) {
	if o.Providers == nil {
		o.Providers = Providers()
	}
	w := &Parts{
		Provisioners: map[string]run.Provisioner{}, Unavailable: map[string]error{}, backends: map[string]Backend{},
		Images: nodeImages{}, MaxCreates: 1, Getenv: o.Getenv, Reaper: o.Reaper, program: o.Program,
	}
	w.Pool = pool.New(nil, pool.Options{Dir: PoolDir(o.Getenv)}) // to be listed
	w.Resolve = func(context.Context, string, string) (plan.Image, error) {
		return plan.Image{}, cmp.Or(w.Unavailable[clusters.ProviderKind], errNoImages)
	}
	w.Connect, w.Ask, w.Orphans = w.connect, w.ask, w.orphans
	for _, row := range o.Providers {
		w.use(ctx, row)
	}
	return w, nil
}

// errNoImages says that no provider provides node images.
var errNoImages = errors.New("no provider that boots clusters from node images can be used here")

// UseFresh makes new clusters from now on, and destroys them in the end.
func (w *Parts) UseFresh() {
	if w.Fresh != nil {
		w.Provisioners[clusters.ProviderKind] = w.Fresh
	}
}

// Resolver resolves versions for a plan.
func (w *Parts) Resolver(ctx context.Context) plan.Resolve {
	return func(constraint, image string) (plan.Image, error) {
		w.asked = true
		return w.Resolve(ctx, constraint, image)
	}
}

// Asker asks providers for the versions of clusters, for a plan.
func (w *Parts) Asker(ctx context.Context) plan.Ask {
	if w.Ask == nil {
		return nil
	}
	return func(constraint string, spec clusters.Spec) (plan.Image, error) { return w.Ask(ctx, constraint, spec) }
}

// WhyUnavailable says why the clusters that were asked for cannot be made here; nil
// if they can.
func (w *Parts) WhyUnavailable() error {
	if w.asked {
		return w.Unavailable[clusters.ProviderKind]
	}
	return nil
}

// Destroyer destroys a provider's clusters.
func (w *Parts) Destroyer(provider string) (reaper.Destroyer, error) {
	if p := w.Provisioners[provider]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("there is no provider %q of clusters", provider)
}

// Discard removes what is left of a run, and notes so in its journal where that
// is where it was found.
func (w *Parts) Discard(ctx context.Context, c clusters.Orphan) error {
	provider := cmp.Or(c.Provider, clusters.ProviderKind)
	by := w.Provisioners[provider]
	if by == nil {
		return fmt.Errorf("removing %s: no clusters of the provider %q are available here", c.ID, provider)
	}
	if err := reaper.Destroy(ctx, by, journal.Intent{ID: c.ID, Kubeconfig: c.Kubeconfig}); err != nil || c.Run == "" {
		return err
	}
	return journal.Append(c.Run, time.Now(), journal.Intent{Action: journal.ActionDestroy, Provider: provider, ID: c.ID, Done: true})
}
