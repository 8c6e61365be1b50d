package kind

import "github.com/kind-lab/lab/clusters"

// Provider states what clusters made with kind can do: everything, since lab has
// them to itself. It needs no engine.
func Provider() *clusters.Provider {
	return &clusters.Provider{
		Name:    clusters.ProviderKind,
		Summary: "the default, makes the cluster",
		Capabilities: func(clusters.Spec) clusters.Capabilities {
			return clusters.OwnCluster()
		},
	}
}

// Capabilities are what Provider states for a Spec.
func (p *Provisioner) Capabilities(spec clusters.Spec) clusters.Capabilities {
	return Provider().Capabilities(spec)
}

// Nodes reaches the nodes of a cluster: the engine knows them by their names.
func (p *Provisioner) Nodes(clusters.Handle) clusters.Nodes { return p }

var _ clusters.Nodes = (*Provisioner)(nil)
