package runtest

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery/cached/memory"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/objects"
)

// Cluster is a cluster that behaves without being one.
type Cluster struct {
	world  *World
	spec   clusters.Spec
	handle clusters.Handle
	// native says that sidecars are known, ordered that they end in order.
	known, native, ordered bool

	mu sync.Mutex
	// access is what steps are given; cordoned are the nodes that are.
	access   step.Cluster
	cordoned map[string]bool
	// changes counts what was patched.
	changes int
	// processes are those that crictl reported.
	processes []process

	sinks map[string]collectors.Sink
	shows map[string]collectors.Sink
	// jobs are the Jobs and the pods without one, by namespace, kind and name;
	// things are all objects that were applied.
	jobs   map[string]*job
	things map[string]*unstructured.Unstructured
}

func newCluster(w *World, spec clusters.Spec, handle clusters.Handle) *Cluster {
	minor := plan.Minor(spec.Version)
	gate, set := spec.FeatureGates["SidecarContainers"]
	native := minor >= 29
	if set && minor >= 28 {
		native = gate
	}
	c := &Cluster{cordoned: map[string]bool{}, world: w, spec: spec, handle: handle, known: minor >= 28, native: native, ordered: minor >= 29,
		sinks: map[string]collectors.Sink{}, shows: map[string]collectors.Sink{}, jobs: map[string]*job{}, things: map[string]*unstructured.Unstructured{}}
	c.access = step.Cluster{Handle: handle, Nodes: nodes{c}, Client: &step.Client{
		Objects: objects.NewWith(api{cluster: c}, memory.NewMemCacheClient(kinds())), Kubernetes: c.typed(), Stream: c.stream,
		Answers: func(context.Context) error { return nil },
	}}
	return c
}

// Access is what steps are given of it.
func (c *Cluster) Access() step.Cluster { return c.access }

// Allows allows everything.
func (c *Cluster) Allows(step.Forecast) error { return nil }

// Namespace is there at once.
func (c *Cluster) Namespace(ctx context.Context, _ string) error { return ctx.Err() }

// end ends all that runs on it.
func (c *Cluster) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, j := range c.jobs {
		j.cancel()
		delete(c.jobs, key)
	}
}

// DeleteNamespace ends what runs in it.
func (c *Cluster) DeleteNamespace(_ context.Context, name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, j := range c.jobs {
		if j.object.Namespace == name {
			j.cancel()
			delete(c.jobs, key)
		}
	}
	for key := range c.things {
		if strings.HasPrefix(key, name+"/") {
			delete(c.things, key)
		}
	}
	return nil
}

// Collectors tell of what the cluster's pods do.
func (c *Cluster) Collectors(namespace, _ string, _ []collectors.Kind, sink, show collectors.Sink, _ func(string)) ([]run.Collector, error) {
	if c.world.Observing != nil {
		c.world.Observing(c.spec.Name)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sinks[namespace], c.shows[namespace] = sink, show
	ready := make(chan struct{})
	close(ready)
	return []run.Collector{&collector{cluster: c, namespace: namespace, ready: ready}}, nil
}

type collector struct {
	cluster   *Cluster
	namespace string
	ready     chan struct{}
}

func (o *collector) Ready() <-chan struct{} { return o.ready }

func (o *collector) Run(ctx context.Context) error {
	var broken error
	select {
	case <-ctx.Done():
	case broken = <-o.cluster.world.Breaks:
	}
	o.cluster.mu.Lock()
	defer o.cluster.mu.Unlock()
	delete(o.cluster.sinks, o.namespace)
	delete(o.cluster.shows, o.namespace)
	return broken
}

// Sync returns once everything was reported, unless the world's Asked says otherwise.
func (o *collector) Sync(ctx context.Context) error {
	if o.cluster.world.Asked == nil {
		return nil
	}
	o.cluster.mu.Lock()
	sink := o.cluster.sinks[o.namespace]
	o.cluster.mu.Unlock()
	return o.cluster.world.Asked(ctx, sink)
}

var _ run.Syncer = (*collector)(nil)

// tell hands a record to who observes its namespace.
func (c *Cluster) tell(r collectors.Record) {
	if c.world.Holds != nil && c.world.Holds(r) {
		return
	}
	c.mu.Lock()
	sink, show := c.sinks[r.Object.Namespace], c.shows[r.Object.Namespace]
	c.mu.Unlock()
	if show != nil && r.Type == collectors.TypeLog {
		show.Add(r)
	}
	if sink != nil {
		sink.Add(r)
	}
}

// keyOf names an object.
func keyOf(namespace, kind, name string) string {
	return namespace + "/" + strings.ToLower(kind) + "/" + name
}

// firstSidecar is the path of the first restartPolicy of an init container.
func firstSidecar(o *unstructured.Unstructured) string {
	inits, _, err := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "initContainers")
	if err != nil {
		return ""
	}
	for i, item := range inits {
		if m, ok := item.(map[string]any); ok && m["restartPolicy"] != nil {
			return fmt.Sprintf("spec.template.spec.initContainers[%d].restartPolicy", i)
		}
	}
	return ""
}
