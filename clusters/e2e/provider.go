// Package e2e gives lab's clusters to Go tests that are written with
// sigs.k8s.io/e2e-framework: a Provider is the framework's E2EClusterProvider.
// Its clusters are leased, and given back cleaned, so that the next test has
// one at once.
//
// labs/labtest makes Providers over the pool of the host:
//
//	func TestMain(m *testing.M) {
//		testenv := env.New()
//		testenv.Setup(envfuncs.CreateCluster(labtest.NewProvider("1.29"), "main"))
//		testenv.Finish(envfuncs.DestroyCluster("main"))
//		os.Exit(testenv.Run(m))
//	}
package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/e2e-framework/klient"
	"sigs.k8s.io/e2e-framework/support"
	"sigs.k8s.io/yaml"

	"github.com/kind-lab/lab/clusters"
)

// ErrNone is the cause where a Provider is asked for something of a cluster
// before Create, or after Destroy.
var ErrNone = errors.New("there is no cluster: call Create before")

// Cluster is one that is leased.
type Cluster interface {
	Handle() clusters.Handle
	// LoadImages puts images on every node, LoadArchive those of a tar file.
	LoadImages(ctx context.Context, refs []string) error
	LoadArchive(ctx context.Context, path string) error
	// ExportLogs writes what the nodes logged into a folder.
	ExportLogs(ctx context.Context, dir string) error
	// NodeState is "running", "exited" or another of the engine's words.
	NodeState(ctx context.Context, node string) (string, error)
	// NodeAction does "stop" or "start" to a node's machine.
	NodeAction(ctx context.Context, node, action string) error
	// Release gives it back, and says what became of it; tainted says what was
	// done to it that nobody can undo.
	Release(ctx context.Context, tainted string) (string, error)
}

// Acquire leases a cluster like the Spec, whose version may be a constraint such as
// "1.29", and tells progress what it does.
type Acquire func(ctx context.Context, spec clusters.Spec, progress func(string)) (Cluster, error)

// Options are what a Provider can do without.
type Options struct {
	// Spec is what its clusters are like, where nothing else is asked for.
	Spec clusters.Spec
	// Progress receives what is being done; nil for nobody.
	Progress func(string)
}

// Provider leases a cluster and releases it. It is one cluster's at a time:
// SetDefaults of one that has a cluster returns another Provider. Create and
// Destroy are for one goroutine, the rest between them for several.
type Provider struct {
	acquire        Acquire
	defaults, spec clusters.Spec
	progress       func(string)

	cluster Cluster
	// tainted says what was done that nobody can undo.
	tainted string
}

// New returns a Provider of leased clusters.
func New(acquire Acquire, o Options) *Provider {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	return &Provider{acquire: acquire, defaults: o.Spec, spec: o.Spec, progress: o.Progress}
}

// SetDefaults returns the Provider itself, or one like it where it has a cluster:
// what that one was asked for after its own SetDefaults is forgotten.
func (p *Provider) SetDefaults() support.E2EClusterProvider {
	if p.cluster == nil {
		p.defaults = p.spec
		return p
	}
	return &Provider{acquire: p.acquire, defaults: p.defaults, spec: p.defaults, progress: p.progress}
}

// WithName names the cluster in messages; its name on the host is its own.
func (p *Provider) WithName(name string) support.E2EClusterProvider {
	p.spec.Name = name
	return p
}

// WithVersion asks for a version of Kubernetes, such as "1.29", "v1.29.15" or
// "~> 1.28".
func (p *Provider) WithVersion(version string) support.E2EClusterProvider {
	p.spec.Version = strings.TrimPrefix(version, "v")
	return p
}

// WithPath changes nothing: no program is run that could be elsewhere.
func (p *Provider) WithPath(string) support.E2EClusterProvider { return p }

// WithOpts applies options of this package, such as WithFeatureGate.
func (p *Provider) WithOpts(opts ...support.ClusterOpts) support.E2EClusterProvider {
	for _, o := range opts {
		o(p)
	}
	return p
}

// WithSpec changes what the cluster is like. Other providers than those of this
// package are left alone.
func WithSpec(change func(*clusters.Spec)) support.ClusterOpts {
	return func(c support.E2EClusterProvider) {
		if p, ok := c.(*Provider); ok {
			change(&p.spec)
		}
	}
}

// WithFeatureGate turns a feature gate of every component on or off.
func WithFeatureGate(name string, on bool) support.ClusterOpts {
	return WithSpec(func(s *clusters.Spec) {
		gates := maps.Clone(s.FeatureGates) // which another Provider may have, too
		if gates == nil {
			gates = map[string]bool{}
		}
		gates[name] = on
		s.FeatureGates = gates
	})
}

// WithWorkers asks for so many nodes beside the control plane.
func WithWorkers(n int) support.ClusterOpts {
	return WithSpec(func(s *clusters.Spec) { s.Workers = n })
}

// WithImages loads images into every node before the cluster is used.
func WithImages(refs ...string) support.ClusterOpts {
	return WithSpec(func(s *clusters.Spec) { s.Images = append(slices.Clone(s.Images), refs...) })
}

