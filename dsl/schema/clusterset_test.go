package schema_test

import (
	"slices"
	"testing"

	"github.com/kind-lab/lab/dsl/schema"
)

// TestFindSet finds sets by their names.
func TestFindSet(t *testing.T) {
	sets := []schema.ClusterSet{{Name: "b"}, {Name: "a", Doc: "first"}, {Name: "a", Doc: "second"}}
	if got := schema.SetNames(sets); !slices.Equal(got, []string{"b", "a", "a"}) {
		t.Errorf("names %q", got)
	}
	if got := schema.SetNames(nil); got == nil || len(got) > 0 {
		t.Errorf("names of no sets: %#v", got)
	}
	if s := schema.FindSet(sets, "a"); s != &sets[1] {
		t.Errorf("found %+v", s)
	}
	for _, name := range []string{"", "A", "c"} {
		if s := schema.FindSet(sets, name); s != nil || schema.FindSet(nil, name) != nil {
			t.Errorf("%q: found %+v", name, s)
		}
	}
}

// TestEqualityOfSets is symmetric, and takes the order of clusters into account.
func TestEqualityOfSets(t *testing.T) {
	a, b := schema.SetCluster{Name: "a", Kubernetes: "1.28"}, schema.SetCluster{Name: "b", Kubernetes: "1.29", FeatureGates: map[string]bool{"G": true}}
	off := b
	off.FeatureGates = map[string]bool{"G": false}
	sets := []schema.ClusterSet{
		{Name: "s"}, {Name: "t"}, {Name: "s", Clusters: []schema.SetCluster{a}}, {Name: "s", Clusters: []schema.SetCluster{a, b}},
		{Name: "s", Clusters: []schema.SetCluster{b, a}}, {Name: "s", Clusters: []schema.SetCluster{a, off}}, {Name: "s", Clusters: []schema.SetCluster{a, a}},
	}
	for i, x := range sets {
		for j, y := range sets {
			if x.Equal(y) != (i == j) || x.Equal(y) != y.Equal(x) {
				t.Errorf("%+v equals %+v: %t", x, y, x.Equal(y))
			}
		}
	}
	documented := sets[3]
	documented.Doc = "What it is for does not matter."
	empty := schema.ClusterSet{Name: "s", Clusters: []schema.SetCluster{{Name: "a", Kubernetes: "1.28", FeatureGates: map[string]bool{}}}}
	if !documented.Equal(sets[3]) || !empty.Equal(sets[2]) {
		t.Error("the documentation, or an empty map, makes a difference")
	}
}
