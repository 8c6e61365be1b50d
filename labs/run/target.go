package run

import (
	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/report"
)

// sidecarGate is the feature gate of native sidecars: unknown up to 1.27, off
// by default in 1.28, on from 1.29, locked on from 1.33, gone in 1.37
// (kube_features.go of those versions).
const sidecarGate = "SidecarContainers"

// newTarget says what the root target holds for a cluster.
func newTarget(c plan.Cluster, h clusters.Handle) *value.Target {
	version := h.Version
	if version == "" {
		version = c.Image.Version
	}
	t := &value.Target{
		Name: c.Name, Kubernetes: version, Minor: plan.Minor(version), FeatureGates: c.Spec.FeatureGates,
		Runtime: h.Runtime, Cgroup: h.Cgroup,
	}
	for _, n := range h.Nodes {
		t.Nodes = append(t.Nodes, n.Name)
	}
	t.NativeSidecars = nativeSidecars(t.Minor, c.Spec)
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

// pods tells what the pods of a timeline went through.
func pods(t *collectors.Timeline) []report.Pod {
	var out []report.Pod
	for _, p := range t.Pods() {
		pod := report.Pod{Name: p.Object.Name, Statuses: p.Statuses}
		for _, c := range p.Containers {
			pod.Containers = append(pod.Containers, container(t, c))
		}
		out = append(out, pod)
	}
	return out
}

func container(t *collectors.Timeline, c *collectors.ContainerState) report.Container {
	out := report.Container{Name: c.Name, Kind: c.Kind, Restarts: c.Restarts}
	if r := c.Started(); r != nil {
		at := t.Seconds(r.StartedAt.Time)
		out.StartedAt, out.Source = &at, string(r.StartedAt.Source)
	}
	if r := c.Exited(); r != nil {
		code := r.ExitCode
		out.ExitCode = &code
		if r.FinishedAt.Known() {
			at := t.Seconds(r.FinishedAt.Time)
			out.FinishedAt, out.Source = &at, string(r.FinishedAt.Source)
		}
	}
	return out
}
