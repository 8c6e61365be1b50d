package editor

import (
	"slices"
	"strings"
	"testing"

	"github.com/kind-lab/lab/dsl/schema"
)

// testSets are sets of clusters for tests.
func testSets() []schema.ClusterSet {
	return []schema.ClusterSet{
		{Name: "standard", Doc: "Those of the labs.", Clusters: []schema.SetCluster{
			{Name: "v128", Kubernetes: "1.28"},
			{Name: "v128_on", Kubernetes: "1.28", FeatureGates: map[string]bool{"SidecarContainers": true}},
		}},
		{Name: "mesh", Doc: "Those with a mesh.", Clusters: []schema.SetCluster{{Name: "mesh", Kubernetes: "1.29"}}},
	}
}

const onStandard = "lab {\n  cluster_sets = [\"standard\"]\n}\nscenario \"s\" {\n  clusters = [cluster.v128_on]\n  sleep \"x\" { duration = \"1s\" }\n}\n"

func TestCompletionOfClusterSets(t *testing.T) {
	for name, tt := range map[string]struct {
		src, want string
		not       string
	}{
		"argument":       {"lab {\n  clu|\n}\n", "cluster_sets", "standard"},
		"name in quotes": {"lab {\n  cluster_sets = [\"|\"]\n}\n", "standard", "var"},
		"second name":    {"lab {\n  cluster_sets = [\"standard\", \"m|\"]\n}\n", "mesh", "var"},
		"name":           {"lab {\n  cluster_sets = [|]\n}\n", "mesh", "pod"},
		"cluster":        {strings.Replace(onStandard, "cluster.v128_on", "cluster.|", 1), "v128_on", "mesh"},
		"not elsewhere":  {"lab {\n  name = \"|\"\n}\n", "", "standard"},
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t, map[string]any{})
			at := c.open("x.hcl", tt.src)
			var list completionList
			c.call("textDocument/completion", placeParams{textDocument{URI: c.uri("x.hcl")}, at}, &list)
			var labels []string
			for _, item := range list.Items {
				labels = append(labels, item.Label)
			}
			if tt.want != "" && !slices.Contains(labels, tt.want) {
				t.Errorf("does not offer %q: %q", tt.want, labels)
			}
			if slices.Contains(labels, tt.not) {
				t.Errorf("offers %q", tt.not)
			}
		})
	}
}

// TestClusterSetsAreBuiltIn is what an editor says of a set that is named, and of
// a cluster of it.
func TestClusterSetsAreBuiltIn(t *testing.T) {
	for name, tt := range map[string]struct {
		src, hover, shown string
		line              int // of the definition; -1 for none
	}{
		"set": {strings.Replace(onStandard, "standard", "stan|dard", 1), "**cluster set standard** – Those of the labs.\n\n| cluster | Kubernetes | feature gates |\n| --- | --- | --- |\n| `v128` | 1.28 |  |\n| `v128_on` | 1.28 | SidecarContainers=true |",
			`The cluster set "standard" is built in: v128, v128_on.`, -1},
		"cluster": {strings.Replace(onStandard, "cluster.v128_on", "cluster.v12|8_on", 1), `**cluster v128_on** – Kubernetes 1.28 SidecarContainers=true, of the built-in cluster set "standard"`,
			`cluster.v128_on is one of the cluster set "standard", which is built in.`, 1},
		"argument":    {strings.Replace(onStandard, "cluster_sets", "cluster|_sets", 1), "**cluster_sets** (list(string)", "", -1},
		"unknown set": {strings.Replace(onStandard, "standard", "stan|", 1), "", "", -1},
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t, map[string]any{})
			at := c.open("x.hcl", tt.src)
			var said *hoverResult
			c.call("textDocument/hover", placeParams{textDocument{URI: c.uri("x.hcl")}, at}, &said)
			if tt.hover == "" && said != nil || tt.hover != "" && (said == nil || !strings.Contains(said.Contents.Value, tt.hover)) {
				t.Errorf("hover says %+v, want %q", said, tt.hover)
			}
			var found *location
			c.call("textDocument/definition", placeParams{textDocument{URI: c.uri("x.hcl")}, at}, &found)
			if (found == nil) != (tt.line < 0) || found != nil && found.Range.Start.Line != tt.line {
				t.Errorf("definition is %+v, want line %d", found, tt.line)
			}
			c.call("shutdown", nil, nil) // what was shown before has come by now
			c.mu.Lock()
			defer c.mu.Unlock()
			if got := strings.Join(c.shown, "; "); got != tt.shown {
				t.Errorf("shown: %q, want %q", got, tt.shown)
			}
		})
	}
}
