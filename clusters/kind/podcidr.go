package kind

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kind-lab/lab/clusters"
)

// The controller manager's arguments of which podCIDRs depend.
const (
	allocateArg    = "allocate-node-cidrs"
	controllersArg = "controllers"
)

// givesPodCIDRs says whether Create gives the nodes their podCIDRs itself, instead
// of the controller manager. That one looks for nodes 10 seconds after its start
// for the first time (nodePollInterval in pkg/controller/nodeipam/ipam), and
// starts nothing else before: CoreDNS, kube-proxy and the default service account
// wait for it. A cluster that is configured in these things is left as it is.
func givesPodCIDRs(spec clusters.Spec) bool {
	for _, c := range spec.Components {
		if c.Name != "kube-controller-manager" {
			continue
		}
		for _, arg := range []string{allocateArg, controllersArg, "cluster-cidr", "node-cidr-mask-size"} {
			if _, set := c.ExtraArgs[arg]; set {
				return false
			}
		}
	}
	for _, patch := range spec.KubeadmPatches {
		for _, word := range []string{"podSubnet", allocateArg, controllersArg, "cluster-cidr", "networking"} {
			if strings.Contains(patch, word) {
				return false
			}
		}
	}
	return true
}

// components are those of a Spec, with the controller manager told to leave the
// podCIDRs alone where they are given here.
func components(spec clusters.Spec) []clusters.Component {
	if !givesPodCIDRs(spec) {
		return spec.Components
	}
	list := slices.Clone(spec.Components)
	i := slices.IndexFunc(list, func(c clusters.Component) bool { return c.Name == "kube-controller-manager" })
	if i < 0 {
		i = len(list)
		list = append(list, clusters.Component{Name: "kube-controller-manager"})
	}
	args := map[string]string{allocateArg: "false"}
	maps.Copy(args, list[i].ExtraArgs)
	list[i].ExtraArgs = args
	return list
}

// podCIDR is what a node gets of kind's 10.244.0.0/16, as the controller manager
// would give it: a network of 254 pods for each, in the order in which they join.
func podCIDR(index int) string { return fmt.Sprintf("10.244.%d.0/24", index) }

// givePodCIDRs waits for the nodes, which are its arguments with their networks,
// and gives each its own. It asks the API server of the node it runs on with the
// certificate by which that reaches kubelets, which may do all.
const givePodCIDRs = `
pki=/etc/kubernetes/pki
until [ -s $pki/apiserver-kubelet-client.key ] && [ -s $pki/apiserver-kubelet-client.crt ]; do sleep 0.2; done
while [ $# -gt 0 ]; do
  node=$1 cidr=$2
  said=$(curl --silent --insecure --max-time 5 --cert $pki/apiserver-kubelet-client.crt --key $pki/apiserver-kubelet-client.key \
    --request PATCH --header 'Content-Type: application/merge-patch+json' --output /dev/null --write-out '%{http_code}' \
    --data "{\"spec\":{\"podCIDR\":\"$cidr\",\"podCIDRs\":[\"$cidr\"]}}" "https://127.0.0.1:6443/api/v1/nodes/$node")
  shift 2
  [ "$said" = 200 ] || { set -- "$@" "$node" "$cidr"; sleep 0.1; }
done
`

// networks gives every node its podCIDR once the pods of CoreDNS are pending: a
// node that has one is soon ready, and then they have nodes, see hurryDNS.
func (p *Provisioner) networks(ctx context.Context, c *creation, pending <-chan struct{}) error {
	if !givesPodCIDRs(c.spec) {
		return nil
	}
	select {
	case <-pending:
	case <-ctx.Done():
		return nil
	}
	command := []string{"bash", "-c", givePodCIDRs, "bash"}
	for i, node := range c.nodes {
		command = append(command, node.Name, podCIDR(i))
	}
	var said bytes.Buffer
	if err := p.NodeExec(ctx, c.nodes[0].Name, nil, &said, &said, command...); err != nil && ctx.Err() == nil {
		return fmt.Errorf("giving the nodes their podCIDRs: %w: %s", err, strings.TrimSpace(said.String()))
	}
	return nil
}
