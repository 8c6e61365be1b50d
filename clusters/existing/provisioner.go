package existing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kind-lab/lab/clusters"
)

// The causes of errors.
var (
	// ErrContext says that the kubeconfig or the context cannot be used.
	ErrContext = errors.New("no such cluster")
	// ErrUnreachable says that the API server does not answer.
	ErrUnreachable = errors.New("the cluster cannot be reached")
	// ErrVersion says that it is of a version that cannot be used.
	ErrVersion = errors.New("the cluster is of another version")
	// ErrExists says that there is a cluster of that id already.
	ErrExists = errors.New("cluster is in use already")
	// ErrLeft says that something of the run is left on the cluster.
	ErrLeft = errors.New("something is left on the cluster")
)

// cleanUpLimit bounds what is done where a creation failed.
const cleanUpLimit = 20 * time.Second

// skewed is how far a cluster's clock may be from this machine's without a word.
const skewed = 500 * time.Millisecond

// Options are what a Provisioner can do without.
type Options struct {
	// Host names this machine to others; empty means its host name.
	Host string
	// Expires is how long a Lease lasts that is not renewed, GivesUp how long
	// its renewal is tried, and Renews how often. Zero means 30 s, 20 s, 5 s.
	Expires, GivesUp, Renews time.Duration
	// UserAgent is the name that API servers see.
	UserAgent string
}

// Provisioner finds clusters. It can be used by several goroutines at once.
type Provisioner struct {
	options Options

	mu sync.Mutex
	// used are the clusters in use, by id.
	used map[string]*connection
	// adopted are the kubeconfigs of others, by id.
	adopted map[string]string
}

// New returns a Provisioner.
func New(options Options) *Provisioner {
	if options.Host == "" {
		options.Host = "unknown host"
		if name, err := os.Hostname(); err == nil {
			options.Host = name
		}
	}
	for _, f := range []struct {
		field *time.Duration
		value time.Duration
	}{{&options.Expires, 30 * time.Second}, {&options.GivesUp, 20 * time.Second}, {&options.Renews, 5 * time.Second}} {
		if *f.field == 0 {
			*f.field = f.value
		}
	}
	return &Provisioner{options: options, used: map[string]*connection{}, adopted: map[string]string{}}
}

// connection is a cluster in use by a run.
type connection struct {
	id, kubeconfig string
	spec           clusters.Spec
	say            func(string)
	cancel         context.CancelFunc
	created        chan struct{} // closed where Create is over

	reach  *reach
	client kubernetes.Interface
	lock   *lock
	// access is the namespace of the pods that reach the nodes, which are in pods
	// by their nodes; empty where they are out of reach.
	access string
	pods   map[string]string
}

// setting is one of the provider's own arguments; empty if it is not set.
func (c *connection) setting(name string) string { return c.spec.Settings[name] }

// Create connects to the cluster that the spec names, and returns once the run
// has it for itself: the API server answers, the account has the rights that
// are needed, and the Lease is taken. It writes a kubeconfig of its own (mode
// 0600), a file that must not exist yet.
//
// Where it fails, or its context ends, neither a Lease nor a kubeconfig is
// left. The error wraps ErrContext, ErrUnreachable, ErrVersion, ErrExists or
// the context's, or is a *RightsError or a *HeldError.
func (p *Provisioner) Create(ctx context.Context, spec clusters.Spec, id, kubeconfig string, progress func(string)) (clusters.Handle, error) {
	if spec.Provider != Name {
		return clusters.Handle{}, fmt.Errorf("%w: the spec of %s is for provider %q", ErrContext, id, spec.ProviderName())
	}
	kubeconfig, err := filepath.Abs(kubeconfig)
	if err != nil {
		return clusters.Handle{}, fmt.Errorf("finding the kubeconfig's place: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &connection{id: id, kubeconfig: kubeconfig, spec: spec, say: serial(progress), cancel: cancel, created: make(chan struct{})}
	defer close(c.created)
	if err := p.begin(c); err != nil {
		return clusters.Handle{}, err
	}
	limit := spec.ReadyTimeout
	if limit <= 0 {
		limit = clusters.DefaultReadyTimeout
	}
	limited, done := context.WithTimeout(ctx, limit)
	defer done()
	handle, err := p.connect(limited, c)
	if err == nil {
		return handle, nil
	}
	switch {
	case ctx.Err() != nil:
		err = fmt.Errorf("connecting to %s was cancelled: %w", id, errors.Join(ctx.Err(), err))
	case limited.Err() != nil:
		err = fmt.Errorf("%w: not connected within ready_timeout, %s: %w", ErrUnreachable, limit, err)
	}
	cleaning, stop := context.WithTimeout(context.WithoutCancel(ctx), cleanUpLimit)
	defer stop()
	if c.lock != nil {
		err = errors.Join(err, c.clean(cleaning), c.lock.release(cleaning))
	}
	p.forget(id)
	return clusters.Handle{}, err
}

// begin notes the connection, so that there is one of an id.
func (p *Provisioner) begin(c *connection) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used[c.id] != nil {
		return fmt.Errorf("%w: %s", ErrExists, c.id)
	}
	p.used[c.id] = c
	return nil
}

func (p *Provisioner) forget(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.used, id)
	delete(p.adopted, id)
}

