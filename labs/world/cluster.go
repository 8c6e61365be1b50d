package world

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/collectors/clocks"
	"github.com/kind-lab/lab/collectors/logs"
	"github.com/kind-lab/lab/collectors/nodelogs"
	"github.com/kind-lab/lab/collectors/nodes"
	"github.com/kind-lab/lab/collectors/pods"
	"github.com/kind-lab/lab/collectors/runtime"
	"github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/apply"
	"github.com/kind-lab/lab/labs/step/exec"
	"github.com/kind-lab/lab/labs/step/node"
	"github.com/kind-lab/lab/labs/step/objects"
	"github.com/kind-lab/lab/labs/step/patch"
	"github.com/kind-lab/lab/labs/step/remove"
	"github.com/kind-lab/lab/labs/step/signal"
)

// Machines are the machines of a cluster's nodes.
type Machines interface {
	// NodeExec runs a command in a node, until ctx ends.
	NodeExec(ctx context.Context, node string, stdin io.Reader, stdout, stderr io.Writer, cmd ...string) error
	// NodeState is "running", "paused" or another of the engine's words.
	NodeState(ctx context.Context, node string) (string, error)
	// NodeAction does "stop", "start", "pause" or the like to a node's machine.
	NodeAction(ctx context.Context, node, action string) error
}

// realCluster is a cluster reached through its API server and its nodes.
type realCluster struct {
	*apply.Applier
	removing  *remove.Remover
	patching  *patch.Patcher
	running   *exec.Runner
	signaling *signal.Sender
	operating *node.Operator

	handle  clusters.Handle
	config  *rest.Config
	nodes   Machines
	objects *objects.Client
}

// connect reaches the cluster of a handle, whose nodes are the machines.
func connect(handle clusters.Handle, nodes Machines) (*realCluster, error) {
	config, err := clientcmd.BuildConfigFromFlags("", handle.Kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig of %s: %w", handle.Name, err)
	}
	// A scenario is one client among few: nothing is gained by holding it back.
	config.QPS, config.Burst = 100, 200
	config.UserAgent = "lab/" + Version()
	client, err := objects.New(config)
	if err != nil {
		return nil, err
	}
	c := &realCluster{
		Applier: apply.New(config, client), removing: remove.New(client), patching: patch.New(client),
		handle: handle, config: config, nodes: nodes, objects: client,
	}
	if c.running, err = exec.New(config, nodes, c.nodeNames()); err != nil {
		return nil, err
	}
	if c.signaling, err = signal.New(config, nodes); err != nil {
		return nil, err
	}
	if c.operating, err = node.New(config, nodes, handle.Nodes); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *realCluster) nodeNames() []string {
	var names []string
	for _, n := range c.handle.Nodes {
		names = append(names, n.Name)
	}
	return names
}

// Needs says what the manifests need of the cluster.
func (c *realCluster) Needs(manifests []step.Manifest) (step.Needs, error) {
	return apply.Needs(manifests)
}

// PatchNeeds says what a patch needs of the cluster.
func (c *realCluster) PatchNeeds(in step.Patch) (step.Needs, error) { return patch.Needs(in) }

// Apply creates or changes objects.
func (c *realCluster) Apply(ctx context.Context, in step.Apply) (step.Result, error) {
	return c.Do(ctx, in)
}

// Delete deletes objects.
func (c *realCluster) Delete(ctx context.Context, in step.Delete) (step.Result, error) {
	return c.removing.Do(ctx, in)
}

// Patch changes an object.
func (c *realCluster) Patch(ctx context.Context, in step.Patch) (step.Result, error) {
	return c.patching.Do(ctx, in)
}

// Exec runs a command.
func (c *realCluster) Exec(ctx context.Context, in step.Exec) (step.Result, error) {
	return c.running.Do(ctx, in)
}

// Signal sends a signal to a container.
func (c *realCluster) Signal(ctx context.Context, in step.Signal) (step.Result, error) {
	return c.signaling.Do(ctx, in)
}

// Node does something to a node.
func (c *realCluster) Node(ctx context.Context, in step.Node) (step.Result, error) {
	return c.operating.Do(ctx, in)
}

// Collectors observe a namespace, and objects of some kinds, nodes among them:
// the API, the nodes' runtime, the logs in the nodes' files, the kubelets, the
// nodes' clocks; and what show is given comes from stern.
func (c *realCluster) Collectors(namespace, dir string, kinds []collectors.Kind, sink, show collectors.Sink, warn func(string)) ([]run.Collector, error) {
	if node := (collectors.Kind{APIVersion: "v1", Kind: "Node"}); !slices.Contains(kinds, node) {
		kinds = append(slices.Clone(kinds), node)
	}
	watching, err := pods.New(c.config, sink, pods.Options{Namespace: namespace, Dir: filepath.Join(dir, "pods"), Kinds: kinds, Events: true, Warn: warn})
	if err != nil {
		return nil, err
	}
	running := runtime.New(c.nodes, sink, runtime.Options{Nodes: c.nodeNames(), Namespaces: []string{namespace}, Warn: warn})
	reading := nodelogs.New(c.nodes, sink, nodelogs.Options{Nodes: c.nodeNames(), Namespace: namespace, Dir: filepath.Join(dir, "logs"), Warn: warn})
	keeping := nodes.New(c.nodes, nodes.Options{Nodes: c.nodeNames(), Dir: filepath.Join(dir, "nodes"), Begin: time.Now()})
	measuring := clocks.New(c.nodes, sink, clocks.Options{Nodes: c.nodeNames(), Warn: warn})
	all := []run.Collector{watching, running, reading, keeping, measuring}
	if show == nil {
		return all, nil
	}
	showing, err := logs.New(c.config, show, logs.Options{Namespace: namespace, Display: true, Warn: warn})
	if err != nil {
		return nil, err
	}
	return append(all, showing), nil
}

var _ run.Cluster = (*realCluster)(nil)
