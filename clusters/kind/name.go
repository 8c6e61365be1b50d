package kind

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/kind-lab/lab/clusters"
)

// Prefix begins the name of every cluster of this package.
const Prefix = "lab-"

// ErrName is the cause where a cluster's name cannot be used.
var ErrName = errors.New("cluster name cannot be used")

// maxHostname is the longest name of a node: a host name's label (RFC 1123)
// and what kubeadm accepts as a node's name.
const maxHostname = 63

// CheckID says whether a cluster of so many nodes can be called id: it begins
// with Prefix, keeps to what host names allow, and leaves room for the nodes'
// own endings. The error wraps ErrName.
func CheckID(id string, controlPlanes, workers int) error {
	if !strings.HasPrefix(id, Prefix) {
		return fmt.Errorf("%w: %q does not begin with %q, by which clusters of lab are found again", ErrName, id, Prefix)
	}
	if !regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`).MatchString(id) {
		return fmt.Errorf("%w: %q has other characters than a-z, 0-9 and - or ends in -", ErrName, id)
	}
	for _, name := range containerNames(id, controlPlanes, workers) {
		if len(name) > maxHostname {
			return fmt.Errorf("%w: node %q has %d characters, a host name at most %d: shorten %q by %d",
				ErrName, name, len(name), maxHostname, id, len(name)-maxHostname)
		}
	}
	return nil
}

// containerNames are the names that the library gives, the load balancer of
// several control planes last.
func containerNames(id string, controlPlanes, workers int) []string {
	var names []string
	for _, node := range nodesOf(id, controlPlanes, workers) {
		names = append(names, node.Name)
	}
	if controlPlanes > 1 {
		names = append(names, id+"-external-load-balancer")
	}
	return names
}

// nodesOf are the nodes that the library makes, control planes first.
func nodesOf(id string, controlPlanes, workers int) []clusters.Node {
	nodes := make([]clusters.Node, 0, controlPlanes+workers)
	add := func(role string, count int) {
		for i := 1; i <= count; i++ {
			name := id + "-" + role
			if i > 1 {
				name += fmt.Sprint(i)
			}
			nodes = append(nodes, clusters.Node{Name: name, Role: role})
		}
	}
	add(roleControlPlane, max(controlPlanes, 1))
	add(roleWorker, workers)
	return nodes
}

const (
	roleControlPlane = "control-plane"
	roleWorker       = "worker"
)
