package world

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/existing"
	"github.com/kind-lab/lab/clusters/pool"
	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/collectors/clocks"
	"github.com/kind-lab/lab/collectors/logs"
	"github.com/kind-lab/lab/collectors/nodes"
	"github.com/kind-lab/lab/collectors/pods"
	"github.com/kind-lab/lab/collectors/runtime"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/step"
)

// Open wires everything to the container engine, and to the clusters that exist
// already. Where there is no engine those can be used all the same, and
// World.Unmade says why no others can.
func Open(ctx context.Context, o Options) (*World, error) {
	w, err := openEngine(ctx, o)
	if err != nil {
		w = &World{Provisioners: map[string]run.Provisioner{}, Images: nodeImages{}, MaxCreates: 1, Unmade: err, Getenv: o.Getenv, Reaper: o.Reaper}
		w.Pool = pool.New(nil, pool.Options{Dir: PoolDir(o.Getenv)}) // to be listed
		w.Resolve = func(context.Context, string, string) (plan.Image, error) { return plan.Image{}, err }
		w.Connect = func(clusters.Handle) (run.Cluster, error) { return nil, err }
		w.Remaining = func(context.Context) ([]clusters.Remaining, error) { return nil, err }
	}
	provisioner := existing.New(existing.Options{UserAgent: "lab/" + Version()})
	w.Provisioners[clusters.ProviderExisting] = provisioner
	w.Ask = func(ctx context.Context, constraint string, on clusters.Existing) (plan.Image, error) {
		found, err := provisioner.Ask(ctx, constraint, on)
		return plan.Image{Version: found.Version.String(), Source: clusters.ProviderExisting,
			Why: fmt.Sprintf("the API server of context %q says so", found.Context)}, err
	}
	made := w.Connect
	w.Connect = func(h clusters.Handle) (run.Cluster, error) {
		if h.Provider == clusters.ProviderExisting {
			return connectExisting(h, provisioner)
		}
		return made(h)
	}
	return w, nil
}

// existingCluster is a cluster that others use too and whose nodes are out of
// reach.
type existingCluster struct {
	*realCluster
	provisioner *existing.Provisioner
}

func connectExisting(handle clusters.Handle, provisioner *existing.Provisioner) (*existingCluster, error) {
	c, err := connect(handle, provisioner.Nodes(handle.ID))
	if err != nil {
		return nil, err
	}
	c.objects.Confine()
	return &existingCluster{realCluster: c, provisioner: provisioner}, nil
}

// Namespace makes a namespace in which pods can be created, or takes the one
// that is named as it is.
func (c *existingCluster) Namespace(ctx context.Context, name string) error {
	if err := c.provisioner.Claim(ctx, c.handle.ID, name); err != nil {
		return err
	}
	if c.provisioner.Shared(c.handle.ID) {
		return nil
	}
	return c.realCluster.Namespace(ctx, name)
}

// DeleteNamespace takes back what was made in a namespace.
func (c *existingCluster) DeleteNamespace(ctx context.Context, name string) error {
	return c.provisioner.Leave(ctx, c.handle.ID, name)
}

// held says where the cluster may be another run's now, so that nothing may be
// done to it any more.
func (c *existingCluster) held() error { return c.provisioner.Held(c.handle.ID) }

// Apply creates or changes objects.
func (c *existingCluster) Apply(ctx context.Context, in step.Apply) (step.Result, error) {
	if err := c.held(); err != nil {
		return step.Result{}, err
	}
	return c.realCluster.Apply(ctx, in)
}

// Delete deletes objects.
func (c *existingCluster) Delete(ctx context.Context, in step.Delete) (step.Result, error) {
	if err := c.held(); err != nil {
		return step.Result{}, err
	}
	return c.realCluster.Delete(ctx, in)
}

// Patch changes an object.
func (c *existingCluster) Patch(ctx context.Context, in step.Patch) (step.Result, error) {
	if err := c.held(); err != nil {
		return step.Result{}, err
	}
	return c.realCluster.Patch(ctx, in)
}

// Exec runs a command in a pod or on this machine.
func (c *existingCluster) Exec(ctx context.Context, in step.Exec) (step.Result, error) {
	if err := c.held(); err != nil {
		return step.Result{}, err
	}
	if in.Node != "" && !c.handle.Reached {
		return step.Result{}, existing.ErrOutOfReach
	}
	return c.realCluster.Exec(ctx, in)
}

// Signal sends a signal to a container, where its node can be reached.
func (c *existingCluster) Signal(ctx context.Context, in step.Signal) (step.Result, error) {
	if err := c.held(); err != nil {
		return step.Result{}, err
	}
	if !c.handle.Reached {
		return step.Result{}, existing.ErrOutOfReach
	}
	return c.realCluster.Signal(ctx, in)
}

// Node says that it cannot be done: the nodes are others' too.
func (c *existingCluster) Node(context.Context, step.Node) (step.Result, error) {
	return step.Result{}, existing.ErrOutOfReach
}

// Collectors observe a namespace and the clock through the API: times are whole
// seconds but those of log lines. Where the nodes can be reached, their runtimes are observed
// and clocks are observed too, and their kubelets' messages kept.
func (c *existingCluster) Collectors(namespace, dir string, kinds []collectors.Kind, sink, show collectors.Sink, warn func(string)) ([]run.Collector, error) {
	node := collectors.Kind{APIVersion: "v1", Kind: "Node"}
	if c.handle.Watched && !slices.Contains(kinds, node) {
		kinds = append(slices.Clone(kinds), node)
	}
	watching, err := pods.New(c.config, sink, pods.Options{Namespace: namespace, Dir: filepath.Join(dir, "pods"), Kinds: kinds, Events: true, Warn: warn})
	if err != nil {
		return nil, err
	}
	reading, err := logs.New(c.config, sink, logs.Options{Namespace: namespace, Dir: filepath.Join(dir, "logs"), Warn: warn})
	if err != nil {
		return nil, err
	}
	times := clocks.Options{Warn: warn}
	if c.handle.Reached {
		times.Nodes = c.nodeNames()
	} else if times.Server, err = clocks.Server(c.config); err != nil {
		return nil, err
	}
	all := []run.Collector{watching, reading, clocks.New(c.nodes, sink, times)}
	if c.handle.Reached {
		all = append(all, runtime.New(c.nodes, sink, runtime.Options{Nodes: c.nodeNames(), Namespaces: []string{namespace}, Warn: warn}),
			nodes.New(c.nodes, nodes.Options{Nodes: c.nodeNames(), Dir: filepath.Join(dir, "nodes"), Begin: time.Now()}))
	}
	if show == nil {
		return all, nil
	}
	showing, err := logs.New(c.config, show, logs.Options{Namespace: namespace, Display: true, Warn: warn})
	if err != nil {
		return nil, err
	}
	return append(all, showing), nil
}

var (
	_ run.Provisioner = (*existing.Provisioner)(nil)
	_ run.Cluster     = (*existingCluster)(nil)
	_ Machines        = existing.Nodes{}
)
