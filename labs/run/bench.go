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
	keep    bool
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
	if err := b.Journal.Intent(b.Clock.Now(), journal.Intent{Action: journal.ActionCreate, Provider: b.planned.Spec.By(), ID: b.id, Done: true}); err != nil {
		b.fail(b.planned.Name, err)
	}
	b.handle = handle
	b.report.Runtime, b.report.Cgroup = handle.Runtime, handle.Cgroup
	for _, n := range handle.Nodes {
		b.report.Nodes = append(b.report.Nodes, n.Name)
	}
	b.phase("create", began)
	b.progress(fmt.Sprintf("%s: Kubernetes %s after %s", wordsOf(b.planned).ready, handle.Version, b.Clock.Now().Sub(began).Round(100*time.Millisecond)))
	return nil
}

// kept says whether a scenario is kept that came out like this, with all that it
// made. One that somebody stopped is not.
func (b *bench) kept(ctx context.Context, status expect.Status) bool {
	return b.Keep || b.KeepOnFailure && status >= expect.Fail && ctx.Err() == nil
}

// down destroys the cluster, whatever became of it, unless it is to be kept.
func (b *bench) down() {
	if !b.made {
		return
	}
	if b.keep {
		b.event(report.Event{Kind: report.EventWarning, Cluster: b.planned.Name, Text: fmt.Sprintf(
			"kept as asked: look at it with: kubectl --kubeconfig %s get pods -A; remove it with: lab gc %s",
			clusters.KubeconfigPath(b.Journal.Dir(), b.planned.Folder), b.id)})
		return
	}
	began := b.Clock.Now()
	limit := destroying
	if b.hurry() {
		limit = hurried
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	b.progress(wordsOf(b.planned).destroy)
	if err := b.provisioner.Destroy(ctx, b.id); err != nil {
		b.fail(b.planned.Name, fmt.Errorf("the cluster could not be destroyed, remove it with: lab gc %s: %w", b.id, err))
		return
	}
	if err := b.Journal.Intent(b.Clock.Now(), journal.Intent{Action: journal.ActionDestroy, Provider: b.planned.Spec.By(), ID: b.id, Done: true}); err != nil {
		b.fail(b.planned.Name, err)
	}
	b.phase("destroy", began)
	b.event(report.Event{Kind: report.EventProgress, Cluster: b.planned.Name, Text: wordsOf(b.planned).destroyed, Done: true})
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
