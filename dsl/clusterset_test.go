package dsl

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/dsl/schema"
)

// testSets are cluster sets for tests. Two of them share a cluster, and one has
// mistakes.
func testSets() []schema.ClusterSet {
	return []schema.ClusterSet{
		{Name: "standard", Clusters: []schema.SetCluster{
			{Name: "v128", Kubernetes: "1.28"},
			{Name: "v128_on", Kubernetes: "1.28", FeatureGates: map[string]bool{"SidecarContainers": true}},
			{Name: "v129", Kubernetes: "1.29"},
		}},
		{Name: "mesh", Clusters: []schema.SetCluster{{Name: "mesh", Kubernetes: "1.29"}, {Name: "v129", Kubernetes: "1.29"}}},
		{Name: "broken", Clusters: []schema.SetCluster{{Name: "not a name", Kubernetes: "1.29"}, {Name: "odd", Kubernetes: "one"}}},
	}
}

// loadText loads a text as a file with that name and the sets of the tests.
func loadText(name, text string) (*Module, string) {
	m, list := LoadFS(fstest.MapFS{name: {Data: []byte(text)}}, name, Options{ClusterSets: testSets()})
	var said []string
	for _, d := range list {
		said = append(said, d.Summary+": "+d.Detail)
	}
	return m, strings.Join(said, "\n")
}

const onAll = `
scenario "s" {
  clusters = values(cluster)
  sleep "a bit" { duration = "1s" }
}
`

// TestClusterSets loads files that use cluster sets, and checks on which clusters
// their scenarios run.
func TestClusterSets(t *testing.T) {
	for _, tt := range []struct {
		name, file, text string
		want             []string
		said             string
	}{
		{name: "all of a set", text: `lab { cluster_sets = ["standard"] }` + onAll, want: []string{"v128", "v128_on", "v129"}},
		{name: "one of a set", text: `lab { cluster_sets = ["standard"] }` + strings.Replace(onAll, "values(cluster)", "[cluster.v129]", 1), want: []string{"v129"}},
		{name: "beside the file's own", text: `lab { cluster_sets = ["standard"] }
cluster "mine" { kubernetes = "1.30" }
cluster "each" {
  for_each   = toset(["1.31", "1.32"])
  kubernetes = each.key
}
scenario "s" {
  clusters = concat([cluster.mine, cluster.v129], values(cluster.each))
  sleep "a bit" { duration = "1s" }
}`, want: []string{"mine", "v129", `each["1.31"]`, `each["1.32"]`}},
		{name: "with a matrix", text: `lab { cluster_sets = ["mesh"] }
scenario "s" {
  clusters = [for c in values(cluster) : c if c.kubernetes == "1.29"]
  matrix { n = [1, 2] }
  sleep "a bit" { duration = "${matrix.n}s" }
}`, want: []string{"mesh", "v129", "mesh", "v129"}},
		{name: "json", file: "x.hcl.json", text: `{"lab": {"cluster_sets": ["mesh"]}, "scenario": {"s": {"clusters": "${values(cluster)}", "sleep": {"a": {"duration": "1s"}}}}}`, want: []string{"mesh", "v129"}},
		{name: "none", text: `lab { cluster_sets = [] }
cluster "mine" { kubernetes = "1.30" }` + onAll, want: []string{"mine"}},
		{name: "unused", text: `lab { cluster_sets = ["standard"] }
cluster "mine" { kubernetes = "1.30" }` + strings.Replace(onAll, "values(cluster)", "[cluster.mine]", 1), want: []string{"mine"},
			said: `Unused cluster set: No scenario runs on a cluster of the set "standard".`},
		{name: "a name that no set has", text: `lab { cluster_sets = ["standard"] }` + strings.Replace(onAll, "values(cluster)", "[cluster.v12]", 1),
			said: `Unknown cluster: There is no cluster "v12". Did you mean "v128"?`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := tt.file
			if file == "" {
				file = "x.hcl"
			}
			m, said := loadText(file, tt.text)
			if said != tt.said {
				t.Errorf("said %q, want %q", said, tt.said)
			}
			var got []string
			for _, s := range m.Scenarios {
				for _, c := range s.Clusters {
					got = append(got, c.Name)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("clusters (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAClusterOfASet checks that a cluster of a set equals a declared cluster,
// except for its place.
func TestAClusterOfASet(t *testing.T) {
	taken, said := loadText("x.hcl", `lab { cluster_sets = ["standard"] }`+onAll)
	written, also := loadText("x.hcl", `
cluster "v128" { kubernetes = "1.28" }
cluster "v128_on" {
  kubernetes    = "1.28"
  feature_gates = { SidecarContainers = true }
}
cluster "v129" { kubernetes = "1.29" }`+onAll)
	if said+also != "" {
		t.Fatal(said, also)
	}
	for i, c := range taken.Clusters {
		if c.Set != "standard" || c.Range.Start.Line != 1 || c.Range.Start.Column != 23 {
			t.Errorf("%s is of the set %q, at %v", c.Name, c.Set, c.Range)
		}
		same := *c
		same.Set, same.Range, same.KubernetesRange, same.FeatureGatesRange = "", written.Clusters[i].Range, written.Clusters[i].KubernetesRange, written.Clusters[i].FeatureGatesRange
		if diff := cmp.Diff(written.Clusters[i], &same); diff != "" {
			t.Errorf("written and of a set (-written +set):\n%s", diff)
		}
	}
	if got := schema.SetNames(taken.ClusterSets); !cmp.Equal(got, []string{"standard"}) {
		t.Errorf("the module has the sets %q", got)
	}
}

// TestNoClusterSets checks the message of a program without cluster sets.
func TestNoClusterSets(t *testing.T) {
	_, list := LoadFS(fstest.MapFS{"x.hcl": {Data: []byte(`lab { cluster_sets = ["standard"] }`)}}, "x.hcl", Options{})
	if want := `There is no cluster set "standard". No cluster sets are known here. Declare the clusters in the file.`; len(list) != 1 || list[0].Detail != want {
		t.Errorf("got %v", list)
	}
}
