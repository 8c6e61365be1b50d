package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/report"
)

// bench is one cluster of a run, from nothing to nothing.
type bench struct {
	*lab
	planned     plan.Cluster
	provisioner Provisioner
	report      *report.Cluster
	id          string
	// made says that there may be something to destroy.
	made bool
	// keep says that something on it is to be kept.
	keep bool
	// spoiled says what was done to it that nobody can undo.
	spoiled string
	handle  clusters.Handle
	cluster Cluster
}

// up makes the cluster and reaches it.
func (b *bench) up(ctx context.Context) error {
	if b.provisioner == nil {
		return fmt.Errorf("no clusters of the provider %q can be had here", b.planned.Spec.By())
	}
	if err := b.image(ctx); err != nil {
		return err
	}
	if err := b.create(ctx); err != nil {
		return err
	}
	if images := b.planned.Spec.Images; len(images) > 0 {
		began := b.Clock.Now()
		if err := b.provisioner.LoadImages(ctx, b.handle, images, b.progress); err != nil {
			return fmt.Errorf("loading images: %w", err)
		}
		b.phase("images", began)
	}
	cluster, err := b.Connect(b.handle)
	if err != nil {
		return fmt.Errorf("reaching cluster %s: %w", b.planned.Name, err)
	}
	b.cluster = cluster
	return nil
}

// image makes sure of the node image; one after the other, since building two
// at once takes longer than building them in turn.
func (b *bench) image(ctx context.Context) error {
	if b.planned.Image.Ref == "" {
		return nil // the cluster exists
	}
	b.images.Lock()
	defer b.images.Unlock()
	if err := ctx.Err(); err != nil {
		return interrupted(err)
	}
	began := b.Clock.Now()
	if err := b.Images.Ensure(ctx, b.planned.Image, b.progress); err != nil {
		return fmt.Errorf("providing the node image %s: %w", b.planned.Image.Ref, err)
	}
	b.phase("image", began)
	return nil
}

func (b *bench) create(ctx context.Context) error {
	if b.planned.Spec.By() != clusters.ProviderExisting { // which costs this machine nothing
		select {
		case b.creates <- struct{}{}:
			defer func() { <-b.creates }()
		case <-ctx.Done():
			return interrupted(ctx.Err())
		}
	}
	began := b.Clock.Now()
	b.progress(wordsOf(b.planned).create + " " + titled(b.planned))
	kubeconfig := clusters.KubeconfigPath(b.Journal.Dir(), b.planned.Folder)
	intent := journal.Intent{Action: journal.ActionCreate, Provider: b.planned.Spec.By(), ID: b.id, Kubeconfig: kubeconfig}
	if err := b.Journal.Intent(began, intent); err != nil {
		return err
	}
	b.made = true
	handle, err := b.provisioner.Create(ctx, b.planned.Spec, b.id, kubeconfig, b.progress)
	if err != nil {
		if ctx.Err() != nil {
			return interrupted(err)
		}
		return fmt.Errorf("%s cluster %s: %w", wordsOf(b.planned).create, b.planned.Name, err)
	}
	if err := b.Journal.Intent(b.Clock.Now(), journal.Intent{Action: journal.ActionCreate, Provider: b.planned.Spec.By(), ID: b.id, As: as(handle.ID, b.id), Done: true}); err != nil {
		b.fail(b.planned.Name, err)
	}
	b.handle = handle
	b.report.Runtime, b.report.Cgroup, b.report.Reused = handle.Runtime, handle.Cgroup, handle.Reused
	for _, n := range handle.Nodes {
		b.report.Nodes = append(b.report.Nodes, n.Name)
	}
	b.phase("create", began)
	b.progress(fmt.Sprintf("%s: Kubernetes %s after %s", wordsOf(b.planned).ready, handle.Version, b.Clock.Now().Sub(began).Round(100*time.Millisecond)))
	return nil
}

// as is the name of a cluster where it is not the one that was asked for.
func as(name, asked string) string {
	if name == asked {
		return ""
	}
	return name
}

// kept says whether a scenario is kept that came out like this, with all that it
// made. One that somebody stopped is not.
func (b *bench) kept(ctx context.Context, status expect.Status) bool {
	return b.Keep || b.KeepOnFailure && status >= expect.Fail && ctx.Err() == nil
}

// spoil notes that something was done to the cluster that nobody can undo; the
// first is told later.
func (b *bench) spoil(why string) {
	if b.spoiled == "" {
		b.spoiled = why
	}
}

// down gives the cluster back, or destroys it, whatever became of it, unless it
// is to be kept.
func (b *bench) down() {
	if !b.made {
		return
	}
	if b.keep {
		b.event(report.Event{Kind: report.EventWarning, Cluster: b.planned.Name, Text: fmt.Sprintf(
			"kept as asked: look at it with: kubectl --kubeconfig %s get pods -A; remove it with: lab gc %s",
			clusters.KubeconfigPath(b.Journal.Dir(), b.planned.Folder), b.name())})
		return
	}
	began := b.Clock.Now()
	ctx, cancel := b.ending()
	defer cancel()
	phase, text, err := b.giveBack(ctx)
	if err != nil {
		b.fail(b.planned.Name, fmt.Errorf("the cluster could not be destroyed, remove it with: lab gc %s: %w", b.name(), err))
		return
	}
	if err := b.Journal.Intent(b.Clock.Now(), journal.Intent{Action: journal.ActionDestroy, Provider: b.planned.Spec.By(), ID: b.id, Done: true}); err != nil {
		b.fail(b.planned.Name, err)
	}
	b.phase(phase, began)
	b.event(report.Event{Kind: report.EventProgress, Cluster: b.planned.Name, Text: text, Done: true})
}

// ending is the time that the end of a cluster may take, which a second signal
// cuts short.
func (b *bench) ending() (context.Context, context.CancelFunc) {
	limit := destroying
	if b.hurry() {
		limit = hurried
	}
	return context.WithTimeout(context.Background(), limit)
}

// giveBack gives the cluster back where that can be done, and destroys it
// otherwise. It returns what that is called, and what became of the cluster.
func (b *bench) giveBack(ctx context.Context) (phase, text string, err error) {
	releaser, ok := b.provisioner.(Releaser)
	if !ok || b.handle.ID == "" || b.hurry() {
		b.progress(wordsOf(b.planned).destroy)
		return "destroy", wordsOf(b.planned).destroyed, b.provisioner.Destroy(ctx, b.id)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-b.Hurry: // it is destroyed then
			cancel()
		case <-ctx.Done():
		}
	}()
	text, err = releaser.Release(ctx, b.id, b.spoiled, b.progress)
	return "release", text, err
}

// name is what the cluster is called on the host.
func (b *bench) name() string {
	if b.handle.ID != "" {
		return b.handle.ID
	}
	return b.id
}

func (b *bench) progress(text string) {
	b.event(report.Event{Kind: report.EventProgress, Cluster: b.planned.Name, Text: text})
}

func (b *bench) phase(name string, began time.Time) {
	b.report.Phases = append(b.report.Phases, report.Phase{Name: name, Elapsed: b.Clock.Now().Sub(began)})
}

// errInterrupted is why something that was stopped did not come to its end.
var errInterrupted = errors.New("interrupted")

func interrupted(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return errInterrupted
	}
	return fmt.Errorf("%w: %w", errInterrupted, err)
}
