package run

import (
	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/report"
)

// newTarget says what the root target holds for a cluster.
func newTarget(c plan.Cluster, h clusters.Handle) *value.Target {
	version := h.Version
	if version == "" {
		version = c.Image.Version
	}
	t := plan.Target(c.Spec, c.Capabilities, version)
	t.Name, t.Runtime, t.Cgroup = c.Name, h.Runtime, h.Cgroup
	t.NodesUnknown = len(h.Nodes) == 0
	for _, n := range h.Nodes {
		t.Nodes = append(t.Nodes, n.Name)
	}
	return t
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
	if len(c.Runs) == 0 {
		return out
	}
	r := c.Runs[len(c.Runs)-1]
	if r.StartedAt.Known() {
		at := t.Seconds(r.StartedAt.Time)
		out.StartedAt, out.Source = &at, string(r.StartedAt.Source)
	}
	if r.Exited {
		out.ExitCode = &r.ExitCode
		if r.FinishedAt.Known() {
			at := t.Seconds(r.FinishedAt.Time)
			out.FinishedAt, out.Source = &at, string(r.FinishedAt.Source)
		}
	}
	return out
}
