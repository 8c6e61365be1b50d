package runtest

import "github.com/kind-lab/lab/clusters"

// Provider states what the clusters of a World can do: what lab's own can, but
// for what takes a host. It has the name of the default provider.
func Provider() *clusters.Provider {
	return &clusters.Provider{
		Name: clusters.ProviderKind, Summary: "makes clusters of nothing",
		Capabilities: func(clusters.Spec) clusters.Capabilities {
			can := clusters.OwnCluster()
			can.CanListOrphans, can.CanReuse, can.CanReadLogFiles = false, false, false
			return can
		},
	}
}

// Capabilities are what Provider states.
func (w *World) Capabilities(spec clusters.Spec) clusters.Capabilities {
	return Provider().Capabilities(spec)
}
