package run

import (
	"context"
	"fmt"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/player"
	"github.com/kind-lab/lab/labs/report"
)

// clusterRun is one cluster of an invocation, from nothing to nothing.
type clusterRun struct {
	in          *invocation
	planned     plan.Cluster
	provisioner Provisioner
	report      *report.Cluster
	id          string
	// made says that there may be something to destroy.
	made bool
	// kept says that something on it is to be kept.
	kept bool
	// irreversible says what was done to it that cannot be undone.
	irreversible string
	// saidImages says that it was said that images are not loaded.
	saidImages bool
	handle     clusters.Handle
	cluster    Cluster
}

// up makes the cluster and reaches it.
func (c *clusterRun) up(ctx context.Context) error {
	if c.provisioner == nil {
		return fmt.Errorf("no clusters of the provider %q are available here", c.planned.Spec.ProviderName())
	}
	if err := c.image(ctx); err != nil {
		return err
	}
	if err := c.create(ctx); err != nil {
		return err
	}
	if images := c.planned.Spec.Images; len(images) > 0 {
		began := c.in.now()
		if err := c.provisioner.LoadImages(ctx, c.handle, images, c.progress); err != nil {
			return fmt.Errorf("loading images: %w", err)
		}
		c.phase("images", began)
	}
	cluster, err := c.in.engine.Connect(c.handle)
	if err != nil {
		return fmt.Errorf("reaching cluster %s: %w", c.planned.Name, err)
	}
	c.cluster = cluster
	return nil
}

// image makes sure of the node image; one after the other, since building two
// at once takes longer than building them in turn.
func (c *clusterRun) image(ctx context.Context) error {
	if c.planned.Image.Ref == "" {
		return nil // the cluster boots from none
	}
	c.in.images.Lock()
	defer c.in.images.Unlock()
	if err := ctx.Err(); err != nil {
		return player.Interrupted(err)
	}
	began := c.in.now()
	if err := c.in.engine.Images.Ensure(ctx, c.planned.Image, c.progress); err != nil {
		return fmt.Errorf("providing the node image %s: %w", c.planned.Image.Ref, err)
	}
	c.phase("image", began)
	return nil
}

func (c *clusterRun) create(ctx context.Context) error {
	if c.planned.Capabilities.UsesSlot {
		select {
		case c.in.creates <- struct{}{}:
			defer func() { <-c.in.creates }()
		case <-ctx.Done():
			return player.Interrupted(ctx.Err())
		}
	}
	began := c.in.now()
	c.progress(wordsOf(c.planned).create + " " + titled(c.planned))
	kubeconfig := clusters.KubeconfigPath(c.in.engine.Journal.Dir(), c.planned.Folder)
	intent := journal.Intent{Action: journal.ActionCreate, Provider: c.planned.Spec.ProviderName(), ID: c.id, Kubeconfig: kubeconfig}
	if err := c.in.engine.Journal.Intent(began, intent); err != nil {
		return err
	}
	c.made = true
	handle, err := c.provisioner.Create(ctx, c.planned.Spec, c.id, kubeconfig, c.progress)
	if err != nil {
		if ctx.Err() != nil {
			return player.Interrupted(err)
		}
		return fmt.Errorf("%s cluster %s: %w", wordsOf(c.planned).create, c.planned.Name, err)
	}
	if err := c.in.engine.Journal.Intent(c.in.now(), journal.Intent{Action: journal.ActionCreate, Provider: c.planned.Spec.ProviderName(), ID: c.id, As: as(handle.ID, c.id), Done: true}); err != nil {
		c.in.fail(c.planned.Name, err)
	}
	c.handle = handle
	c.report.Runtime, c.report.Cgroup, c.report.Reused = handle.Runtime, handle.Cgroup, handle.Reused
	for _, n := range handle.Nodes {
		c.report.Nodes = append(c.report.Nodes, n.Name)
	}
	c.phase("create", began)
	c.progress(fmt.Sprintf("%s: Kubernetes %s after %s", wordsOf(c.planned).ready, handle.Version, c.in.now().Sub(began).Round(100*time.Millisecond)))
	return nil
}

// as is the name of a cluster where it is not the one that was asked for.
func as(name, asked string) string {
	if name == asked {
		return ""
	}
	return name
}

// keeps says whether a scenario is kept that came out like this, with all that it
// made. One that somebody stopped is not.
func (c *clusterRun) keeps(ctx context.Context, status expect.Status) bool {
	return c.in.engine.Keep || c.in.engine.KeepOnFailure && status >= expect.Fail && ctx.Err() == nil
}

// taint notes that something was done to the cluster that cannot be undone; the
// first is reported later.
func (c *clusterRun) taint(why string) {
	if c.irreversible == "" {
		c.irreversible = why
	}
}

// down gives the cluster back, or destroys it, whatever became of it, unless it
// is to be kept.
func (c *clusterRun) down() {
	if !c.made {
		return
	}
	if c.kept {
		c.in.event(report.Event{Kind: report.EventWarning, Cluster: c.planned.Name, Text: fmt.Sprintf(
			"kept as asked: look at it with: kubectl --kubeconfig %s get pods -A; remove it with: lab gc %s",
			clusters.KubeconfigPath(c.in.engine.Journal.Dir(), c.planned.Folder), c.name())})
		return
	}
	began := c.in.now()
	ctx, cancel := c.ending()
	defer cancel()
	phase, text, err := c.giveBack(ctx)
	if err != nil {
		c.in.fail(c.planned.Name, fmt.Errorf("the cluster could not be destroyed, remove it with: lab gc %s: %w", c.name(), err))
		return
	}
	if err := c.in.engine.Journal.Intent(c.in.now(), journal.Intent{Action: journal.ActionDestroy, Provider: c.planned.Spec.ProviderName(), ID: c.id, Done: true}); err != nil {
		c.in.fail(c.planned.Name, err)
	}
	c.phase(phase, began)
	c.in.event(report.Event{Kind: report.EventProgress, Cluster: c.planned.Name, Text: text, Done: true})
}

// ending is the time that the end of a cluster may take, which a second signal
// cuts short.
func (c *clusterRun) ending() (context.Context, context.CancelFunc) {
	limit := destroying
	if c.in.forceStopped() {
		limit = hurried
	}
	return context.WithTimeout(context.Background(), limit)
}

// giveBack gives the cluster back where that can be done, and destroys it
// otherwise. It returns what that is called, and what became of the cluster.
func (c *clusterRun) giveBack(ctx context.Context) (phase, text string, err error) {
	releaser, ok := c.provisioner.(Releaser)
	if !ok || c.handle.ID == "" || c.in.forceStopped() {
		c.progress(wordsOf(c.planned).destroy)
		return "destroy", wordsOf(c.planned).destroyed, c.provisioner.Destroy(ctx, c.id)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-c.in.engine.ForceStop: // it is destroyed then
			cancel()
		case <-ctx.Done():
		}
	}()
	text, err = releaser.Release(ctx, c.id, c.irreversible, c.progress)
	return "release", text, err
}

// name is what the cluster is called on the host.
func (c *clusterRun) name() string {
	if c.handle.ID != "" {
		return c.handle.ID
	}
	return c.id
}

func (c *clusterRun) progress(text string) {
	c.in.event(report.Event{Kind: report.EventProgress, Cluster: c.planned.Name, Text: text})
}

func (c *clusterRun) phase(name string, began time.Time) {
	c.report.Phases = append(c.report.Phases, report.Phase{Name: name, Elapsed: c.in.now().Sub(began)})
}
