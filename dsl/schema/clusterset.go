package schema

import (
	"maps"
	"slices"
)

// ClusterSetsArgument is the argument of the lab block that names cluster sets.
const ClusterSetsArgument = "cluster_sets"

// ClusterSet is a named set of clusters that scenario files can use. Its clusters
// work as if they were declared in the file. The language has no sets of its own:
// the program that loads a scenario passes them.
type ClusterSet struct {
	// Name is an identifier.
	Name string `json:"name"`
	// Doc describes the purpose of the set in a sentence.
	Doc string `json:"doc,omitempty"`
	// Clusters are the clusters, in the order of declarations in a file.
	Clusters []SetCluster `json:"clusters"`
}

// SetCluster is a cluster of a set.
type SetCluster struct {
	// Name is an identifier, unique in the set.
	Name string `json:"name"`
	// Kubernetes is a version constraint, such as "1.28".
	Kubernetes string `json:"kubernetes"`
	// FeatureGates are the feature gates of all components; nil for none.
	FeatureGates map[string]bool `json:"feature_gates,omitempty"`
}

// Equal says whether two sets have the same name and the same clusters.
func (s ClusterSet) Equal(other ClusterSet) bool {
	return s.Name == other.Name && slices.EqualFunc(s.Clusters, other.Clusters, func(a, b SetCluster) bool {
		return a.Name == b.Name && a.Kubernetes == b.Kubernetes && maps.Equal(a.FeatureGates, b.FeatureGates)
	})
}

// SetNames returns the names of sets, in the order of the sets.
func SetNames(sets []ClusterSet) []string {
	names := make([]string, 0, len(sets))
	for _, s := range sets {
		names = append(names, s.Name)
	}
	return names
}

// FindSet returns the set of that name, or nil.
func FindSet(sets []ClusterSet, name string) *ClusterSet {
	i := slices.IndexFunc(sets, func(s ClusterSet) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &sets[i]
}
