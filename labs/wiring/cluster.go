package wiring

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/step"
)

// realCluster is a cluster reached through its API server and its nodes.
type realCluster struct {
	handle   clusters.Handle
	provider *clusters.Provider
	config   *rest.Config
	client   *step.Client
	nodes    clusters.Nodes
	// keeper keeps to what is the run's on a cluster that others use as well; nil
	// if the cluster is the run's own.
	keeper Keeper
}

// connect reaches the cluster of a handle, which the backend of the provider has.
func connect(handle clusters.Handle, provider *clusters.Provider, backend Backend) (*realCluster, error) {
	config, err := clientcmd.BuildConfigFromFlags("", handle.Kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig of %s: %w", handle.Name, err)
	}
	// A scenario is one client among few: nothing is gained by holding it back.
	config.QPS, config.Burst = 100, 200
	config.UserAgent = "lab/" + Version()
	client, err := step.Connect(config)
	if err != nil {
		return nil, err
	}
	c := &realCluster{handle: handle, provider: provider, config: config, client: client, nodes: backend.Nodes(handle)}
	if !handle.Capabilities.CanWriteClusterWide {
		client.Objects.Confine(provider.Lacks(handle.Name, clusters.WriteClusterWide))
	}
	if !handle.Capabilities.OwnsCluster {
		keeper, ok := backend.(Keeper)
		if !ok {
			return nil, fmt.Errorf("provider %q says that others use cluster %s, and cannot keep to a namespace", provider.Name, handle.Name)
		}
		c.keeper = keeper
	}
	return c, nil
}

func (c *realCluster) nodeNames() []string { return c.Access().NodeNames() }

// Access is what the steps are given of the cluster.
func (c *realCluster) Access() step.Cluster {
	return step.Cluster{Client: c.client, Nodes: c.nodes, Handle: c.handle}
}

// Allows keeps a step from the cluster if it may be another run's now, or lacks a
// capability that the step needs.
func (c *realCluster) Allows(f step.Forecast) error {
	if needs := f.Reach.Needs(); needs != "" {
		return c.allowed(needs)
	}
	return c.allowed()
}

// allowed says why something may not be done to the cluster: it may be another
// run's now, or it lacks a capability that the step needs.
func (c *realCluster) allowed(needs ...clusters.Capability) error {
	if c.keeper != nil {
		if err := c.keeper.Held(c.handle.ID); err != nil {
			return err
		}
	}
	for _, do := range needs {
		if !c.handle.Capabilities.Can(do) {
			return c.provider.Lacks(c.handle.Name, do)
		}
	}
	return nil
}

// Namespace makes a namespace in which pods can be created, or takes the one that
// is given as it is.
func (c *realCluster) Namespace(ctx context.Context, name string) error {
	if c.keeper == nil {
		return c.createNamespace(ctx, name)
	}
	if err := c.keeper.Claim(ctx, c.handle.ID, name); err != nil || c.handle.Capabilities.GivenNamespace != "" {
		return err
	}
	return c.createNamespace(ctx, name)
}

// DeleteNamespace removes what was made in a namespace, and does not wait.
func (c *realCluster) DeleteNamespace(ctx context.Context, name string) error {
	if c.keeper == nil {
		return c.deleteNamespace(ctx, name)
	}
	return c.keeper.Leave(ctx, c.handle.ID, name)
}

var _ run.Cluster = (*realCluster)(nil)
