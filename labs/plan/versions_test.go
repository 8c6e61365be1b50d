package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/dsl"
)

// moved tells on which clusters the scenarios of a module run on versions.
func moved(t *testing.T, m *dsl.Module, versions ...string) []string {
	t.Helper()
	on, err := OnVersions(m, versions)
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	for _, s := range on.Scenarios {
		line := s.Title() + ":"
		for _, c := range s.Clusters {
			if !slices.Contains(on.Clusters, c) {
				t.Errorf("the cluster %s of %s is none of the module's", c.Name, s.Name)
			}
			line += fmt.Sprintf(" %s=%s", c.Name, c.Kubernetes)
			for _, gate := range slices.Sorted(maps.Keys(c.FeatureGates)) {
				line += fmt.Sprintf(",%s=%t", gate, c.FeatureGates[gate])
			}
			if c.Workers > 0 {
				line += fmt.Sprintf(",workers=%d", c.Workers)
			}
		}
		out = append(out, line)
	}
	return out
}

func TestOnVersions(t *testing.T) {
	gate := map[string]bool{"SidecarContainers": true}
	v128 := &dsl.Cluster{Name: "v128", Kubernetes: "1.28", ControlPlanes: 1}
	on := &dsl.Cluster{Name: "v128_on", Kubernetes: "1.28", FeatureGates: gate, ControlPlanes: 1}
	wide := &dsl.Cluster{Name: "wide", Kubernetes: "1.29", Workers: 2, ControlPlanes: 1, Image: "own/node:1",
		Components: []dsl.Component{{Name: "kubelet", FeatureGates: gate}}}
	stage := &dsl.Cluster{Name: "stage", Provider: "existing", Statement: existing()}
	flat := &dsl.Module{Clusters: []*dsl.Cluster{v128, on}, Scenarios: []*dsl.Scenario{
		{Name: "a", Clusters: []*dsl.Cluster{v128}}, {Name: "b", Clusters: []*dsl.Cluster{on, v128}}}}
	several := &dsl.Module{Clusters: []*dsl.Cluster{v128, wide}, Scenarios: []*dsl.Scenario{
		{Name: "a", Clusters: []*dsl.Cluster{v128}}, {Name: "b", Clusters: []*dsl.Cluster{wide}}}}
	there := &dsl.Module{Clusters: []*dsl.Cluster{stage}, Scenarios: []*dsl.Scenario{{Name: "a", Clusters: []*dsl.Cluster{stage}}}}
	for name, c := range map[string]struct{ got, want []string }{
		"those that are declared": {moved(t, flat, "v1.28", "1.28+SidecarContainers"),
			[]string{"a: v128=1.28 v128_on=1.28,SidecarContainers=true", "b: v128=1.28 v128_on=1.28,SidecarContainers=true"}},
		"others": {moved(t, flat, "1.29-SidecarContainers+Other", "1.30.2"),
			[]string{"a: 1.29-SidecarContainers+Other=1.29,Other=true,SidecarContainers=false 1.30.2=1.30.2", "b: 1.29-SidecarContainers+Other=1.29,Other=true,SidecarContainers=false 1.30.2=1.30.2"}},
		"of several shapes": {moved(t, several, "1.28", "1.29"),
			[]string{"a: v128=1.28 v128-1.29=1.29", "b: wide-1.28=1.28,workers=2 wide-1.29=1.29,workers=2"}},
		"those that exist are left out": {moved(t, there, "1.29"), []string{"a: 1.29=1.29"}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if flat.Scenarios[0].Clusters[0] != v128 || len(flat.Clusters) != 2 {
		t.Error("the module that was given is changed")
	}
}

func TestOnVersionsThatAreWrong(t *testing.T) {
	for versions, want := range map[string]string{
		"latest":        "write a version like",
		"1.28+sidecars": "after the version come feature gates",
		"1.28 v1.28":    "is named twice",
		"1.2":           "the oldest is",
	} {
		if _, err := OnVersions(module(), strings.Fields(versions)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", versions, err, want)
		}
	}
}

func TestOfVersion(t *testing.T) {
	for name, want := range map[string]string{
		"1.28": "1.28", "1.28+SidecarContainers": "1.28 SidecarContainers=true", "1.29-SidecarContainers": "1.29 SidecarContainers=false",
		"wide-1.28.3+A1-B": "1.28.3 A1=true B=false", "~> 1.28": "~> 1.28", "v128_on": "", "stage": "", `all["1.28"]`: "", "1.28+": "",
	} {
		got := ""
		if c := OfVersion(name); c != nil {
			got = c.Kubernetes
			for _, gate := range slices.Sorted(maps.Keys(c.FeatureGates)) {
				got += fmt.Sprintf(" %s=%t", gate, c.FeatureGates[gate])
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
