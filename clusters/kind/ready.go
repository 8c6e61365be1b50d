package kind

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kind-lab/lab/clusters"
)

// answerLimit bounds one question to the API server.
const answerLimit = 5 * time.Second

// ready waits for the cluster to be ready and says what it is. The error is a
// *NotReadyError where ctx ended before.
func (p *Provisioner) ready(ctx context.Context, c *creation) (clusters.Handle, error) {
	client, err := connect(c.kubeconfig)
	if err != nil {
		return clusters.Handle{}, err
	}
	if err := readyz(ctx, client); err != nil {
		return clusters.Handle{}, err
	}
	nodes, err := await(ctx, client, len(c.nodes))
	if err != nil {
		return clusters.Handle{}, err
	}
	return p.handle(c, client, nodes)
}

func connect(kubeconfig string) (kubernetes.Interface, error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	cfg.UserAgent = "lab"
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	return client, nil
}

// readyz asks the API server until it says that it is ready.
func readyz(ctx context.Context, client kubernetes.Interface) error {
	for {
		asking, done := context.WithTimeout(ctx, answerLimit)
		body, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").Param("verbose", "").DoRaw(asking)
		done()
		if err == nil {
			return nil
		}
		if clusters.Pause(ctx, again) != nil {
			return &NotReadyError{Waiting: []string{"API server: " + failedChecks(string(body), err)}, Err: context.Cause(ctx)}
		}
	}
}

// failedChecks are the lines of a verbose /readyz that do not say ok, or the
// error where there is none.
func failedChecks(body string, err error) string {
	var failed []string
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, "[-]") {
			failed = append(failed, strings.TrimSpace(line))
		}
	}
	if len(failed) == 0 {
		return err.Error()
	}
	return strings.Join(failed, ", ")
}

// await watches until all that a cluster must have is there and returns its
// nodes.
func await(ctx context.Context, client kubernetes.Interface, want int) ([]*corev1.Node, error) {
	changed := make(chan struct{}, 1)
	s := &sources{want: want, changed: changed}
	watching, stop := context.WithCancel(ctx)
	end, err := s.start(watching, client)
	defer end()
	defer stop()
	if err != nil {
		return nil, err
	}
	for {
		now := s.state()
		waiting := now.waiting()
		if len(waiting) == 0 {
			return now.nodes, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, &NotReadyError{Waiting: append(waiting, troubledPods(ctx, client)...), Err: context.Cause(ctx)}
		}
	}
}

// sources are the objects that are watched.
type sources struct {
	want    int
	changed chan struct{}

	cluster, home, system informers.SharedInformerFactory
}

// start begins to watch; end returns once that is over, after the context's
// end.
func (s *sources) start(ctx context.Context, client kubernetes.Interface) (end func(), err error) {
	const never = 0
	s.cluster = informers.NewSharedInformerFactory(client, never)
	s.home = informers.NewSharedInformerFactoryWithOptions(client, never, informers.WithNamespace(metav1.NamespaceDefault),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) {
			o.FieldSelector = fields.OneTermEqualSelector("metadata.name", "default").String()
		}))
	s.system = informers.NewSharedInformerFactoryWithOptions(client, never, informers.WithNamespace(metav1.NamespaceSystem))
	factories := []informers.SharedInformerFactory{s.cluster, s.home, s.system}
	end = func() {
		for _, f := range factories {
			f.Shutdown()
		}
	}
	for _, informer := range []cache.SharedIndexInformer{
		s.cluster.Core().V1().Nodes().Informer(),
		s.home.Core().V1().ServiceAccounts().Informer(),
		s.system.Apps().V1().Deployments().Informer(),
		s.system.Apps().V1().DaemonSets().Informer(),
	} {
		if err := s.listen(informer); err != nil {
			return end, err
		}
	}
	for _, f := range factories {
		f.Start(ctx.Done())
	}
	return end, nil
}

func (s *sources) listen(informer cache.SharedIndexInformer) error {
	tell := func() {
		select {
		case s.changed <- struct{}{}:
		default:
		}
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { tell() },
		UpdateFunc: func(any, any) { tell() },
		DeleteFunc: func(any) { tell() },
	})
	if err == nil {
		// An API server that goes away for a moment is nothing to write about.
		err = informer.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) { tell() })
	}
	if err != nil {
		return fmt.Errorf("watching for readiness: %w", err)
	}
	return nil
}

// handle says what the cluster is, once it is ready.
func (p *Provisioner) handle(c *creation, client kubernetes.Interface, nodes []*corev1.Node) (clusters.Handle, error) {
	version, err := client.Discovery().ServerVersion()
	if err != nil {
		return clusters.Handle{}, fmt.Errorf("asking the API server for its version: %w", err)
	}
	runs := strings.TrimPrefix(version.GitVersion, "v")
	if !isVersion(runs, c.spec.Version) {
		return clusters.Handle{}, fmt.Errorf("%w: node image %s runs Kubernetes %s, not %s", ErrSpec, c.spec.Image, runs, c.spec.Version)
	}
	return clusters.Handle{
		Name:       c.spec.Name,
		ID:         c.id,
		Version:    runs,
		Kubeconfig: c.kubeconfig,
		Nodes:      c.nodes,
		Runtime:    nodes[0].Status.NodeInfo.ContainerRuntimeVersion,
		Cgroup:     p.host.Cgroup,

		Capabilities: p.Capabilities(c.spec),
	}, nil
}

// isVersion says whether what runs is what was asked for: 1.28.15+x is 1.28.15
// and 1.28, and 1.28.1 is not.
func isVersion(runs, want string) bool {
	rest, found := strings.CutPrefix(runs, want)
	return found && (rest == "" || strings.ContainsAny(rest[:1], ".+-"))
}
