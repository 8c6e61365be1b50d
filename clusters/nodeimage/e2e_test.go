//go:build e2e

package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/kind/pkg/cluster"

	"github.com/kind-lab/lab/clusters"
)

// realProvider works with the Docker engine of this machine, and with the
// version of kind that go.mod pins.
func realProvider(t *testing.T, cache string) *Provider {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", kindModule).Output()
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Options{Engine: clusters.Engine{Name: "docker"}, Cache: cache, Kind: strings.TrimSpace(string(out))})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// docker runs the engine's command line.
func docker(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("docker", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("docker %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// had is the node image of the version that the other tests use.
func had(t *testing.T) (*Provider, string) {
	t.Helper()
	p := realProvider(t, "")
	r, err := p.Resolve(t.Context(), "1.28", "")
	if err != nil {
		t.Fatal(err)
	}
	ref, err := p.Ensure(t.Context(), r, func(e Event) { t.Logf("%d/%d %s %s %s", e.Step, e.Steps, e.State, e.Stage, e.Text) })
	if err != nil {
		t.Fatal(err)
	}
	return p, ref
}

func TestRealList(t *testing.T) {
	p, ref := had(t)
	inv, err := p.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(inv.Images, func(i Image) bool { return i.Ref == ref })
	if i < 0 || inv.Images[i].Role != RoleNode || inv.Images[i].Size == 0 || inv.Images[i].Version != strings.TrimPrefix(ref, DefaultRepository+":v") {
		t.Errorf("the inventory has %+v", inv.Images)
	}
	before := len(inv.Images)
	if _, err := p.Prune(t.Context(), PruneOptions{All: true, DryRun: true}, nil); err != nil {
		t.Error(err)
	}
	if inv, err = p.List(t.Context()); err != nil || len(inv.Images) != before {
		t.Errorf("to look is to remove: %d images of %d, %v", len(inv.Images), before, err)
	}
}

// TestRealNodes boots two nodes and lets pods of both of them speak with each
// other, by name.
func TestRealNodes(t *testing.T) {
	p, image := had(t)
	if err := p.EnsureImage(t.Context(), "busybox:1.35", nil); err != nil {
		t.Fatal(err)
	}
	const name = "lab-nodeimage-e2e"
	nodes := cluster.NewProvider(cluster.ProviderWithDocker())
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	remove := func() {
		if err := nodes.Delete(name, kubeconfig); err != nil {
			t.Error(err)
		}
	}
	remove()
	t.Cleanup(remove)
	begun := time.Now()
	err := nodes.Create(name, cluster.CreateWithKubeconfigPath(kubeconfig), cluster.CreateWithWaitForReady(3*time.Minute), cluster.CreateWithV1Alpha4Config(&v1alpha4.Cluster{
		Nodes: []v1alpha4.Node{{Role: v1alpha4.ControlPlaneRole, Image: image}, {Role: v1alpha4.WorkerRole, Image: image}},
		// For hosts whose containers cannot lower their score.
		ContainerdConfigPatches: []string{"[plugins.\"io.containerd.grpc.v1.cri\"]\n  restrict_oom_score_adj = true\n"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("two nodes came up in %s", time.Since(begun).Round(100*time.Millisecond))
	control := name + "-control-plane"
	kubectl := func(stdin string, args ...string) string {
		t.Helper()
		cmd := exec.Command("docker", append([]string{"exec", "--interactive", control, "kubectl", "--kubeconfig=/etc/kubernetes/admin.conf"}, args...)...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	for _, node := range []string{control, name + "-worker"} {
		load := exec.Command("sh", "-c", "docker save busybox:1.35 | docker exec --interactive "+node+" ctr --namespace=k8s.io images import --all-platforms --digests --snapshotter=overlayfs -")
		if out, err := load.CombinedOutput(); err != nil {
			t.Fatalf("loading busybox: %v\n%s", err, out)
		}
		kubectl(fmt.Sprintf(serverPod, node, node), "apply", "--filename=-")
	}
	kubectl(fmt.Sprintf(clientPod, control), "apply", "--filename=-")
	kubectl("", "wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/client", "--timeout=120s")
	logs := kubectl("", "logs", "client")
	for _, node := range []string{control, name + "-worker"} {
		if !strings.Contains(logs, "server-"+node) {
			t.Errorf("the pod on %s never answered:\n%s", node, logs)
		}
	}
	kubectl("", "wait", "--for=condition=Available", "--namespace=kube-system", "deployment/coredns", "--timeout=60s")
}

const serverPod = `
apiVersion: v1
kind: Pod
metadata: {name: server-%s, labels: {app: server}}
spec:
  nodeName: %s
  tolerations: [{operator: Exists}]
  containers:
  - {name: server, image: "busybox:1.35", command: [sh, -c, "mkdir /www; hostname > /www/index.html; exec httpd -f -p 8080 -h /www"]}
---
apiVersion: v1
kind: Service
metadata: {name: server}
spec: {selector: {app: server}, ports: [{port: 80, targetPort: 8080}]}
`

const clientPod = `
apiVersion: v1
kind: Pod
metadata: {name: client}
spec:
  nodeName: %s
  restartPolicy: Never
  tolerations: [{operator: Exists}]
  containers:
  - {name: client, image: "busybox:1.35", command: [sh, -c, "for i in $(seq 1 40); do wget -qO- http://server; sleep 0.2; done; true"]}
`

func TestRealBusybox(t *testing.T) {
	p := realProvider(t, t.TempDir())
	const ref = "busybox:1"
	t.Cleanup(func() { docker(t, "image", "rm", ref) })
	if err := p.EnsureImage(t.Context(), ref, nil); err != nil {
		t.Fatal(err)
	}
	if out := docker(t, "run", "--rm", ref, "sh", "-c", "seq 1 3 | tail -1; env | grep -c PATH"); out != "3\n1" {
		t.Errorf("busybox says %q", out)
	}
}

// userlandOf makes the userland alone, in a real cache.
func userlandOf(ctx context.Context, p *Provider, progress Progress) error {
	r := p.nodes.(*recipe)
	b := &builder{store: p.store, progress: progress, beat: 50 * time.Millisecond, image: "test"}
	facts, err := r.kindFacts(ctx)
	if err != nil {
		return err
	}
	s := &sharedParts{facts: facts, versions: map[string]string{}}
	if s.files, err = facts.baseFiles(); err != nil {
		return err
	}
	_, err = r.userlandStage(ctx, b, s)
	return err
}

// spotless fails where a stage that failed has left something.
func spotless(t *testing.T, p *Provider) {
	t.Helper()
	if left, err := os.ReadDir(filepath.Join(p.store.root, partDir)); err != nil || len(left) > 0 {
		t.Errorf("left in the cache: %v, %v", left, err)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	if mount := mountBelow(string(mounts), filepath.Join(p.store.root, partDir)); mount != "" {
		t.Errorf("left mounted: %s", mount)
	}
}

func TestRealTinyDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=60m"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	p := realProvider(t, filepath.Join(disk, "cache"))
	version := clusters.Version{Major: 1, Minor: 28, Patch: 15}
	if err := p.checkSpace(t.Context(), version); !errors.Is(err, ErrNoSpace) || !strings.Contains(err.Error(), "0.1 GB are free") {
		t.Errorf("before the build: %v", err)
	}
	err := userlandOf(t.Context(), p, nil)
	if !errors.Is(err, ErrNoSpace) || !strings.Contains(err.Error(), "userland") {
		t.Errorf("during the build: %v", err)
	}
	spotless(t, p)
	if free, err := freeBytes(disk); err != nil || free < 55*mib {
		t.Errorf("%d MiB of 60 are free after the failure, %v", free/mib, err)
	}
}

func TestRealInterruption(t *testing.T) {
	p := realProvider(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	err := userlandOf(ctx, p, func(e Event) {
		// By now /proc is mounted in the new root.
		if strings.HasPrefix(e.Text, "Unpacking") || strings.HasPrefix(e.Text, "Configuring") {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the interrupted build returned %v", err)
	}
	spotless(t, p)
	if out, err := exec.Command("pgrep", "--full", p.store.root).Output(); err == nil {
		t.Errorf("still running: %s", out)
	}
}
