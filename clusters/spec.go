package clusters

import (
	"cmp"
	"path/filepath"
	"time"
)

// DefaultReadyTimeout bounds the wait for a new cluster to be ready.
const DefaultReadyTimeout = 5 * time.Minute

// ProviderKind is the name of the provider that is meant if none is named.
const ProviderKind = "kind"

// Component names one Kubernetes component whose settings a Spec changes.
type Component struct {
	// Name is one of kube-apiserver, kube-controller-manager,
	// kube-scheduler and kubelet.
	Name string `json:"name"`
	// FeatureGates holds for this component alone.
	FeatureGates map[string]bool `json:"feature_gates,omitempty"`
	// ExtraArgs are command line flags without the leading dashes.
	ExtraArgs map[string]string `json:"extra_args,omitempty"`
}

// Spec asks for a cluster. It is pure data: the same Spec asks for the same
// cluster on every machine.
type Spec struct {
	// Name is the cluster's name in the scenario, such as "v128_on".
	Name string `json:"name"`
	// Provider is the provider's name; empty means ProviderKind.
	Provider string `json:"provider,omitempty"`
	// Settings are the provider's own arguments of the cluster's block, by their
	// names, such as "kubeconfig".
	Settings map[string]string `json:"settings,omitempty"`
	// Needs are what the scenarios do on the cluster, beside what is needed to
	// observe them. They are set if the provider checks rights.
	Needs []Need `json:"needs,omitempty"`
	// Version is the whole Kubernetes version without a leading "v", such as
	// "1.28.15".
	Version string `json:"version"`
	// Image is the node image to boot, such as "kindest/node:v1.28.15".
	Image string `json:"image"`
	// FeatureGates holds for every component.
	FeatureGates map[string]bool `json:"feature_gates,omitempty"`
	// Components are changes to single components.
	Components []Component `json:"components,omitempty"`
	// RuntimeConfig is the API server's --runtime-config.
	RuntimeConfig map[string]string `json:"runtime_config,omitempty"`
	// ControlPlanes and Workers count nodes; 0 control planes means 1.
	ControlPlanes int `json:"control_planes,omitempty"`
	Workers       int `json:"workers,omitempty"`
	// Images are loaded into every node before anything is applied.
	Images []string `json:"images,omitempty"`
	// ContainerdPatches are TOML merge patches of the nodes' containerd
	// configuration.
	ContainerdPatches []string `json:"containerd_patches,omitempty"`
	// KubeadmPatches are kubeadm configuration patches, in YAML.
	KubeadmPatches []string `json:"kubeadm_patches,omitempty"`
	// ReadyTimeout bounds the wait for readiness; 0 means
	// DefaultReadyTimeout.
	ReadyTimeout time.Duration `json:"ready_timeout,omitempty"`
}

// ProviderName is the name of the cluster's provider, never empty.
func (s Spec) ProviderName() string { return cmp.Or(s.Provider, ProviderKind) }

// LoadBalancerImage is what kind puts before several control planes. It is fixed
// in kind, so that what takes its place has to have its name.
const LoadBalancerImage = "docker.io/envoyproxy/envoy:v1.36.2"

// FlannelLabel is on the node images that are built here: their default pod
// network is flannel, as a service of every node that begins once what is in the
// image's manifest of it exists.
const FlannelLabel = "lab.nodeimage.version.flannel"

// Node is one machine of a cluster.
type Node struct {
	// Name is the Kubernetes node's name, and the container's.
	Name string `json:"name"`
	// Role is "control-plane" or "worker".
	Role string `json:"role"`
}

// Handle reaches a cluster that is up.
type Handle struct {
	// Name is the cluster's name in the scenario.
	Name string `json:"name"`
	// Provider is the provider's name; empty means ProviderKind.
	Provider string `json:"provider,omitempty"`
	// ID is the name under which the provider knows it, unique on the host.
	ID string `json:"id"`
	// Version is what the API server itself says, such as "1.28.15".
	Version string `json:"version"`
	// Kubeconfig is the path of a kubeconfig file (mode 0600) for this
	// cluster alone.
	Kubeconfig string `json:"kubeconfig"`
	// Nodes are its machines, control planes first; none where they may not be
	// listed.
	Nodes []Node `json:"nodes"`
	// Capabilities are what can be done with this cluster.
	Capabilities Capabilities `json:"capabilities,omitzero"`
	// Reused says that it was made for an earlier use, and cleaned since.
	Reused bool `json:"reused,omitempty"`
	// Runtime names the nodes' container runtime and its version, such as
	// "containerd://2.3.4".
	Runtime string `json:"runtime,omitempty"`
	// Cgroup is the host's cgroup version, 1 or 2; 0 where it is not known.
	Cgroup int `json:"cgroup,omitempty"`
}

// KubeconfigPath is where a cluster's kubeconfig lies below a run's folder;
// cluster is its name as a file can have it.
func KubeconfigPath(runDir, cluster string) string {
	return filepath.Join(runDir, "kubeconfig", cluster+".yaml")
}

// Orphan is a cluster of lab that is on the host, or what a run left on a cluster
// that others use as well.
type Orphan struct {
	// Provider is the provider's name; empty means ProviderKind. Kubeconfig is
	// the file by which a cluster is reached that lab did not make, and Run the
	// folder of the run.
	Provider   string `json:"provider,omitempty"`
	Kubeconfig string `json:"kubeconfig,omitempty"`
	Run        string `json:"run,omitempty"`
	// ID is its name there.
	ID    string   `json:"id"`
	Nodes []string `json:"nodes"`
	// Created is when its first node was made; zero where the engine does not
	// tell.
	Created time.Time `json:"created,omitzero"`
}
