package pool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
)

// fakeHost makes clusters of nothing, and is the API server of each.
type fakeHost struct {
	mu    sync.Mutex
	there map[string]*fakeCluster
	made  int
	// createTakes is how long a cluster needs to be ready, destroyTakes until it
	// is gone; destroying is called when that begins.
	createTakes, destroyTakes time.Duration
	destroying                func()
	// createFails and wakeFails are errors; destroyFails counts failures.
	createFails, wakeFails error
	destroyFails           int
	// kubeletsNotice says that nodes are not ready once they run again.
	kubeletsNotice bool
	// single says that its clusters cannot be reused.
	single bool
}

type fakeCluster struct {
	host    *fakeHost
	id      string
	state   string
	objects Objects
	// stays is the object that is never gone; going are those that are asked to
	// go, and go after so many looks.
	stays    Object
	going    map[Object]int
	deleted  []string
	unready  map[string]string
	marked   []string
	kibibyte int
	passes   int
	born     int
}

func newHost() *fakeHost { return &fakeHost{there: map[string]*fakeCluster{}} }

func object(text string) Object {
	resource, name, _ := strings.Cut(text, " ")
	o := Object{Version: "v1", Resource: resource, Name: name}
	if namespace, name, found := strings.Cut(name, "/"); found {
		o.Namespace, o.Name = namespace, name
	}
	return o
}

func (h *fakeHost) Create(ctx context.Context, spec clusters.Spec, id, kubeconfig string, progress func(string)) (clusters.Handle, error) {
	_ = clusters.Pause(ctx, h.createTakes) // the end of ctx is seen below
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := errors.Join(h.createFails, ctx.Err()); err != nil {
		return clusters.Handle{}, err
	}
	if h.there[id] != nil {
		return clusters.Handle{}, errors.New("it exists")
	}
	if err := os.WriteFile(kubeconfig, []byte(id), 0o600); err != nil {
		return clusters.Handle{}, err
	}
	progress("Starting control-plane")
	h.made++
	h.there[id] = &fakeCluster{host: h, id: id, state: "running", kibibyte: 400 << 10, going: map[Object]int{}, unready: map[string]string{},
		objects: Objects{object("namespaces default"): "1", object("deployments kube-system/coredns"): "1"}}
	return clusters.Handle{Name: spec.Name, ID: id, Version: spec.Version, Kubeconfig: kubeconfig,
		Nodes: []clusters.Node{{Name: id + "-control-plane", Role: "control-plane"}}}, nil
}

func (h *fakeHost) LoadImages(context.Context, clusters.Handle, []string, func(string)) error {
	return nil
}

func (h *fakeHost) Destroy(ctx context.Context, id string) error {
	if h.destroying != nil {
		h.destroying()
	}
	if err := clusters.Pause(ctx, h.destroyTakes); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.destroyFails > 0 {
		h.destroyFails--
		return errors.New("device or resource busy")
	}
	delete(h.there, id)
	return ctx.Err()
}

// Capabilities are those of clusters of our own, unless the host says otherwise.
func (h *fakeHost) Capabilities(clusters.Spec) clusters.Capabilities {
	can := clusters.OwnCluster()
	can.CanReuse, can.CanListOrphans = !h.single, false
	return can
}

// provider states the same.
func (h *fakeHost) provider() *clusters.Provider {
	return &clusters.Provider{Name: clusters.ProviderKind, Capabilities: h.Capabilities}
}

func (h *fakeHost) Fingerprint(_ context.Context, spec clusters.Spec) (string, error) {
	return fmt.Sprint(spec.Version, spec.FeatureGates), nil
}

func (h *fakeHost) node(name string) (*fakeCluster, error) {
	if c := h.there[strings.TrimSuffix(name, "-control-plane")]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("there is no container %s", name)
}

func (h *fakeHost) NodeState(_ context.Context, node string) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c, err := h.node(node)
	if err != nil {
		return "", err
	}
	return c.state, nil
}

func (h *fakeHost) NodeAction(_ context.Context, node, action string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	c, err := h.node(node)
	if err != nil {
		return err
	}
	if action == "pause" {
		c.state = "paused"
		return nil
	}
	if h.wakeFails != nil {
		return h.wakeFails
	}
	c.state = "running"
	if h.kubeletsNotice {
		c.unready[node] = "container runtime is down"
	}
	return nil
}

