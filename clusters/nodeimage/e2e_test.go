//go:build e2e

package nodeimage

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/kind/pkg/cluster"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/nodeimage/internal/modules"
	"github.com/kind-lab/lab/clusters/podimage"
)

// realProvider works with the Docker engine of this machine, and with the
// version of kind that go.mod pins.
func realProvider(t *testing.T, cache string) *Provider {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", modules.KindModule).Output()
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
	pods, err := podimage.New(podimage.Options{Engine: clusters.Engine{Name: "docker"}, Puller: p.Puller()})
	if err != nil {
		t.Fatal(err)
	}
	if err := pods.Ensure(t.Context(), "busybox:1.35", nil); err != nil {
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
	err = nodes.Create(name, cluster.CreateWithKubeconfigPath(kubeconfig), cluster.CreateWithWaitForReady(3*time.Minute), cluster.CreateWithV1Alpha4Config(&v1alpha4.Cluster{
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
