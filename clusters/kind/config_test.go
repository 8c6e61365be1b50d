package kind

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"github.com/kind-lab/lab/clusters"
)

func TestConfig(t *testing.T) {
	const cidrs = "apiVersion: kubeadm.k8s.io/v1beta3\ncontrollerManager:\n  extraArgs:\n    allocate-node-cidrs: \"false\"\n    kube-api-burst: \"200\"\n    kube-api-qps: \"100\"\n    leader-elect-retry-period: 1s\nkind: ClusterConfiguration\n"
	bare := clusters.Host{Cgroup: 1, MissingCapabilities: []string{"CAP_SYS_RESOURCE"}}
	tests := []struct {
		name    string
		spec    clusters.Spec
		host    clusters.Host
		kubeadm []string
		runtime int
	}{
		{name: "plain", spec: clusters.Spec{Version: "1.28.15"}, host: clusters.Host{Cgroup: 2}, kubeadm: []string{cidrs}},
		{name: "an own pod network", spec: clusters.Spec{Version: "1.28.15", KubeadmPatches: []string{"networking: {podSubnet: 10.1.0.0/16}"}},
			kubeadm: []string{"apiVersion: kubeadm.k8s.io/v1beta3\ncontrollerManager:\n  extraArgs:\n    kube-api-burst: \"200\"\n    kube-api-qps: \"100\"\n    leader-elect-retry-period: 1s\nkind: ClusterConfiguration\n", "networking: {podSubnet: 10.1.0.0/16}"}},
		{name: "own controllers", spec: clusters.Spec{Version: "1.28.15", Components: []clusters.Component{
			{Name: "kube-controller-manager", ExtraArgs: map[string]string{"controllers": "*"}}}},
			kubeadm: []string{"apiVersion: kubeadm.k8s.io/v1beta3\ncontrollerManager:\n  extraArgs:\n    controllers: '*'\n    kube-api-burst: \"200\"\n    kube-api-qps: \"100\"\n    leader-elect-retry-period: 1s\nkind: ClusterConfiguration\n"}},
		{name: "other arguments of the controller manager", spec: clusters.Spec{Version: "1.28.15", Components: []clusters.Component{
			{Name: "kube-controller-manager", ExtraArgs: map[string]string{"v": "4"}}}},
			kubeadm: []string{"apiVersion: kubeadm.k8s.io/v1beta3\ncontrollerManager:\n  extraArgs:\n    allocate-node-cidrs: \"false\"\n    kube-api-burst: \"200\"\n    kube-api-qps: \"100\"\n    leader-elect-retry-period: 1s\n    v: \"4\"\nkind: ClusterConfiguration\n"}},
		{name: "bare host, old version", spec: clusters.Spec{Version: "1.34.2"}, host: bare, runtime: 2, kubeadm: []string{cidrs}},
		{name: "bare host, version that refuses cgroup v1", spec: clusters.Spec{Version: "1.35.4"}, host: bare, runtime: 2,
			kubeadm: []string{cidrs, "apiVersion: kubelet.config.k8s.io/v1beta1\nfailCgroupV1: false\nkind: KubeletConfiguration\n"}},
		{name: "components of 1.35", spec: withComponents("1.35.4"), kubeadm: []string{
			"apiServer:\n  extraArgs:\n    feature-gates: A=true,B=false\n    v: \"4\"\napiVersion: kubeadm.k8s.io/v1beta3\ncontrollerManager:\n  extraArgs:\n    allocate-node-cidrs: \"false\"\n    kube-api-burst: \"200\"\n    kube-api-qps: \"100\"\n    leader-elect-retry-period: 1s\nkind: ClusterConfiguration\n",
			"apiVersion: kubeadm.k8s.io/v1beta3\nkind: InitConfiguration\nnodeRegistration:\n  kubeletExtraArgs:\n    v: \"5\"\n",
			"apiVersion: kubeadm.k8s.io/v1beta3\nkind: JoinConfiguration\nnodeRegistration:\n  kubeletExtraArgs:\n    v: \"5\"\n",
			"apiVersion: kubelet.config.k8s.io/v1beta1\nfeatureGates:\n  C: true\nkind: KubeletConfiguration\n",
			"kind: X",
		}},
		{name: "components of 1.36", spec: withComponents("1.36.3"), kubeadm: []string{
			"apiServer:\n  extraArgs:\n  - name: feature-gates\n    value: A=true,B=false\n  - name: v\n    value: \"4\"\napiVersion: kubeadm.k8s.io/v1beta4\ncontrollerManager:\n  extraArgs:\n  - name: allocate-node-cidrs\n    value: \"false\"\n  - name: kube-api-burst\n    value: \"200\"\n  - name: kube-api-qps\n    value: \"100\"\n  - name: leader-elect-retry-period\n    value: 1s\nkind: ClusterConfiguration\n",
			"apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\nnodeRegistration:\n  kubeletExtraArgs:\n  - name: v\n    value: \"5\"\n",
			"apiVersion: kubeadm.k8s.io/v1beta4\nkind: JoinConfiguration\nnodeRegistration:\n  kubeletExtraArgs:\n  - name: v\n    value: \"5\"\n",
			"apiVersion: kubelet.config.k8s.io/v1beta1\nfeatureGates:\n  C: true\nkind: KubeletConfiguration\n",
			"kind: X",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.spec.Image, tt.spec.Workers = "node:1", 1
			got, err := config(tt.spec, "lab-t", tt.host)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.kubeadm, got.KubeadmConfigPatches); diff != "" {
				t.Errorf("kubeadm patches (-want +got):\n%s", diff)
			}
			if len(got.ContainerdConfigPatches) != tt.runtime {
				t.Errorf("containerd patches: %q", got.ContainerdConfigPatches)
			}
			want := []v1alpha4.Node{{Role: "control-plane", Image: "node:1"}, {Role: "worker", Image: "node:1"}}
			if diff := cmp.Diff(want, got.Nodes); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
		})
	}
}

