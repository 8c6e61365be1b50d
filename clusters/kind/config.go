package kind

import (
	"errors"
	"fmt"
	"maps"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"github.com/kind-lab/lab/clusters"
)

// ErrSpec is the cause where a Spec asks for what cannot be made.
var ErrSpec = errors.New("cluster cannot be made as asked for")

// minor is the second number of a Kubernetes version.
func minor(version string) (int, error) {
	v, err := clusters.ReleaseOf(version)
	if err != nil || v.Major != 1 || v.Minor == 0 {
		return 0, fmt.Errorf("%w: %q is no Kubernetes version such as 1.28.15", ErrSpec, version)
	}
	return v.Minor, nil
}

// config writes the library's configuration of the cluster, with what the host
// needs.
func config(spec clusters.Spec, id string, host clusters.Host) (*v1alpha4.Cluster, error) {
	if spec.Image == "" {
		return nil, fmt.Errorf("%w: no node image is named", ErrSpec)
	}
	if spec.ControlPlanes < 0 || spec.Workers < 0 {
		return nil, fmt.Errorf("%w: %d control planes and %d workers", ErrSpec, spec.ControlPlanes, spec.Workers)
	}
	version, err := minor(spec.Version)
	if err != nil {
		return nil, err
	}
	patches, err := kubeadmPatches(spec, version, host)
	if err != nil {
		return nil, err
	}
	cfg := &v1alpha4.Cluster{
		TypeMeta:                v1alpha4.TypeMeta{Kind: "Cluster", APIVersion: "kind.x-k8s.io/v1alpha4"},
		Name:                    id,
		FeatureGates:            maps.Clone(spec.FeatureGates),
		RuntimeConfig:           maps.Clone(spec.RuntimeConfig),
		KubeadmConfigPatches:    append(patches, spec.KubeadmPatches...),
		ContainerdConfigPatches: append(containerdPatches(host), spec.ContainerdPatches...),
	}
	for _, node := range nodesOf(id, spec.ControlPlanes, spec.Workers) {
		cfg.Nodes = append(cfg.Nodes, v1alpha4.Node{Role: v1alpha4.NodeRole(node.Role), Image: spec.Image})
	}
	return cfg, nil
}

// containerdPatches are for the host. Without CAP_SYS_RESOURCE no process can
// lower its oom_score_adj, and every pod sandbox fails on trying. The library
// applies a patch where its version is the configuration's.
func containerdPatches(host clusters.Host) []string {
	if !host.Lacks("CAP_SYS_RESOURCE") {
		return nil
	}
	return []string{
		"version = 2\n[plugins.\"io.containerd.grpc.v1.cri\"]\n  restrict_oom_score_adj = true\n",
		"version = 3\n[plugins.\"io.containerd.cri.v1.runtime\"]\n  restrict_oom_score_adj = true\n",
	}
}