func (h *fakeHost) NodeExec(_ context.Context, node string, _ io.Reader, stdout, _ io.Writer, cmd ...string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	c, err := h.node(node)
	if err != nil {
		return err
	}
	if c.state != "running" {
		return errors.New("the container is paused")
	}
	said := c.kibibyte
	if strings.Contains(cmd[len(cmd)-1], "node_collector") {
		c.passes++ // the controller manager looks again and again
		said = c.passes
	}
	if strings.HasSuffix(cmd[len(cmd)-1], born) {
		said = c.born
	}
	if stdout == nil {
		return nil
	}
	_, err = fmt.Fprintln(stdout, said)
	return err
}

// left are the clusters that are there, with their states.
func (h *fakeHost) left() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []string
	for _, id := range slices.Sorted(maps.Keys(h.there)) {
		list = append(list, id+" "+h.there[id].state)
	}
	return list
}

// connect reaches the cluster whose kubeconfig holds its name.
func (h *fakeHost) connect(kubeconfig string) (API, error) {
	id, err := os.ReadFile(kubeconfig)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if c := h.there[string(id)]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("cluster %s is not there", id)
}

func (c *fakeCluster) asked() error {
	if c.host.there[c.id] != c || c.state != "running" {
		return errors.New("connection refused")
	}
	return nil
}

func (c *fakeCluster) Ready(context.Context) error {
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	return c.asked()
}

func (c *fakeCluster) Unready(context.Context) (map[string]string, error) {
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	return maps.Clone(c.unready), c.asked()
}

func (c *fakeCluster) Renewed(context.Context) (map[string]time.Time, error) {
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	return map[string]time.Time{c.id + "-control-plane": time.Now()}, c.asked()
}

func (c *fakeCluster) MarkPodsReady(context.Context) error {
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	return c.asked()
}

func (c *fakeCluster) MarkReady(_ context.Context, node string) error {
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	delete(c.unready, node)
	c.marked = append(c.marked, node)
	return c.asked()
}

func (c *fakeCluster) Objects(ctx context.Context) (Objects, error) {
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	for o := range c.going {
		if c.going[o]--; c.going[o] > 0 || o == c.stays {
			continue
		}
		delete(c.going, o)
		maps.DeleteFunc(c.objects, func(other Object, _ string) bool {
			return other == o || o.Resource == "namespaces" && other.Namespace == o.Name
		})
	}
	return maps.Clone(c.objects), errors.Join(c.asked(), ctx.Err())
}

func (c *fakeCluster) Delete(_ context.Context, o Object) error {
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	c.going[o] = 2
	c.deleted = append(c.deleted, o.String())
	return c.asked()
}

func (c *fakeCluster) Finish(_ context.Context, namespace string) error {
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	for o := range c.objects {
		if o.Namespace == namespace {
			return fmt.Errorf("%s is still in namespace %s", o, namespace)
		}
	}
	return c.asked()
}

func (c *fakeCluster) Stuck(context.Context, Object) string { return "finalizers example.com/never" }

// change does something to a cluster's objects, as a run would.
func (h *fakeHost) change(id string, do func(c *fakeCluster)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	do(h.there[id])
}

func (h *fakeHost) pool(t *testing.T, dir string) *Pool {
	t.Helper()
	return New(h, Options{Dir: dir, MaxIdle: 8, MaxMemory: 8 << 30, Connect: h.connect})
}

// acquire leases a cluster of a version.
func acquire(t *testing.T, p *Pool, version, id string) (clusters.Handle, string) {
	t.Helper()
	var said []string
	handle, err := p.Create(t.Context(), clusters.Spec{Name: "v", Version: version}, id, filepath.Join(t.TempDir(), "k.yaml"),
		func(text string) { said = append(said, text) })
	if err != nil {
		t.Fatal(err)
	}
	return handle, strings.Join(said, "\n")
}

// giveBack returns what was said of it.
func release(t *testing.T, p *Pool, id, tainted string) string {
	t.Helper()
	text, err := p.Release(t.Context(), id, tainted, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

var _ Maker = (*fakeHost)(nil)
var _ API = (*fakeCluster)(nil)
