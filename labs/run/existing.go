package run

import (
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/plan"
)

// maxNamespace is the longest name of a namespace, an RFC 1123 label.
const maxNamespace = 63

// namespaceOn is the namespace of a scenario on a cluster. On one that others
// use too the run's own random part is in it, unless it is one that is there.
func namespaceOn(c plan.Cluster, run, planned string) string {
	switch on := c.Spec.Existing; {
	case on == nil:
		return planned
	case on.Namespace != "":
		return on.Namespace
	}
	name := "lab-" + token(run) + "-" + strings.TrimPrefix(planned, "lab-")
	if len(name) <= maxNamespace {
		return name
	}
	sum := fmt.Sprintf("-%08x", crc32.ChecksumIEEE([]byte(name)))
	return strings.TrimRight(name[:maxNamespace-len(sum)], "-") + sum
}

// words say what is done to a cluster: one that exists is neither made nor
// destroyed.
type words struct{ create, ready, destroy, destroyed string }

func wordsOf(c plan.Cluster) words {
	if c.Spec.By() == clusters.ProviderExisting {
		return words{"connecting to", "connected", "cleaning up", "cleaned up and given back"}
	}
	return words{"creating", "ready", "destroying", "destroyed"}
}
