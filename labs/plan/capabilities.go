package plan

import (
	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/dsl"
)

// Statement returns what the provider of a cluster states about itself; nil if
// the scenario was loaded without providers.
func Statement(c *dsl.Cluster) *clusters.Provider {
	p, _ := c.Statement.(*clusters.Provider)
	return p
}

// Capabilities are what is known, before a cluster exists, of what can be done
// with it. Of a scenario that was loaded without providers the default one is
// taken to make a cluster that can be configured; nothing is known of any other.
func Capabilities(c *dsl.Cluster) clusters.Capabilities {
	if p := Statement(c); p != nil {
		return p.Capabilities(Spec(c, Image{}))
	}
	if !hasProvider(c) {
		return clusters.Capabilities{}
	}
	return clusters.OwnCluster()
}

// hasProvider says whether the provider of a cluster is known, or the default
// one.
func hasProvider(c *dsl.Cluster) bool {
	return Statement(c) != nil || c.Provider == "" || c.Provider == dsl.DefaultProvider
}

// Lacking returns the error of the first of some clusters that lacks a
// capability; nil if all have it.
func Lacking(on []*dsl.Cluster, do clusters.Capability) *clusters.CapabilityError {
	for _, c := range on {
		if Capabilities(c).Can(do) {
			continue
		}
		if p := Statement(c); p != nil {
			return p.Lacks(c.Name, do)
		}
		return &clusters.CapabilityError{Cluster: c.Name, Provider: c.Provider, Missing: do}
	}
	return nil
}
