package wiring

import (
	"context"
	"fmt"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/existing"
	"github.com/kind-lab/lab/clusters/kind"
	"github.com/kind-lab/lab/clusters/pool"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/run"
)

// Provider is a row of the table of providers.
type Provider struct {
	// Provider is what the provider states about itself.
	*clusters.Provider
	// Open begins to use the provider. The error says why it cannot be used here.
	Open func(ctx context.Context, w *Parts) (Backend, error)
}

// Providers is the table of providers of clusters: one row each. The first is the
// default one.
func Providers() []Provider {
	return []Provider{
		{kind.Provider(), openKind},
		{existing.Provider(), func(context.Context, *Parts) (Backend, error) {
			return existing.New(existing.Options{UserAgent: "lab/" + Version()}), nil
		}},
	}
}

// Language returns the providers of some rows as dsl.Options wants them.
func Language(rows []Provider) []dsl.Provider {
	var all []dsl.Provider
	for _, row := range rows {
		all = append(all, row.Provider)
	}
	return all
}

// Backend is a provider of clusters in use. What it states decides which of the
// interfaces below it has to have as well.
type Backend interface {
	run.Provisioner
	// Nodes reaches the nodes of a cluster.
	Nodes(handle clusters.Handle) clusters.Nodes
}

// Asker is a Backend that states CanAnswerBeforeRuns.
type Asker interface {
	// Ask says which version the cluster of a Spec has, or will have. It fails if
	// the constraint does not allow that; an empty one allows any.
	Ask(ctx context.Context, constraint string, spec clusters.Spec) (clusters.Answer, error)
}

// Lister is a Backend that states CanListOrphans.
type Lister interface {
	// Orphans are the clusters of lab that are there, in use or not.
	Orphans(ctx context.Context) ([]clusters.Orphan, error)
}

// Keeper is a Backend whose clusters others use as well: it does not state
// OwnsCluster.
type Keeper interface {
	// Claim makes a namespace, or takes the one that is given as it is.
	Claim(ctx context.Context, id, namespace string) error
	// Leave removes what was made in the namespace.
	Leave(ctx context.Context, id, namespace string) error
	// Held says why the cluster may be another run's now, so that nothing may be
	// done to it any more; nil if it is not.
	Held(id string) error
}

// Connector is a Backend that reaches its clusters by itself, and not by the
// handle's kubeconfig.
type Connector interface {
	Connect(handle clusters.Handle) (run.Cluster, error)
}

// use opens a provider, or notes why that cannot be done.
func (w *Parts) use(ctx context.Context, row Provider) {
	w.Providers = append(w.Providers, row.Provider)
	backend, err := row.Open(ctx, w)
	if err != nil {
		w.Unavailable[row.Name] = err
		return
	}
	w.backends[row.Name], w.Provisioners[row.Name] = backend, backend
}

// backend is the backend of a provider, or why there is none.
func (w *Parts) backend(name string) (Backend, error) {
	if b := w.backends[name]; b != nil {
		return b, nil
	}
	if err := w.Unavailable[name]; err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("there is no provider %q of clusters", name)
}

// connect reaches a cluster.
func (w *Parts) connect(handle clusters.Handle) (run.Cluster, error) {
	name := clusters.Spec{Provider: handle.Provider}.ProviderName()
	backend, err := w.backend(name)
	if err != nil {
		return nil, err
	}
	if connector, ok := backend.(Connector); ok {
		return connector.Connect(handle)
	}
	return connect(handle, w.Providers.Find(name), backend)
}

// ask asks a provider which version a cluster has.
func (w *Parts) ask(ctx context.Context, constraint string, spec clusters.Spec) (plan.Image, error) {
	backend, err := w.backend(spec.ProviderName())
	if err != nil {
		return plan.Image{}, err
	}
	asker, ok := backend.(Asker)
	if !ok {
		return plan.Image{}, w.Providers.Find(spec.Provider).Lacks(spec.Name, clusters.AnswerBeforeRuns)
	}
	answer, err := asker.Ask(ctx, constraint, spec)
	return plan.Image{Version: answer.Version.String(), Source: spec.ProviderName(), Why: answer.Why}, err
}

// orphans lists the clusters of lab that providers find. It fails if one of them
// cannot be used.
func (w *Parts) orphans(ctx context.Context) ([]clusters.Orphan, error) {
	var all []clusters.Orphan
	for _, p := range w.Providers {
		if !p.Capabilities(clusters.Spec{Provider: p.Name}).CanListOrphans {
			continue
		}
		backend, err := w.backend(p.Name)
		if err != nil {
			return nil, err
		}
		lister, ok := backend.(Lister)
		if !ok {
			return nil, p.Lacks("", clusters.ListOrphans)
		}
		found, err := lister.Orphans(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// kindBackend makes clusters with kind, and keeps them in a pool.
type kindBackend struct {
	*pool.Pool
	maker *kind.Provisioner
}

// Nodes reaches the nodes of a cluster.
func (b kindBackend) Nodes(handle clusters.Handle) clusters.Nodes { return b.maker.Nodes(handle) }

// Orphans are the clusters on this host.
func (b kindBackend) Orphans(ctx context.Context) ([]clusters.Orphan, error) {
	return b.maker.Orphans(ctx)
}

var (
	_ Backend      = kindBackend{}
	_ Lister       = kindBackend{}
	_ run.Releaser = kindBackend{}
	_ Backend      = (*existing.Provisioner)(nil)
	_ Asker        = (*existing.Provisioner)(nil)
	_ Keeper       = (*existing.Provisioner)(nil)
)
