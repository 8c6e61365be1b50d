package kind

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/clusters"
)

const nodeImage = "kindest/node:v1.28.15"

func spec128() clusters.Spec {
	return clusters.Spec{Name: "v128", Version: "1.28.15", Image: nodeImage}
}

func have() map[string]string { return map[string]string{nodeImage: "sha256:n"} }

func TestCreateBecomesReady(t *testing.T) {
	api := newFakeAPI(t, "1.28.15", false)
	fake := newFakeEngine(t, behaviour{Images: have(), AdminConf: api.adminConf(), Port: api.port()})
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig", "v128.yaml")
	p := New(fake.engine(), clusters.Host{Cgroup: 1}, Options{})
	var told []string
	handle, err := p.Create(t.Context(), spec128(), "lab-t", kubeconfig, func(line string) {
		told = append(told, line)
		if line == "Waiting for readiness" {
			api.becomeReady()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	want := clusters.Handle{Name: "v128", ID: "lab-t", Version: "1.28.15", Kubeconfig: kubeconfig, Runtime: "containerd://2.3.4", Cgroup: 1}
	if handle.Name != want.Name || handle.ID != want.ID || handle.Version != want.Version || handle.Kubeconfig != kubeconfig ||
		handle.Runtime != want.Runtime || handle.Cgroup != 1 || len(handle.Nodes) != 1 || handle.Nodes[0].Name != "lab-t-control-plane" {
		t.Errorf("handle is %+v, want %+v with one node", handle, want)
	}
	if got := strings.Join(told, "\n"); !strings.Contains(got, "Preparing nodes\nWriting configuration\nStarting control-plane\nInstalling CNI") {
		t.Errorf("progress is\n%s", got)
	}
	if info, err := os.Stat(kubeconfig); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("kubeconfig: %v, %v", info, err)
	}
	for range 2 {
		if err := p.Destroy(t.Context(), "lab-t"); err != nil {
			t.Fatal(err)
		}
	}
	nothingLeft(t, fake, kubeconfig)
}

// TestCreateMakesTheNetworkOfItsOwnImages sees the network made by the time that
// kubeadm is through, in place of the library.
func TestCreateMakesTheNetworkOfItsOwnImages(t *testing.T) {
	api := newFakeAPI(t, "1.28.15", false)
	images := map[string]string{nodeImage: "sha256:n\n" + clusters.FlannelLabel}
	fake := newFakeEngine(t, behaviour{Images: images, AdminConf: api.adminConf(), Port: api.port()})
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	var told []string
	_, err := New(fake.engine(), clusters.Host{}, Options{}).Create(t.Context(), spec128(), "lab-t", kubeconfig, func(line string) {
		told = append(told, line)
		if line == "Waiting for readiness" {
			api.becomeReady()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(told, "\n"); strings.Contains(got, "Installing CNI") {
		t.Errorf("the library made a network:\n%s", got)
	}
	want := `/api/v1/namespaces/kube-system/configmaps {"apiVersion":"v1","data":{"podSubnet":"10.244.0.0/16"},"kind":"ConfigMap","metadata":{"name":"network","namespace":"kube-system"}}`
	if diff := cmp.Diff([]string{want}, api.made); diff != "" {
		t.Error(diff)
	}
}

func nothingLeft(t *testing.T, fake *fakeEngine, kubeconfig string) {
	t.Helper()
	if left := fake.left(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if files, err := filepath.Glob(kubeconfig + "*"); err != nil || len(files) > 0 {
		t.Errorf("left behind: %v (%v)", files, err)
	}
}

// failure is a creation that fails, and what its error says.
type failure struct {
	name      string
	behaviour behaviour
	change    func(*clusters.Spec)
	is        error
	// want are parts of the error's first line, evidence of the rest.
	want     []string
	evidence string
}

func failures() []failure {
	return []failure{
		{
			name:      "kubelet does not know a feature gate",
			behaviour: behaviour{Kubeadm: "hang", Journal: gateJournal},
			want:      []string{"kubelet on lab-t-control-plane does not start", "unrecognized feature gate: SidecarContainers", "take it out of feature_gates"},
		},
		{
			name: "API server does not know a feature gate",
			behaviour: behaviour{Kubeadm: "hang", Log: "2026-01-01T00:00:00Z stderr F Error: invalid argument \"Nope=true\" for \"--feature-gates\" flag: unrecognized feature gate: Nope\n",
				Journal: `E0101 00:00:00.000000 1 pod_workers.go:1] "Error syncing pod, skipping" err="failed to \"StartContainer\" for \"kube-apiserver\" with CrashLoopBackOff: \"back-off 10s restarting failed container=kube-apiserver pod=kube-apiserver-x_kube-system(1)\""` + "\n"},
			want: []string{"kube-apiserver on lab-t-control-plane does not start", "Kubernetes 1.28.15 has no feature gate Nope"},
		},
		{
			name:      "kubeadm fails",
			behaviour: behaviour{Kubeadm: "I0101 noise\nerror execution phase wait-control-plane: it took too long", Journal: "E0101 00:00:00.000000 1 kubelet.go:1] \"CNI is not there\"\n"},
			want:      []string{"(Starting control-plane)", "it took too long"},
			evidence:  "kubelet: \"CNI is not there\"",
		},
		{
			name:      "privileged containers cannot be started",
			behaviour: behaviour{RunFails: "docker: Error response from daemon: failed to create task: unable to apply caps: operation not permitted: unknown."},
			want:      []string{"unable to apply caps", "lab engine up"},
		},
		{
			name:   "node image is missing",
			change: func(s *clusters.Spec) { s.Image = "kindest/node:v1.28.99" },
			is:     ErrNoImage,
			want:   []string{"Kubernetes 1.28.15", "image kindest/node:v1.28.99 is not available", "manifest for kindest/node:v1.28.99 not found"},
		},
		{
			name:   "never ready",
			change: func(s *clusters.Spec) { s.ReadyTimeout = 5 * time.Second },
			want: []string{"not ready after 5s", "node lab-t-control-plane: cni plugin not initialized", "CoreDNS: 0 of 2", "kube-proxy: 0 of 1", "coredns is waiting: ErrImagePull",
				"its last words: E1121", "too many open files", "run lab engine up as root"},
		},
		{
			name:      "kubeadm never ends",
			behaviour: behaviour{Kubeadm: "hang"},
			change:    func(s *clusters.Spec) { s.ReadyTimeout = 3 * time.Second },
			is:        errOverdue,
			want:      []string{"(Starting control-plane)", "not ready after 3s"},
		},
		{
			name:   "bad name of a component",
			change: func(s *clusters.Spec) { s.Components = []clusters.Component{{Name: "etcd"}} },
			is:     ErrSpec,
			want:   []string{`component "etcd"`},
		},
	}
}

func TestCreateFails(t *testing.T) {
	for _, tt := range failures() {
		t.Run(tt.name, func(t *testing.T) {
			api := newFakeAPI(t, "1.28.15", false)
			tt.behaviour.Images, tt.behaviour.AdminConf, tt.behaviour.Port = have(), api.adminConf(), api.port()
			fake := newFakeEngine(t, tt.behaviour)
			kubeconfig := filepath.Join(t.TempDir(), "v128.yaml")
			spec := spec128()
			if tt.change != nil {
				tt.change(&spec)
			}
			_, err := New(fake.engine(), clusters.Host{}, Options{}).Create(t.Context(), spec, "lab-t", kubeconfig, nil)
			if err == nil {
				t.Fatal("no error")
			}
			first, rest, _ := strings.Cut(err.Error(), "\n")
			for _, part := range tt.want {
				if !strings.Contains(first, part) {
					t.Errorf("error %q\ndoes not say %q", err, part)
				}
			}
			if !strings.Contains(rest, tt.evidence) {
				t.Errorf("evidence %q\ndoes not say %q", rest, tt.evidence)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error %v is not %v", err, tt.is)
			}
			nothingLeft(t, fake, kubeconfig)
		})
	}
}

// gateJournal is what a kubelet of 1.27.3 writes.
const gateJournal = `I1120 22:00:00.000000     100 server.go:1] noise
E1120 22:00:00.000000     100 run.go:74] "command failed" err="failed to load kubelet config file, path: /var/lib/kubelet/config.yaml, error: open: no such file or directory"
E1120 22:00:01.000000     101 run.go:74] "command failed" err="failed to set feature gates from initial flags-based config: unrecognized feature gate: SidecarContainers"
`

func TestCreateOfAnotherVersionFails(t *testing.T) {
	api := newFakeAPI(t, "1.29.15", true)
	fake := newFakeEngine(t, behaviour{Images: have(), AdminConf: api.adminConf(), Port: api.port()})
	kubeconfig := filepath.Join(t.TempDir(), "v128.yaml")
	_, err := New(fake.engine(), clusters.Host{}, Options{}).Create(t.Context(), spec128(), "lab-t", kubeconfig, nil)
	if !errors.Is(err, ErrSpec) || !strings.Contains(err.Error(), "runs Kubernetes 1.29.15, not 1.28.15") {
		t.Errorf("error is %v", err)
	}
	nothingLeft(t, fake, kubeconfig)
}

// A creation is cancelled when the library is at different steps; what the
// engine makes after that is removed too.
func TestCreateCancelled(t *testing.T) {
	tests := []struct {
		name      string
		behaviour behaviour
		when      string
		workers   int
	}{
		{name: "while a container is made", behaviour: behaviour{RunTakes: 700 * time.Millisecond}, when: "Preparing nodes"},
		{name: "while several are made", behaviour: behaviour{RunTakes: 700 * time.Millisecond}, when: "Preparing nodes", workers: 2},
		{name: "while kubeadm runs", behaviour: behaviour{Kubeadm: "hang"}, when: "Starting control-plane"},
		{name: "while it gets ready", when: "Waiting for readiness"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			api := newFakeAPI(t, "1.28.15", false)
			tt.behaviour.Images, tt.behaviour.AdminConf, tt.behaviour.Port = have(), api.adminConf(), api.port()
			fake := newFakeEngine(t, tt.behaviour)
			fake.add("lab-other-control-plane", "lab-other", roleControlPlane)
			kubeconfig := filepath.Join(t.TempDir(), "v128.yaml")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			spec := spec128()
			spec.Workers = tt.workers
			began := time.Now()
			_, err := New(fake.engine(), clusters.Host{}, Options{}).Create(ctx, spec, "lab-t", kubeconfig, func(line string) {
				if line == tt.when {
					cancel()
				}
			})
			if !errors.Is(err, context.Canceled) || errors.Is(err, ErrLeft) {
				t.Errorf("error is %v", err)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("cancelling took %v", took)
			}
			if left := fake.left(); len(left) != 2 {
				t.Errorf("left are %v, want the other cluster's container and volume", left)
			}
		})
	}
}

func TestDestroyCancelsACreation(t *testing.T) {
	fake := newFakeEngine(t, behaviour{Images: have(), Kubeadm: "hang"})
	kubeconfig := filepath.Join(t.TempDir(), "v128.yaml")
	p := New(fake.engine(), clusters.Host{}, Options{})
	begun, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := p.Create(t.Context(), spec128(), "lab-t", kubeconfig, func(line string) {
			if line == "Starting control-plane" {
				close(begun)
			}
		})
		ended <- err
	}()
	<-begun
	if _, err := p.Create(t.Context(), spec128(), "lab-t", kubeconfig+"2", nil); !errors.Is(err, ErrExists) {
		t.Errorf("a second creation of the name: %v", err)
	}
	if err := p.Destroy(t.Context(), "lab-t"); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("the creation succeeded")
	}
	nothingLeft(t, fake, kubeconfig)
}

func TestCreateLeavesAnExistingClusterAlone(t *testing.T) {
	fake := newFakeEngine(t, behaviour{Images: have()})
	fake.add("lab-t-control-plane", "lab-t", roleControlPlane)
	_, err := New(fake.engine(), clusters.Host{}, Options{}).Create(t.Context(), spec128(), "lab-t", filepath.Join(t.TempDir(), "k"), nil)
	if !errors.Is(err, ErrExists) || !strings.Contains(err.Error(), "lab gc lab-t") {
		t.Errorf("error is %v", err)
	}
	if len(fake.left()) != 2 {
		t.Errorf("left are %v", fake.left())
	}
}
