// Command flanneld is the pod network of node images that are built without a
// registry: flannel with its host-gw backend, which keeps a route to every
// other node's pods and masquerades what leaves the pod network. It runs on
// every node as a service and not in a pod, so that the network is there before
// there are controllers and a scheduler to start pods.
//
// What there is beside flannel's own packages is to wait, for what a node gets
// one after another: the kubelet's credentials, the network's settings, the
// node's pod CIDR; and to write the CNI configuration. Flannel's own main gives
// up on a node that has no pod CIDR yet, writes no CNI configuration, and brings
// backends that a node never chooses.
//
// It begins once the ConfigMap kube-system/flannel exists, which is in kind's
// default CNI manifest: a cluster that brings a network of its own never has
// it, and flannel then does nothing.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// Files of a kubeadm node that flannel reads and writes.
const (
	kubeconfigFile = "/etc/kubernetes/kubelet.conf"
	settingsFile   = "/run/flannel/net-conf.json"
	conflistFile   = "/etc/cni/net.d/10-flannel.conflist"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	name, err := os.Hostname()
	if err != nil {
		fmt.Fprintln(os.Stderr, "flanneld: the node's name:", err)
		os.Exit(1)
	}
	a := &agent{
		node: name, conflist: conflistFile, connect: connect,
		network: func(ctx context.Context, s settings) (network, error) {
			return startFlannel(ctx, kubeconfigFile, settingsFile, name, s)
		},
		say: func(text string) { fmt.Println("flanneld: " + text) }, again: 200 * time.Millisecond,
	}
	// The service manager starts it again.
	if err := a.run(ctx); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "flanneld:", err)
		os.Exit(1)
	}
}

// connect speaks to the API server as the kubelet. It fails until kubeadm has
// written the kubelet's credentials.
func connect() (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfigFile)
	if err != nil {
		return nil, fmt.Errorf("waiting for kubeadm: %w", err)
	}
	config.UserAgent = "flanneld"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("waiting for the kubelet's certificate: %w", err)
	}
	return client, nil
}
