package main

import (
	"context"
	"fmt"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/collectors/logs"
	"github.com/kind-lab/lab/collectors/pods"
	"github.com/kind-lab/lab/collectors/runtime"
	labrun "github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/apply"
)

// realCluster is a cluster reached through its API server and its nodes.
type realCluster struct {
	*apply.Applier
	handle clusters.Handle
	config *rest.Config
	nodes  runtime.Exec
}

// connect reaches the cluster of a handle; commands in its nodes go through
// nodes.
func connect(handle clusters.Handle, nodes runtime.Exec) (*realCluster, error) {
	config, err := clientcmd.BuildConfigFromFlags("", handle.Kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig of %s: %w", handle.Name, err)
	}
	// A scenario is one client among few: nothing is gained by holding it back.
	config.QPS, config.Burst = 100, 200
	config.UserAgent = "lab/" + version()
	applier, err := apply.New(config)
	if err != nil {
		return nil, err
	}
	return &realCluster{Applier: applier, handle: handle, config: config, nodes: nodes}, nil
}

// Images names the images that the manifests ask for.
func (c *realCluster) Images(manifests []step.Manifest) ([]string, error) {
	return apply.Images(manifests)
}

// Apply creates or changes objects.
func (c *realCluster) Apply(ctx context.Context, in step.Apply) (step.Applied, error) {
	return c.Do(ctx, in)
}

// Collectors observe a namespace, and objects of some kinds: the API, the nodes' runtime, the logs.
func (c *realCluster) Collectors(namespace, dir string, kinds []collectors.Kind, sink collectors.Sink, warn func(string)) ([]labrun.Collector, error) {
	watching, err := pods.New(c.config, sink, pods.Options{Namespace: namespace, Dir: filepath.Join(dir, "pods"), Kinds: kinds, Events: true, Warn: warn})
	if err != nil {
		return nil, err
	}
	reading, err := logs.New(c.config, sink, logs.Options{Namespace: namespace, Dir: filepath.Join(dir, "logs"), Warn: warn})
	if err != nil {
		return nil, err
	}
	var nodes []string
	for _, n := range c.handle.Nodes {
		nodes = append(nodes, n.Name)
	}
	running := runtime.New(c.nodes, sink, runtime.Options{Nodes: nodes, Namespaces: []string{namespace}, Warn: warn})
	return []labrun.Collector{watching, running, reading}, nil
}

var _ labrun.Cluster = (*realCluster)(nil)
