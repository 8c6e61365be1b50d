package wiring

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/collectors/clocks"
	"github.com/kind-lab/lab/collectors/logs"
	"github.com/kind-lab/lab/collectors/nodelogs"
	"github.com/kind-lab/lab/collectors/nodes"
	"github.com/kind-lab/lab/collectors/pods"
	"github.com/kind-lab/lab/collectors/runtime"
	"github.com/kind-lab/lab/labs/run"
)

// Collectors observe a namespace, and objects of some kinds, through the API, and
// beside that what the cluster's capabilities allow: the Node objects, the nodes'
// runtimes, clocks and kubelets, and the logs in the nodes' files. Without the
// nodes, times are whole seconds but those of log lines, and the clock is the API
// server's. What show is given comes from stern.
func (c *realCluster) Collectors(namespace, dir string, kinds []collectors.Kind, sink, show collectors.Sink, warn func(string)) ([]run.Collector, error) {
	can := c.handle.Capabilities
	if node := (collectors.Kind{APIVersion: "v1", Kind: "Node"}); can.CanWatchNodes && !slices.Contains(kinds, node) {
		kinds = append(slices.Clone(kinds), node)
	}
	watching, err := pods.New(c.config, sink, pods.Options{Namespace: namespace, Dir: filepath.Join(dir, "pods"), Kinds: kinds, Events: true, Warn: warn})
	if err != nil {
		return nil, err
	}
	all := []run.Collector{watching}
	if can.CanExecOnNodes {
		all = append(all, runtime.New(c.nodes, sink, runtime.Options{Nodes: c.nodeNames(), Namespaces: []string{namespace}, Warn: warn}))
	}
	reading, err := c.logCollector(namespace, filepath.Join(dir, "logs"), sink, warn)
	if err != nil {
		return nil, err
	}
	all = append(all, reading)
	times := clocks.Options{Warn: warn}
	if can.CanExecOnNodes {
		all = append(all, nodes.New(c.nodes, nodes.Options{Nodes: c.nodeNames(), Dir: filepath.Join(dir, "nodes"), Begin: time.Now()}))
		times.Nodes = c.nodeNames()
	} else if times.Server, err = clocks.Server(c.config); err != nil {
		return nil, err
	}
	all = append(all, clocks.New(c.nodes, sink, times))
	if show == nil {
		return all, nil
	}
	showing, err := logs.New(c.config, show, logs.Options{Namespace: namespace, Display: true, Warn: warn})
	if err != nil {
		return nil, err
	}
	return append(all, showing), nil
}

// logCollector reads the containers' logs, from files on the nodes if that can be
// done, or else from the API server.
func (c *realCluster) logCollector(namespace, dir string, sink collectors.Sink, warn func(string)) (run.Collector, error) {
	if c.handle.Capabilities.CanReadLogFiles {
		return nodelogs.New(c.nodes, sink, nodelogs.Options{Nodes: c.nodeNames(), Namespace: namespace, Dir: dir, Warn: warn}), nil
	}
	return logs.New(c.config, sink, logs.Options{Namespace: namespace, Dir: dir, Warn: warn})
}
