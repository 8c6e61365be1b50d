package editor

import (
	"fmt"
	"strings"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/schema"
)

// inClusterSets says whether the place is in the argument that takes sets of
// clusters.
func (c cursor) inClusterSets(language *schema.Block) bool {
	b := c.block(language)
	return b != nil && b.Type == "lab" && c.argument == schema.ClusterSetsArgument
}

// setText says what a set of clusters is.
func setText(set schema.ClusterSet) string {
	text := fmt.Sprintf("**cluster set %s** – %s\n\n| cluster | Kubernetes | feature gates |\n| --- | --- | --- |", set.Name, set.Doc)
	for _, c := range set.Clusters {
		text += fmt.Sprintf("\n| `%s` | %s | %s |", c.Name, c.Kubernetes, strings.Join(clusters.FeatureGates(c.FeatureGates).List(), " "))
	}
	return text
}

// setOf is the set that a cluster of a module is of; empty for one that the
// source declares, or that there is not.
func setOf(m *dsl.Module, cluster string) string {
	for _, c := range m.Clusters {
		if c.Block == cluster {
			return c.Set
		}
	}
	return ""
}

// infoMessage is the protocol's number of messages that are information.
const infoMessage = 3

// sayBuiltIn shows the user that a set of clusters has no source to go to, or
// that a cluster is of such a set. It does nothing if there is no set of that
// name.
func (s *server) sayBuiltIn(name, cluster string) {
	set := schema.FindSet(s.options.ClusterSets, name)
	if set == nil {
		return
	}
	message := fmt.Sprintf("The cluster set %q is built in: %s.", set.Name, strings.Join(clusterNames(*set), ", "))
	if cluster != "" {
		message = fmt.Sprintf("%s is one of the cluster set %q, which is built in.", cluster, set.Name)
	}
	// If the client is gone, nobody waits for the message.
	_ = s.rpc.Notify(s.ctx, "window/showMessage", messageParams{infoMessage, message})
}

func clusterNames(set schema.ClusterSet) []string {
	var names []string
	for _, c := range set.Clusters {
		names = append(names, c.Name)
	}
	return names
}
