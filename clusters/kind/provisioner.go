package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/kind/pkg/cluster"

	"github.com/kind-lab/lab/clusters"
)

// cleanUpLimit bounds the removal of a creation that failed or was cancelled.
const cleanUpLimit = 45 * time.Second

// ErrExists is the cause where there is a cluster of that name already.
var ErrExists = errors.New("cluster exists already")

// Options are what a Provisioner can do without.
type Options struct {
	// EnsureImage makes the engine have an image, a node's or a pod's. It is
	// asked only for what the engine has not. Nil means to pull it.
	EnsureImage func(ctx context.Context, ref string, progress func(string)) error
	// Admit waits until a cluster of so many nodes may begin to boot, and fails
	// where it would run into a limit of the host. What it returns is called
	// when the cluster is ready, or gone. Nil means at once.
	Admit func(ctx context.Context, nodes int, progress func(string)) (func(), error)
}

// Provisioner makes clusters on one engine. It can be used by several
// goroutines at once.
type Provisioner struct {
	engine  clusters.Engine
	host    clusters.Host
	options Options

	starts starts

	mu sync.Mutex
	// active are the creations under way.
	active map[string]*creation
	// written are the kubeconfigs of clusters made here.
	written map[string]string
}

// New returns a Provisioner for the engine, whose clusters are adapted to the
// host.
func New(engine clusters.Engine, host clusters.Host, options Options) *Provisioner {
	return &Provisioner{
		engine:  engine,
		host:    host,
		options: options,
		active:  map[string]*creation{},
		written: map[string]string{},
	}
}

// creation is a cluster on its way.
type creation struct {
	id         string
	spec       clusters.Spec
	config     *v1alpha4.Cluster
	nodes      []clusters.Node
	kubeconfig string
	log        *logger
	say        func(string)
	cancel     context.CancelCauseFunc
	ended      chan struct{}
}

// Create makes a cluster and returns once it is ready: the API server, every
// node, the default service account, CoreDNS and kube-proxy. It is called id on
// the host (see CheckID) and writes a kubeconfig of its own (mode 0600), a file
// that must not exist yet. Spec.Images are not loaded: see LoadImages.
//
// Spec.ReadyTimeout counts from when the images are there. Where Create fails,
// or its context ends, it leaves no container, volume or kubeconfig, and says
// so with ErrLeft where it could not. A cluster that does not come up is a
// *CreateError; other errors wrap ErrName, ErrSpec, ErrExists, ErrNoImage or the
// context's.
func (p *Provisioner) Create(ctx context.Context, spec clusters.Spec, id, kubeconfig string, progress func(string)) (clusters.Handle, error) {
	c, err := p.prepare(spec, id, kubeconfig, serial(progress))
	if err != nil {
		return clusters.Handle{}, err
	}
	ctx, err = p.begin(ctx, c)
	if err != nil {
		return clusters.Handle{}, err
	}
	defer p.end(c)
	if err := p.absent(ctx, c); err != nil {
		return clusters.Handle{}, err
	}
	if err := p.ensureNodeImages(ctx, c); err != nil {
		return clusters.Handle{}, err
	}
	if p.options.Admit != nil {
		leave, err := p.options.Admit(ctx, len(c.nodes), c.say)
		if err != nil {
			return clusters.Handle{}, err
		}
		defer leave()
	}
	return p.make(ctx, c)
}

// prepare checks what can be checked without the engine.
func (p *Provisioner) prepare(spec clusters.Spec, id, kubeconfig string, say func(string)) (*creation, error) {
	if err := CheckID(id, spec.ControlPlanes, spec.Workers); err != nil {
		return nil, err
	}
	cfg, err := config(spec, id, p.host)
	if err != nil {
		return nil, err
	}
	if kubeconfig == "" {
		return nil, fmt.Errorf("%w: no kubeconfig path is named", ErrSpec)
	}
	if kubeconfig, err = filepath.Abs(kubeconfig); err != nil {
		return nil, fmt.Errorf("finding the kubeconfig's place: %w", err)
	}
	return &creation{
		id: id, spec: spec, config: cfg, kubeconfig: kubeconfig, say: say,
		nodes: nodesOf(id, spec.ControlPlanes, spec.Workers),
		log:   newLogger(say),
		ended: make(chan struct{}),
	}, nil
}

// begin notes the creation, so that there is one of a name and Destroy can
// cancel it.
func (p *Provisioner) begin(ctx context.Context, c *creation) (context.Context, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.active[c.id] != nil {
		return nil, fmt.Errorf("%w: %s is being created", ErrExists, c.id)
	}
	ctx, c.cancel = context.WithCancelCause(ctx)
	p.active[c.id] = c
	return ctx, nil
}

func (p *Provisioner) end(c *creation) {
	c.cancel(nil)
	p.mu.Lock()
	delete(p.active, c.id)
	p.mu.Unlock()
	close(c.ended)
}