// connect does what Create promises; a kubeconfig that it wrote it removes
// where it fails.
func (p *Provisioner) connect(ctx context.Context, c *connection) (handle clusters.Handle, err error) {
	if c.reach, err = find(c.spec.Settings); err != nil {
		return handle, err
	}
	c.say(fmt.Sprintf("connecting to context %q", c.reach.context))
	if c.client, err = p.client(c.reach); err != nil {
		return handle, err
	}
	v, err := versionOf(ctx, c.client, c.reach.context)
	if err != nil {
		return handle, err
	}
	c.say("checking the account's rights")
	nodes, err := c.rights(ctx)
	if err != nil {
		return handle, err
	}
	if err := c.reach.write(c.kubeconfig); err != nil {
		return handle, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeFile(c.kubeconfig))
		}
	}()
	c.lock = p.newLock(c.client, c.id, c.setting(settingNamespace), c.reach.context)
	c.say("taking the Lease " + c.lock.name())
	if err := c.lock.take(ctx, c.say); err != nil {
		return handle, err
	}
	left, ahead, err := c.lock.enter(ctx)
	if err != nil {
		return handle, err
	}
	if ahead.Abs() > skewed {
		c.say(fmt.Sprintf("the cluster's clock is %s ahead of this machine's: times of steps and of containers cannot be compared finer than that", ahead.Round(time.Second/10)))
	}
	for _, other := range left {
		c.say(fmt.Sprintf("the run of %s was kept or did not clean up: remove what it left with: lab gc %s", other, other))
	}
	handle = clusters.Handle{
		Name: c.spec.Name, Provider: Name, ID: c.id, Version: v.String(), Kubeconfig: c.kubeconfig,
		Capabilities: capabilities(c.spec),
	}
	if !nodes {
		c.say("the account may not list and watch nodes: target.nodes is not known, and their conditions are not recorded")
	} else if err := c.nodes(ctx, &handle); err != nil {
		return handle, err
	}
	handle.Capabilities.CanWatchNodes = nodes
	if c.setting(settingNodeAccess) == "" {
		return handle, nil
	}
	return handle, c.openNodes(ctx, &handle)
}

// client is a client of the API server.
func (p *Provisioner) client(r *reach) (kubernetes.Interface, error) {
	r.config.UserAgent = p.options.UserAgent
	client, err := kubernetes.NewForConfig(r.config)
	if err != nil {
		return nil, fmt.Errorf("%w: context %q: %w", ErrContext, r.context, err)
	}
	return client, nil
}

// nodes tells of the cluster's nodes.
func (c *connection) nodes(ctx context.Context, handle *clusters.Handle) error {
	list, err := c.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing the nodes: %w", err)
	}
	var workers []clusters.Node
	for _, n := range list.Items {
		if _, controls := n.Labels["node-role.kubernetes.io/control-plane"]; controls {
			handle.Nodes = append(handle.Nodes, clusters.Node{Name: n.Name, Role: "control-plane"})
		} else {
			workers = append(workers, clusters.Node{Name: n.Name, Role: "worker"})
		}
		handle.Runtime = oneRuntime(handle.Runtime, n)
	}
	handle.Nodes = append(handle.Nodes, workers...)
	return nil
}

// oneRuntime is the runtime of the nodes so far and of one more; where they
// differ, all of them.
func oneRuntime(known string, n corev1.Node) string {
	this := n.Status.NodeInfo.ContainerRuntimeVersion
	switch known {
	case "", this:
		return this
	}
	return "several"
}

// LoadImages returns a *clusters.CapabilityError, unless no image is named: the
// nodes pull their images themselves.
func (p *Provisioner) LoadImages(_ context.Context, handle clusters.Handle, refs []string, _ func(string)) error {
	if len(refs) == 0 {
		return nil
	}
	return Provider().Lacks(handle.Name, clusters.LoadImages)
}

// of is the connection of an id; nil where there is none.
func (p *Provisioner) of(id string) *connection {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used[id]
}

// Held says where a run no longer has the cluster for itself: its Lease could
// not be renewed.
func (p *Provisioner) Held(id string) error {
	c := p.of(id)
	if c == nil || c.lock == nil {
		return fmt.Errorf("%s is not in use", id)
	}
	return c.lock.held()
}

// serial hands one line at a time on; nil means that nobody listens.
func serial(progress func(string)) func(string) {
	var mu sync.Mutex
	return func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if progress != nil {
			progress(text)
		}
	}
}
