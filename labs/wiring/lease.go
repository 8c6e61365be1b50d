package wiring

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/run"
)

// releasing bounds how long a release takes.
const releasing = 2 * time.Minute

// Tools reach into the nodes of clusters that were made here.
type Tools interface {
	clusters.Nodes
	// LoadArchive puts the images of a tar file on every node.
	LoadArchive(ctx context.Context, handle clusters.Handle, path string, progress func(string)) error
	// ExportLogs writes what the nodes logged into a folder.
	ExportLogs(ctx context.Context, id, dir string) error
}

// Lease is a cluster that its holder has alone, outside of any plan, until it
// releases it.
type Lease struct {
	parts    *Parts
	log      *journal.Journal
	release  func() error
	guard    Guard
	by       run.Provisioner
	id       string
	handle   clusters.Handle
	progress func(string)
}

// Acquire makes a cluster like the Spec, or takes one that waits. Its version may
// be a constraint, such as "1.29". A folder is made below root that notes it and
// holds its kubeconfig; if the process ends without releasing
// it, it is destroyed. Progress is reported to progress.
func (w *Parts) Acquire(ctx context.Context, root string, spec clusters.Spec, progress func(string)) (*Lease, error) {
	if err := w.Unavailable[clusters.ProviderKind]; err != nil {
		return nil, err
	}
	by := w.Provisioners[clusters.ProviderKind]
	if by == nil {
		return nil, fmt.Errorf("no clusters of the provider %q are available here", clusters.ProviderKind)
	}
	image, err := w.Resolve(ctx, spec.Version, spec.Image)
	if err != nil {
		return nil, fmt.Errorf("finding Kubernetes %s: %w", spec.Version, err)
	}
	spec.Version, spec.Image = image.Version, image.Ref
	if err := w.Images.Ensure(ctx, image, progress); err != nil {
		return nil, fmt.Errorf("providing the node image %s: %w", image.Ref, err)
	}
	l, err := w.openLease(root, by, progress)
	if err != nil {
		return nil, err
	}
	if err := l.take(ctx, spec); err != nil {
		_, left := l.Release(context.WithoutCancel(ctx), "it could not be used")
		return nil, errors.Join(err, left)
	}
	return l, nil
}

// openLease makes the folder and lets something watch over it.
func (w *Parts) openLease(root string, by run.Provisioner, progress func(string)) (*Lease, error) {
	log, err := journal.Create(root, newRunID(time.Now()))
	if err != nil {
		return nil, err
	}
	name := filepath.Base(log.Dir())
	l := &Lease{parts: w, log: log, by: by, id: "lab-" + name[len(name)-6:] + "-lease", progress: progress}
	if l.release, err = journal.Register(RunsDir(w.Getenv), log.Dir()); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	if w.Reaper == nil {
		return l, nil
	}
	if l.guard, err = w.Reaper(log.Dir(), false); err != nil {
		return nil, errors.Join(err, log.Close(), l.release())
	}
	return l, nil
}

func (l *Lease) take(ctx context.Context, spec clusters.Spec) error {
	kubeconfig, err := filepath.Abs(clusters.KubeconfigPath(l.log.Dir(), "cluster"))
	if err != nil {
		return fmt.Errorf("finding a place for the kubeconfig: %w", err)
	}
	intent := journal.Intent{Action: journal.ActionCreate, Provider: clusters.ProviderKind, ID: l.id, Kubeconfig: kubeconfig}
	if err := l.log.Intent(time.Now(), intent); err != nil {
		return err
	}
	if l.handle, err = l.by.Create(ctx, spec, l.id, kubeconfig, l.progress); err != nil {
		return fmt.Errorf("making a cluster of Kubernetes %s: %w", spec.Version, err)
	}
	intent.As, intent.Done = l.handle.ID, true
	if err := l.log.Intent(time.Now(), intent); err != nil {
		return err
	}
	return l.LoadImages(ctx, spec.Images)
}

// Handle reaches the cluster.
func (l *Lease) Handle() clusters.Handle { return l.handle }

// LoadImages puts images of the engine on every node; one that the engine has
// not is pulled.
func (l *Lease) LoadImages(ctx context.Context, refs []string) error {
	if len(refs) == 0 {
		return nil
	}
	if err := l.by.LoadImages(ctx, l.handle, refs, l.progress); err != nil {
		return fmt.Errorf("loading images: %w", err)
	}
	return nil
}

// LoadArchive puts the images of a tar file on every node.
func (l *Lease) LoadArchive(ctx context.Context, path string) error {
	if l.parts.Tools == nil {
		return errNoTools
	}
	return l.parts.Tools.LoadArchive(ctx, l.handle, path, l.progress)
}

// ExportLogs writes what the nodes logged into a folder.
func (l *Lease) ExportLogs(ctx context.Context, dir string) error {
	if l.parts.Tools == nil {
		return errNoTools
	}
	return l.parts.Tools.ExportLogs(ctx, l.handle.ID, dir)
}

// NodeState is what a node's machine is doing, and NodeAction does something to
// it, as clusters/kind says.
func (l *Lease) NodeState(ctx context.Context, node string) (string, error) {
	if l.parts.Tools == nil {
		return "", errNoTools
	}
	return l.parts.Tools.NodeState(ctx, node)
}

// NodeAction is described at NodeState.
func (l *Lease) NodeAction(ctx context.Context, node, action string) error {
	if l.parts.Tools == nil {
		return errNoTools
	}
	return l.parts.Tools.NodeAction(ctx, node, action)
}

// Release gives the cluster back, cleaned, or destroys it: tainted says what was
// done to it that cannot be undone. It returns what became of it. It goes on for
// a while where ctx is over, and what is left then is in the error.
func (l *Lease) Release(ctx context.Context, tainted string) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releasing)
	defer cancel()
	text, err := l.giveBack(ctx, tainted)
	if err == nil {
		err = l.log.Intent(time.Now(), journal.Intent{Action: journal.ActionDestroy, Provider: clusters.ProviderKind, ID: l.id, Done: true})
	} else {
		err = fmt.Errorf("the cluster could not be given back, remove it with: lab gc %s: %w", l.id, err)
	}
	err = errors.Join(err, l.log.Close(), l.release())
	if l.guard != nil {
		err = errors.Join(err, l.guard.Release())
	}
	return text, err
}

func (l *Lease) giveBack(ctx context.Context, tainted string) (string, error) {
	releaser, ok := l.by.(run.Releaser)
	if !ok || l.handle.ID == "" {
		return "destroyed", l.by.Destroy(ctx, l.id)
	}
	return releaser.Release(ctx, l.id, tainted, l.progress)
}

// errNoTools is why nothing can be done to nodes.
var errNoTools = errors.New("the nodes of these clusters cannot be reached")