// Create leases a cluster and returns the path of a kubeconfig for it alone,
// once it is ready. It takes no arguments; what the cluster is like is said
// before.
func (p *Provider) Create(ctx context.Context, args ...string) (string, error) {
	switch {
	case len(args) > 0:
		return "", fmt.Errorf("creating cluster %s: the arguments %q are not understood: use WithVersion and WithOpts", p.spec.Name, args)
	case p.cluster != nil:
		return "", fmt.Errorf("creating cluster %s: there is %s already: call Destroy before, or use another Provider", p.spec.Name, p.cluster.Handle().ID)
	case p.spec.Version == "":
		return "", fmt.Errorf("creating cluster %s: which Kubernetes? Say WithVersion(\"1.29\")", p.spec.Name)
	}
	cluster, err := p.acquire(ctx, p.spec, p.progress)
	if err != nil {
		return "", fmt.Errorf("creating cluster %s: %w", p.spec.Name, err)
	}
	p.cluster, p.tainted = cluster, ""
	return p.GetKubeconfig(), nil
}

// CreateWithConfig is Create with what a file says of the cluster: a
// clusters.Spec in YAML or JSON, such as
//
//	version: "1.28"
//	feature_gates: {SidecarContainers: true}
//	workers: 1
func (p *Provider) CreateWithConfig(ctx context.Context, configFile string) (string, error) {
	text, err := os.ReadFile(configFile)
	if err != nil {
		return "", fmt.Errorf("creating cluster %s: %w", p.spec.Name, err)
	}
	spec := p.spec
	if err := yaml.UnmarshalStrict(text, &spec); err != nil {
		return "", fmt.Errorf("creating cluster %s: %s is no description of a cluster of lab: %w", p.spec.Name, configFile, err)
	}
	spec.Name = p.spec.Name
	p.spec = spec
	return p.Create(ctx)
}

// GetKubeconfig is the path of the cluster's kubeconfig; empty where there is no
// cluster.
func (p *Provider) GetKubeconfig() string {
	if p.cluster == nil {
		return ""
	}
	return p.cluster.Handle().Kubeconfig
}

// GenerateKubeconfig is GetKubeconfig; it takes no arguments.
func (p *Provider) GenerateKubeconfig(args ...string) (string, error) {
	if p.cluster == nil {
		return "", ErrNone
	}
	if len(args) > 0 {
		return "", fmt.Errorf("the arguments %q are not understood: there is one kubeconfig, for this machine", args)
	}
	return p.GetKubeconfig(), nil
}

// GetKubectlContext is the context in the kubeconfig; empty where there is no
// cluster.
func (p *Provider) GetKubectlContext() string {
	config, err := clientcmd.LoadFromFile(p.GetKubeconfig())
	if err != nil {
		return ""
	}
	return config.CurrentContext
}

// KubernetesRestConfig reaches the cluster; nil where there is none.
func (p *Provider) KubernetesRestConfig() *rest.Config {
	if p.cluster == nil {
		return nil
	}
	config, err := clientcmd.BuildConfigFromFlags("", p.GetKubeconfig())
	if err != nil {
		return nil
	}
	return config
}

// WaitForControlPlane asks the API server whether it is ready: Create has waited
// for that, and for the nodes, DNS and the proxies.
func (p *Provider) WaitForControlPlane(ctx context.Context, client klient.Client) error {
	typed, err := kubernetes.NewForConfig(client.RESTConfig())
	if err != nil {
		return fmt.Errorf("reaching cluster %s: %w", p.spec.Name, err)
	}
	if _, err := typed.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx); err != nil {
		return fmt.Errorf("cluster %s is not ready: %w", p.spec.Name, err)
	}
	return nil
}

// ExportLogs writes what the nodes logged into a folder, one for each node below
// it.
func (p *Provider) ExportLogs(ctx context.Context, dest string) error {
	if p.cluster == nil {
		return ErrNone
	}
	return p.cluster.ExportLogs(ctx, dest)
}

// LoadImage puts an image on every node; one that the engine has not is pulled.
// Further arguments are further images.
func (p *Provider) LoadImage(ctx context.Context, image string, args ...string) error {
	if p.cluster == nil {
		return ErrNone
	}
	return p.cluster.LoadImages(ctx, append([]string{image}, args...))
}

// LoadImageArchive puts the images of a tar file, also a compressed one, on every
// node. Further arguments are further files.
func (p *Provider) LoadImageArchive(ctx context.Context, archivePath string, args ...string) error {
	if p.cluster == nil {
		return ErrNone
	}
	for _, path := range append([]string{archivePath}, args...) {
		if err := p.cluster.LoadArchive(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// Destroy gives the cluster back: what was made on it is deleted and it waits for
// the next holder, or it is destroyed where something was done to it that
// cannot be undone.
func (p *Provider) Destroy(ctx context.Context) error {
	if p.cluster == nil {
		return ErrNone
	}
	text, err := p.cluster.Release(ctx, p.tainted)
	p.cluster = nil
	if err != nil {
		return fmt.Errorf("giving back cluster %s: %w", p.spec.Name, err)
	}
	p.progress(text)
	return nil
}

var _ support.E2EClusterProviderWithImageLoader = (*Provider)(nil)
