package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/e2e-framework/pkg/env"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/envfuncs"
	"sigs.k8s.io/e2e-framework/support"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/e2e"
)

// leaser leases clusters of nothing but an API server that is ready, or not.
type leaser struct {
	t      *testing.T
	server *httptest.Server
	ready  int
	fails  error
	specs  []clusters.Spec
	did    []string
}

func newLeaser(t *testing.T) *leaser {
	l := &leaser{t: t, ready: http.StatusOK}
	l.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			w.WriteHeader(l.ready)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(l.server.Close)
	return l
}

func (l *leaser) acquire(_ context.Context, spec clusters.Spec, progress func(string)) (e2e.Cluster, error) {
	if l.fails != nil {
		return nil, l.fails
	}
	l.specs = append(l.specs, spec)
	progress("leased")
	id := fmt.Sprintf("lab-pool-%d", len(l.specs))
	kubeconfig := filepath.Join(l.t.TempDir(), id+".yaml")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: kind-%s
contexts: [{name: kind-%[1]s, context: {cluster: it, user: me}}]
clusters: [{name: it, cluster: {server: %q}}]
users: [{name: me, user: {}}]
`, id, l.server.URL)
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		return nil, err
	}
	return &leased{l, clusters.Handle{Name: spec.Name, ID: id, Version: spec.Version, Kubeconfig: kubeconfig,
		Nodes: []clusters.Node{{Name: id + "-control-plane", Role: "control-plane"}, {Name: id + "-worker", Role: "worker"}}}}, nil
}

type leased struct {
	leaser *leaser
	handle clusters.Handle
}

func (b *leased) say(format string, args ...any) error {
	b.leaser.did = append(b.leaser.did, b.handle.ID+": "+fmt.Sprintf(format, args...))
	return nil
}

func (b *leased) Handle() clusters.Handle { return b.handle }

func (b *leased) LoadImages(_ context.Context, refs []string) error {
	return b.say("images %s", strings.Join(refs, " "))
}

func (b *leased) LoadArchive(_ context.Context, path string) error {
	return b.say("archive %s", path)
}

func (b *leased) ExportLogs(_ context.Context, dir string) error { return b.say("logs to %s", dir) }

func (b *leased) NodeState(context.Context, string) (string, error) { return "running", nil }

func (b *leased) NodeAction(_ context.Context, node, action string) error {
	return b.say("%s %s", action, node)
}

func (b *leased) Release(_ context.Context, tainted string) (string, error) {
	return "waits", b.say("returned %q", tainted)
}

// do calls the framework's own functions one after the other.
func do(t *testing.T, funcs ...env.Func) *envconf.Config {
	t.Helper()
	ctx, cfg := t.Context(), envconf.New()
	for i, f := range funcs {
		var err error
		if ctx, err = f(ctx, cfg); err != nil {
			t.Fatalf("function %d: %v", i, err)
		}
	}
	return cfg
}

func TestTheFrameworkUsesALeasedCluster(t *testing.T) {
	l := newLeaser(t)
	var told []string
	p := e2e.New(l.acquire, e2e.Options{Spec: clusters.Spec{Version: "1.29"}, Progress: func(text string) { told = append(told, text) }})
	archive := filepath.Join("testdata", "images.tar")
	cfg := do(t,
		envfuncs.CreateClusterWithOpts(p, "main", e2e.WithFeatureGate("A", true), e2e.WithFeatureGate("B", false), e2e.WithWorkers(1), e2e.WithImages("busybox:1.35")),
		envfuncs.LoadImageToCluster("main", "nginx:1", "nginx:2"),
		envfuncs.LoadImageArchiveToCluster("main", archive),
		envfuncs.ExportClusterLogs("main", "logs"),
		envfuncs.DestroyCluster("main"),
	)
	want := []clusters.Spec{{Name: "main", Version: "1.29", FeatureGates: map[string]bool{"A": true, "B": false}, Workers: 1, Images: []string{"busybox:1.35"}}}
	if diff := cmp.Diff(want, l.specs); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	did := []string{"lab-pool-1: images nginx:1 nginx:2", "lab-pool-1: archive " + archive, "lab-pool-1: logs to logs", `lab-pool-1: returned ""`}
	if diff := cmp.Diff(did, l.did); diff != "" {
		t.Errorf("did (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"leased", "waits"}, told); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if !strings.HasSuffix(cfg.KubeconfigFile(), "lab-pool-1.yaml") {
		t.Errorf("kubeconfig %q", cfg.KubeconfigFile())
	}
}

func TestOneProviderMakesSeveralClusters(t *testing.T) {
	l := newLeaser(t)
	p := e2e.New(l.acquire, e2e.Options{}).WithVersion("v1.28")
	do(t,
		envfuncs.CreateClusterWithOpts(p, "on", e2e.WithFeatureGate("SidecarContainers", true)),
		envfuncs.CreateCluster(p, "off"),
		envfuncs.DestroyCluster("on"),
		envfuncs.DestroyCluster("off"),
	)
	want := []clusters.Spec{{Name: "on", Version: "1.28", FeatureGates: map[string]bool{"SidecarContainers": true}}, {Name: "off", Version: "1.28"}}
	if diff := cmp.Diff(want, l.specs); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{`lab-pool-1: returned ""`, `lab-pool-2: returned ""`}, l.did); diff != "" {
		t.Errorf("did (-want +got):\n%s", diff)
	}
}

func TestWhatAClusterIsReachedBy(t *testing.T) {
	p := e2e.New(newLeaser(t).acquire, e2e.Options{Spec: clusters.Spec{Version: "1.29"}})
	if p.GetKubeconfig() != "" || p.GetKubectlContext() != "" || p.KubernetesRestConfig() != nil {
		t.Error("there is something before there is a cluster")
	}
	kubeconfig, err := p.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if generated, err := p.GenerateKubeconfig(); err != nil || generated != kubeconfig || kubeconfig != p.GetKubeconfig() {
		t.Errorf("kubeconfig %q, generated %q, %v", kubeconfig, generated, err)
	}
	if got := p.GetKubectlContext(); got != "kind-lab-pool-1" {
		t.Errorf("context %q", got)
	}
	if config := p.KubernetesRestConfig(); config == nil || !strings.HasPrefix(config.Host, "http://127.0.0.1") {
		t.Errorf("config %+v", config)
	}
}

func TestAControlPlaneThatIsNotReadyIsToldOf(t *testing.T) {
	l := newLeaser(t)
	l.ready = http.StatusInternalServerError
	p := e2e.New(l.acquire, e2e.Options{Spec: clusters.Spec{Version: "1.29"}})
	_, err := envfuncs.CreateCluster(p, "main")(t.Context(), envconf.New())
	if err == nil || !strings.Contains(err.Error(), "cluster main is not ready") {
		t.Errorf("error %v", err)
	}
}

func TestAFileSaysWhatAClusterIsLike(t *testing.T) {
	l := newLeaser(t)
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := file("good.yaml", "version: \"1.28\"\nfeature_gates: {SidecarContainers: true}\nworkers: 2\n")
	do(t, envfuncs.CreateClusterWithConfig(e2e.New(l.acquire, e2e.Options{}), "main", good))
	want := []clusters.Spec{{Name: "main", Version: "1.28", FeatureGates: map[string]bool{"SidecarContainers": true}, Workers: 2}}
	if diff := cmp.Diff(want, l.specs); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	for _, path := range []string{file("kind.yaml", "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n"), filepath.Join(dir, "absent.yaml")} {
		if _, err := e2e.New(l.acquire, e2e.Options{}).CreateWithConfig(t.Context(), path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v", path, err)
		}
	}
}

func TestNodesAreStoppedAndNotAdded(t *testing.T) {
	l := newLeaser(t)
	p := e2e.New(l.acquire, e2e.Options{Spec: clusters.Spec{Version: "1.29"}})
	worker := &support.Node{Name: "lab-pool-1-worker", Cluster: "main"}
	do(t, envfuncs.CreateCluster(p, "main"), envfuncs.PerformNodeOperation("main", support.StopNode, worker), envfuncs.PerformNodeOperation("main", support.StartNode, worker))
	list, err := p.ListNode(t.Context())
	want := []support.Node{{Name: "lab-pool-1-control-plane", Role: "control-plane", Cluster: "main", State: "running"}, {Name: "lab-pool-1-worker", Role: "worker", Cluster: "main", State: "running"}}
	if diff := cmp.Diff(want, list); err != nil || diff != "" {
		t.Errorf("nodes: %v (-want +got):\n%s", err, diff)
	}
	if err := p.StopNode(t.Context(), &support.Node{Name: "other"}); err == nil || !strings.Contains(err.Error(), "lab-pool-1-worker") {
		t.Errorf("a node of no cluster: %v", err)
	}
	for _, err := range []error{p.AddNode(t.Context(), worker), p.RemoveNode(t.Context(), worker)} {
		if err == nil || !strings.Contains(err.Error(), "WithWorkers") {
			t.Errorf("error %v", err)
		}
	}
	if err := p.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	did := []string{"lab-pool-1: stop lab-pool-1-worker", "lab-pool-1: start lab-pool-1-worker", `lab-pool-1: returned "its node lab-pool-1-worker was asked to start"`}
	if diff := cmp.Diff(did, l.did); diff != "" {
		t.Errorf("did (-want +got):\n%s", diff)
	}
}

func TestMisuseIsSaid(t *testing.T) {
	l := newLeaser(t)
	p := e2e.New(l.acquire, e2e.Options{})
	_, noVersion := p.Create(t.Context())
	p.WithVersion("1.29").WithName("main").WithPath("/somewhere/kind")
	_, arguments := p.Create(t.Context(), "--image", "x")
	l.fails = errors.New("no container engine answers")
	_, failed := p.Create(t.Context())
	l.fails = nil
	if _, err := p.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, twice := p.Create(t.Context())
	_, generated := p.GenerateKubeconfig("--internal")
	for want, err := range map[string]error{"WithVersion": noVersion, "--image": arguments, "no container engine answers": failed, "call Destroy before": twice, "--internal": generated} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if err := p.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, generated = p.GenerateKubeconfig()
	_, listed := p.ListNode(t.Context())
	for _, err := range []error{
		p.Destroy(t.Context()), p.ExportLogs(t.Context(), "x"), p.LoadImage(t.Context(), "x"), p.LoadImageArchive(t.Context(), "x"),
		p.StopNode(t.Context(), &support.Node{}), generated, listed,
	} {
		if !errors.Is(err, e2e.ErrNone) {
			t.Errorf("error %v, want ErrNone", err)
		}
	}
}
