package run

import (
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/kind-lab/lab/labs/plan"
)

// maxNamespace is the longest name of a namespace, an RFC 1123 label.
const maxNamespace = 63

// namespaceOn is the namespace of a scenario on a cluster: the one that is given.
// On a cluster that others use as well the run's own random part is in its name.
func namespaceOn(c plan.Cluster, run, planned string) string {
	switch can := c.Capabilities; {
	case can.GivenNamespace != "":
		return can.GivenNamespace
	case can.OwnsCluster:
		return planned
	}
	name := "lab-" + token(run) + "-" + strings.TrimPrefix(planned, "lab-")
	if len(name) <= maxNamespace {
		return name
	}
	sum := fmt.Sprintf("-%08x", crc32.ChecksumIEEE([]byte(name)))
	return strings.TrimRight(name[:maxNamespace-len(sum)], "-") + sum
}

// words say what is done to a cluster: one that is not ours is neither made nor
// destroyed.
type words struct{ create, ready, destroy, destroyed string }

func wordsOf(c plan.Cluster) words {
	if !c.Capabilities.OwnsCluster {
		return words{"connecting to", "connected", "cleaning up", "cleaned up and given back"}
	}
	return words{"creating", "ready", "destroying", "destroyed"}
}

// leaveImages says, once for a cluster, that its nodes have to pull their images.
func (c *clusterRun) leaveImages(images []string) {
	if c.saidImages {
		return
	}
	c.saidImages = true
	c.progress(fmt.Sprintf("images are not loaded onto this cluster: its nodes pull %s and others from a registry that they reach", images[0]))
}