func withComponents(version string) clusters.Spec {
	return clusters.Spec{
		Version:      version,
		FeatureGates: map[string]bool{"A": true, "B": true},
		Components: []clusters.Component{
			{Name: "kube-apiserver", FeatureGates: map[string]bool{"B": false}, ExtraArgs: map[string]string{"v": "4"}},
			{Name: "kubelet", FeatureGates: map[string]bool{"C": true}, ExtraArgs: map[string]string{"v": "5"}},
		},
		KubeadmPatches: []string{"kind: X"},
	}
}

func TestConfigRefuses(t *testing.T) {
	tests := []struct {
		name string
		spec clusters.Spec
		want string
	}{
		{"no image", clusters.Spec{Version: "1.28.15"}, "no node image"},
		{"no version", clusters.Spec{Image: "x"}, `"" is no Kubernetes version`},
		{"odd version", clusters.Spec{Image: "x", Version: "1.x"}, `"1.x" is no Kubernetes version`},
		{"other major version", clusters.Spec{Image: "x", Version: "2.1.0"}, `"2.1.0" is no Kubernetes version`},
		{"fewer than no nodes", clusters.Spec{Image: "x", Version: "1.28.15", Workers: -1}, "-1 workers"},
		{"a component twice", clusters.Spec{Image: "x", Version: "1.28.15", Components: []clusters.Component{{Name: "kubelet"}, {Name: "kubelet"}}}, "there twice"},
		{"gates twice", clusters.Spec{Image: "x", Version: "1.28.15", Components: []clusters.Component{
			{Name: "kube-scheduler", FeatureGates: map[string]bool{"A": true}, ExtraArgs: map[string]string{"feature-gates": "B=true"}}}}, "gates twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config(tt.spec, "lab-t", clusters.Host{})
			if !errors.Is(err, ErrSpec) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want %q", err, tt.want)
			}
		})
	}
}

func TestCheckID(t *testing.T) {
	long := "lab-" + strings.Repeat("x", 45)
	tests := []struct {
		id                     string
		controlPlanes, workers int
		want                   string
	}{
		{"lab-1a2b-v128-on", 1, 0, ""},
		{long, 1, 0, ""},
		{long, 0, 12, ""},
		{long, 3, 0, "shorten"},
		{long + "x", 1, 0, "by 1"},
		{"kind", 1, 0, "does not begin"},
		{"lab-", 1, 0, "ends in -"},
		{"lab-a_b", 1, 0, "characters"},
		{"lab-A", 1, 0, "characters"},
		{"lab-a\n", 1, 0, "characters"},
		{"lab-a=b", 1, 0, "characters"},
	}
	for _, tt := range tests {
		err := CheckID(tt.id, tt.controlPlanes, tt.workers)
		if tt.want == "" && err != nil || tt.want != "" && (!errors.Is(err, ErrName) || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("CheckID(%q, %d, %d) = %v, want %q", tt.id, tt.controlPlanes, tt.workers, err, tt.want)
		}
	}
}

func TestNodesOf(t *testing.T) {
	want := []clusters.Node{
		{Name: "lab-a-control-plane", Role: "control-plane"}, {Name: "lab-a-control-plane2", Role: "control-plane"},
		{Name: "lab-a-worker", Role: "worker"}, {Name: "lab-a-worker2", Role: "worker"}, {Name: "lab-a-worker3", Role: "worker"},
	}
	if diff := cmp.Diff(want, nodesOf("lab-a", 2, 3)); diff != "" {
		t.Error(diff)
	}
}

func TestMaxParallelCreates(t *testing.T) {
	const gib = 1 << 30
	tests := []struct {
		cpus, memory int
		want         int
	}{
		{0, 0, 1}, {2, 24, 3}, {2, 4, 3}, {2, 3, 2}, {1, 1, 1}, {16, 64, 17}, {16, 8, 7},
	}
	for _, tt := range tests {
		if got := MaxParallelCreates(clusters.Host{CPUs: tt.cpus, Memory: int64(tt.memory) * gib}); got != tt.want {
			t.Errorf("%d CPUs and %d GiB: %d, want %d", tt.cpus, tt.memory, got, tt.want)
		}
	}
}