// absent checks that nothing that is there would be taken for the new cluster.
func (p *Provisioner) absent(ctx context.Context, c *creation) error {
	if err := p.client(); err != nil {
		return err
	}
	found, err := p.containers(ctx, clusterLabel+"="+c.id)
	if err != nil {
		return p.unreachable(err)
	}
	if len(found) > 0 {
		return fmt.Errorf("%w: %s has container %s: remove it with lab gc %s", ErrExists, c.id, found[0].Name, c.id)
	}
	if _, err := os.Lstat(c.kubeconfig); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: its kubeconfig %s is there: move it away", ErrExists, c.kubeconfig)
	}
	if err := os.MkdirAll(filepath.Dir(c.kubeconfig), 0o700); err != nil {
		return fmt.Errorf("making the kubeconfig's folder: %w", err)
	}
	return removeFiles(c.kubeconfig)
}

// make boots the cluster, and takes everything away where that fails.
func (p *Provisioner) make(ctx context.Context, c *creation) (clusters.Handle, error) {
	limit := c.spec.ReadyTimeout
	if limit <= 0 {
		limit = clusters.DefaultReadyTimeout
	}
	booting, stop := context.WithTimeoutCause(ctx, limit, errOverdue)
	defer stop()
	p.mu.Lock()
	p.written[c.id] = c.kubeconfig
	p.mu.Unlock()
	call, err := p.start(c)
	if err != nil {
		return clusters.Handle{}, err
	}
	handle, err := p.boot(booting, c, call)
	if err == nil {
		return handle, nil
	}
	cleaning, done := context.WithTimeout(context.WithoutCancel(ctx), cleanUpLimit)
	defer done()
	if ctx.Err() == nil {
		c.say("failed, looking for the reason")
		err = p.explain(cleaning, c, err, limit)
	}
	// A Ctrl-C ends the library's commands a moment before it ends ctx.
	if ctx.Err() != nil {
		c.say("cancelled, removing the cluster")
		err = fmt.Errorf("cluster %s was cancelled (%s): %w", c.id, c.log.current(), context.Cause(ctx))
	}
	if left := p.remove(cleaning, c.id, c.kubeconfig, call.busy); left != nil {
		err = errors.Join(err, left)
	}
	return clusters.Handle{}, err
}

// errOverdue is why a cluster that does not get ready is given up.
var errOverdue = errors.New("the time to get ready is over")

// call is the library's Create, which knows no context.
type call struct {
	done chan struct{}
	err  error
}

func (c *call) busy() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// start runs the library's Create. It keeps what it made where it fails, so
// that the reason can be found.
func (p *Provisioner) start(c *creation) (*call, error) {
	provider, err := p.provider(c.log)
	if err != nil {
		return nil, err
	}
	made := &call{done: make(chan struct{})}
	go func() {
		defer close(made.done)
		made.err = provider.Create(c.id,
			cluster.CreateWithV1Alpha4Config(c.config),
			cluster.CreateWithKubeconfigPath(c.kubeconfig),
			cluster.CreateWithRetain(true),
			cluster.CreateWithWaitForReady(0),
		)
	}()
	return made, nil
}

func (p *Provisioner) provider(l *logger) (*cluster.Provider, error) {
	var engine cluster.ProviderOption
	switch p.engine.Name {
	case "docker":
		engine = cluster.ProviderWithDocker()
	case "podman":
		engine = cluster.ProviderWithPodman()
	case "nerdctl":
		engine = cluster.ProviderWithNerdctl("nerdctl")
	default:
		return nil, fmt.Errorf("%w: engine %q is none of docker, podman and nerdctl", ErrSpec, p.engine.Name)
	}
	return cluster.NewProvider(engine, cluster.ProviderWithLogger(l)), nil
}

// boot returns once the cluster is ready, cannot get ready, or ctx ends.
func (p *Provisioner) boot(ctx context.Context, c *creation, made *call) (clusters.Handle, error) {
	ctx, giveUp := context.WithCancelCause(ctx)
	wait := p.watch(ctx, c, giveUp)
	defer wait()
	hurried := make(chan struct{})
	var beside sync.WaitGroup
	beside.Go(func() {
		defer close(hurried)
		if err := p.speedUp(ctx, c); err != nil {
			giveUp(err)
		}
	})
	defer beside.Wait()
	defer giveUp(nil)
	select {
	case <-made.done:
		if made.err != nil {
			return clusters.Handle{}, made.err
		}
	case <-ctx.Done():
		return clusters.Handle{}, context.Cause(ctx)
	}
	if err := os.Chmod(c.kubeconfig, 0o600); err != nil {
		return clusters.Handle{}, fmt.Errorf("protecting the kubeconfig: %w", err)
	}
	c.log.begin("Waiting for readiness")
	c.say("Waiting for readiness")
	handle, err := p.ready(ctx, c)
	if err != nil {
		return clusters.Handle{}, err
	}
	select {
	case <-hurried:
		return handle, nil
	case <-ctx.Done():
		return clusters.Handle{}, context.Cause(ctx)
	}
}
