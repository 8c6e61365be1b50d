package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// settings are the cluster's pod subnets, at most one of a family.
type settings struct{ v4, v6 string }

// readSettings reads them from the ConfigMap kube-system/flannel. It fails
// until that exists and this node may read it.
func readSettings(ctx context.Context, client kubernetes.Interface) (settings, error) {
	config, err := client.CoreV1().ConfigMaps(metav1.NamespaceSystem).Get(ctx, "flannel", metav1.GetOptions{})
	if err != nil {
		return settings{}, fmt.Errorf("waiting for the network's settings: %w", err)
	}
	var s settings
	for _, subnet := range strings.Split(config.Data["podSubnet"], ",") {
		prefix, err := netip.ParsePrefix(strings.TrimSpace(subnet))
		if err != nil {
			return settings{}, fmt.Errorf("reading the pod subnets %q: %w", config.Data["podSubnet"], err)
		}
		if prefix.Addr().Is4() {
			s.v4 = prefix.String()
		} else {
			s.v6 = prefix.String()
		}
	}
	return s, nil
}

// netConf is flannel's own form of the settings.
func (s settings) netConf() ([]byte, error) {
	config := map[string]any{"EnableIPv4": s.v4 != "", "EnableIPv6": s.v6 != "", "Backend": map[string]string{"Type": backendType}}
	if s.v4 != "" {
		config["Network"] = s.v4
	}
	if s.v6 != "" {
		config["IPv6Network"] = s.v6
	}
	return json.Marshal(config)
}

// followNode tells how the node called name is, now and after every change,
// until ctx ends. One who does not listen misses what is outdated by then.
func followNode(ctx context.Context, client kubernetes.Interface, name string) <-chan *corev1.Node {
	nodes := make(chan *corev1.Node, 1)
	tell := func(object any) {
		node, ok := object.(*corev1.Node)
		if !ok || node.Name != name {
			return
		}
		select {
		case <-nodes:
		default:
		}
		nodes <- node
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTweakListOptions(func(o *metav1.ListOptions) {
		o.FieldSelector = fields.OneTermEqualSelector("metadata.name", name).String()
	}))
	// It fails for an informer that was stopped, and this one is new.
	_, _ = factory.Core().V1().Nodes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: tell, UpdateFunc: func(_, object any) { tell(object) },
	})
	factory.Start(ctx.Done())
	return nodes
}

// podCIDRs are those of a node.
func podCIDRs(n *corev1.Node) []string {
	if len(n.Spec.PodCIDRs) == 0 && n.Spec.PodCIDR != "" {
		return []string{n.Spec.PodCIDR}
	}
	return n.Spec.PodCIDRs
}

// conflist is containerd's CNI configuration for a node whose pods have the
// CIDRs. Its plugins are those of kind's own network.
func conflist(cidrs []string) ([]byte, error) {
	type object = map[string]any
	var ranges [][]object
	var routes []object
	for _, cidr := range cidrs {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			return nil, fmt.Errorf("reading the node's pod CIDR: %w", err)
		}
		everywhere := "0.0.0.0/0"
		if prefix.Addr().Is6() {
			everywhere = "::/0"
		}
		ranges = append(ranges, []object{{"subnet": cidr}})
		routes = append(routes, object{"dst": everywhere})
	}
	return json.MarshalIndent(object{
		"cniVersion": "0.3.1",
		"name":       "flannel",
		"plugins": []object{
			{
				"type":   "ptp",
				"ipMasq": false,
				"ipam": object{
					"type":    "host-local",
					"dataDir": "/run/cni-ipam-state",
					"routes":  routes,
					"ranges":  ranges,
				},
			},
			{"type": "portmap", "capabilities": object{"portMappings": true}},
		},
	}, "", "  ")
}

// writeConflist replaces the CNI configuration as a whole.
func writeConflist(path string, cidrs []string) error {
	data, err := conflist(cidrs)
	if err != nil {
		return err
	}
	// containerd reads names that end in .conflist alone.
	part := filepath.Join(filepath.Dir(path), ".flannel.part")
	if err := os.WriteFile(part, data, 0o644); err != nil {
		return fmt.Errorf("writing the CNI configuration: %w", err)
	}
	if err := os.Rename(part, path); err != nil {
		return fmt.Errorf("writing the CNI configuration: %w", err)
	}
	return nil
}
