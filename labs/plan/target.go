package plan

import (
	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/dsl/value"
)

// sidecarGate is the feature gate of native sidecars: unknown up to 1.27, off
// by default in 1.28, on from 1.29, locked on from 1.33, gone in 1.37
// (kube_features.go of those versions).
const sidecarGate = "SidecarContainers"

// Target says what is known of the root target before a cluster is there: what
// its version and gates decide. version is whole, such as "1.28.15". The gates
// of a cluster that cannot be configured are unknown: it is taken to have the
// version's own.
func Target(spec clusters.Spec, can clusters.Capabilities, version string) *value.Target {
	t := &value.Target{Name: spec.Name, Kubernetes: version, Minor: Minor(version), FeatureGates: spec.FeatureGates}
	t.GatesUnknown = !can.CanConfigure
	t.NativeSidecars = nativeSidecars(t.Minor, spec)
	// The kubelet orders their termination from 1.29.0 on (kubernetes#120620).
	t.OrderedTermination = t.NativeSidecars && t.Minor >= 29
	return t
}

// nativeSidecars says whether the API server keeps restartPolicy of an init
// container, and the kubelet and the scheduler act upon it.
func nativeSidecars(minor int, spec clusters.Spec) bool {
	on := minor >= 29
	if set, ok := spec.FeatureGates[sidecarGate]; ok {
		on = set
	}
	if minor < 28 {
		return false
	}
	if minor >= 33 {
		return true
	}
	byComponent := map[string]bool{"kube-apiserver": on, "kube-scheduler": on, "kubelet": on}
	for _, component := range spec.Components {
		if set, ok := component.FeatureGates[sidecarGate]; ok {
			byComponent[component.Name] = set
		}
	}
	return byComponent["kube-apiserver"] && byComponent["kube-scheduler"] && byComponent["kubelet"]
}
