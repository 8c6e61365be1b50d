package world

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

// giving bounds how long it takes to give a cluster back.
const giving = 2 * time.Minute

// Tools reach into the nodes of clusters that were made here.
type Tools interface {
	Machines
	// LoadArchive puts the images of a tar file on every node.
	LoadArchive(ctx context.Context, handle clusters.Handle, path string, progress func(string)) error
	// ExportLogs writes what the nodes logged into a folder.
	ExportLogs(ctx context.Context, id, dir string) error
}

// Loan is a cluster that somebody has to himself, outside of any plan, until he
// returns it.
type Loan struct {
	world    *World
	log      *journal.Journal
	release  func() error
	guard    Guard
	by       run.Provisioner
	id       string
	handle   clusters.Handle
	progress func(string)
}

// Lend makes a cluster like the Spec, or takes one that waits. Its version may
// be a constraint, such as "1.29". A folder is made below root that notes it and
// holds its kubeconfig; should the borrower be gone without having returned it,
// it is destroyed. What happens is told to progress.
func (w *World) Lend(ctx context.Context, root string, spec clusters.Spec, progress func(string)) (*Loan, error) {
	if w.Unmade != nil {
		return nil, w.Unmade
	}
	by := w.Provisioners[clusters.ProviderKind]
	if by == nil {
		return nil, fmt.Errorf("no clusters of the provider %q can be had here", clusters.ProviderKind)
	}
	image, err := w.Resolve(ctx, spec.Version, spec.Image)
	if err != nil {
		return nil, fmt.Errorf("finding Kubernetes %s: %w", spec.Version, err)
	}
	spec.Version, spec.Image = image.Version, image.Ref
	if err := w.Images.Ensure(ctx, image, progress); err != nil {
		return nil, fmt.Errorf("providing the node image %s: %w", image.Ref, err)
	}
	l, err := w.openLoan(root, by, progress)
	if err != nil {
		return nil, err
	}
	if err := l.take(ctx, spec); err != nil {
		_, left := l.Return(context.WithoutCancel(ctx), "it could not be used")
		return nil, errors.Join(err, left)
	}
	return l, nil
}

// openLoan makes the folder and lets something watch over it.
func (w *World) openLoan(root string, by run.Provisioner, progress func(string)) (*Loan, error) {
	log, err := journal.Create(root, newRunID(time.Now()))
	if err != nil {
		return nil, err
	}
	name := filepath.Base(log.Dir())
	l := &Loan{world: w, log: log, by: by, id: "lab-" + name[len(name)-6:] + "-loan", progress: progress}
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

func (l *Loan) take(ctx context.Context, spec clusters.Spec) error {
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
func (l *Loan) Handle() clusters.Handle { return l.handle }

// LoadImages puts images of the engine on every node; one that the engine has
// not is pulled.
func (l *Loan) LoadImages(ctx context.Context, refs []string) error {
	if len(refs) == 0 {
		return nil
	}
	if err := l.by.LoadImages(ctx, l.handle, refs, l.progress); err != nil {
		return fmt.Errorf("loading images: %w", err)
	}
	return nil
}

// LoadArchive puts the images of a tar file on every node.
func (l *Loan) LoadArchive(ctx context.Context, path string) error {
	if l.world.Tools == nil {
		return errNoTools
	}
	return l.world.Tools.LoadArchive(ctx, l.handle, path, l.progress)
}

// ExportLogs writes what the nodes logged into a folder.
func (l *Loan) ExportLogs(ctx context.Context, dir string) error {
	if l.world.Tools == nil {
		return errNoTools
	}
	return l.world.Tools.ExportLogs(ctx, l.handle.ID, dir)
}

// NodeState is what a node's machine is doing, and NodeAction does something to
// it, as clusters/kind says.
func (l *Loan) NodeState(ctx context.Context, node string) (string, error) {
	if l.world.Tools == nil {
		return "", errNoTools
	}
	return l.world.Tools.NodeState(ctx, node)
}

// NodeAction is described at NodeState.
func (l *Loan) NodeAction(ctx context.Context, node, action string) error {
	if l.world.Tools == nil {
		return errNoTools
	}
	return l.world.Tools.NodeAction(ctx, node, action)
}

// Return gives the cluster back, cleaned, or destroys it: spoiled says what was
// done to it that cannot be undone. It returns what became of it. It goes on for
// a while where ctx is over, and what is left then is in the error.
func (l *Loan) Return(ctx context.Context, spoiled string) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giving)
	defer cancel()
	text, err := l.giveBack(ctx, spoiled)
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

func (l *Loan) giveBack(ctx context.Context, spoiled string) (string, error) {
	releaser, ok := l.by.(run.Releaser)
	if !ok || l.handle.ID == "" {
		return "destroyed", l.by.Destroy(ctx, l.id)
	}
	return releaser.Release(ctx, l.id, spoiled, l.progress)
}

// errNoTools is why nothing can be done to nodes.
var errNoTools = errors.New("the nodes of these clusters cannot be reached")
