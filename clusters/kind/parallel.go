package kind

import "github.com/kind-lab/lab/clusters"

const (
	// clusterMemory is what one single-node cluster takes at its peak: about
	// 520 MB for the node, as much again for booting and its workload.
	clusterMemory = 1 << 30
	// hostMemory stays with the machine.
	hostMemory = 1 << 30
)

// MaxParallelCreates is how many single-node clusters may boot at once on the
// host without one slowing another into its deadline. A boot waits as much as
// it computes: three at once on 2 CPUs and 24 GiB were no strain, so it is one
// more than there are CPUs, as far as the memory goes. It is 1 where nothing is
// known of the host.
func MaxParallelCreates(host clusters.Host) int {
	if host.CPUs < 1 || host.Memory <= 0 {
		return 1
	}
	byMemory := int((host.Memory - hostMemory) / clusterMemory)
	return max(1, min(host.CPUs+1, byMemory))
}
