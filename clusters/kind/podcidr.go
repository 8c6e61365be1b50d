package kind

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

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

// managerArgs are arguments of the controller manager with which its controllers
// run seconds sooner. By default it asks the API server 20 times a second, and
// with that it makes and reads the accounts of its 30 controllers before they
// start; and where its first request for the leader's lease comes before the API
// server has its roles, the next one comes 2 to 4.4 seconds later
// (leaderelection.JitterFactor).
var managerArgs = map[string]string{
	"kube-api-qps":              "100",
	"kube-api-burst":            "200",
	"leader-elect-retry-period": "1s",
}

// components are those of a Spec, with a controller manager that starts
// sooner, and to leave the podCIDRs alone where they are given here. What the Spec
// says of its arguments stays.
func components(spec clusters.Spec) []clusters.Component {
	args := maps.Clone(managerArgs)
	if givesPodCIDRs(spec) {
		args[allocateArg] = "false"
	}
	list := slices.Clone(spec.Components)
	i := slices.IndexFunc(list, func(c clusters.Component) bool { return c.Name == "kube-controller-manager" })
	if i < 0 {
		i = len(list)
		list = append(list, clusters.Component{Name: "kube-controller-manager"})
	}
	maps.Copy(args, list[i].ExtraArgs)
	list[i].ExtraArgs = args
	return list
}

// podCIDR is what a node gets of kind's 10.244.0.0/16, as the controller manager
// would give it: a network of 254 pods for each, in the order in which they join.
func podCIDR(index int) string { return fmt.Sprintf("10.244.%d.0/24", index) }

// givePodCIDRs waits for the nodes and gives each its own podCIDR, those first
// that join first. The error is the context's, with the last one of the API.
func givePodCIDRs(ctx context.Context, client kubernetes.Interface, nodes []clusters.Node) error {
	left := map[int]string{}
	for i, node := range nodes {
		left[i] = node.Name
	}
	for {
		var last error
		for _, i := range slices.Sorted(maps.Keys(left)) {
			patch := fmt.Sprintf(`{"spec":{"podCIDR":%[1]q,"podCIDRs":[%[1]q]}}`, podCIDR(i))
			_, err := client.CoreV1().Nodes().Patch(ctx, left[i], types.MergePatchType, []byte(patch), metav1.PatchOptions{})
			if err != nil {
				last = err
				continue
			}
			delete(left, i)
		}
		if len(left) == 0 {
			return nil
		}
		if over := clusters.Pause(ctx, soon); over != nil {
			return errors.Join(over, last)
		}
	}
}
