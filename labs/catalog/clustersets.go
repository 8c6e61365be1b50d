package catalog

import (
	"fmt"

	"github.com/kind-lab/lab/clusters/versions"
	"github.com/kind-lab/lab/dsl/schema"
)

// StandardSet is the name of the cluster set that the labs run on.
const StandardSet = "standard"

// ClusterSets returns the sets of clusters that come with the program, for
// dsl.Options.
func ClusterSets() []schema.ClusterSet { return []schema.ClusterSet{Standard()} }

// Standard returns the set of the clusters that every lab runs on. They are
// alike in all labs, so that labs take each other's from the pool and stand in
// one table.
func Standard() schema.ClusterSet {
	set := schema.ClusterSet{Name: StandardSet}
	var first, last string
	for _, v := range versions.All() {
		for _, c := range v.Standard {
			set.Clusters = append(set.Clusters, schema.SetCluster{Name: c.Name, Kubernetes: v.Line(), FeatureGates: c.FeatureGates})
			if first == "" {
				first = v.Line()
			}
			last = v.Line()
		}
	}
	set.Doc = fmt.Sprintf("The clusters that the labs of the catalog run on: versions of Kubernetes from %s to %s, and a feature gate where it makes a difference.", first, last)
	return set
}
