package main

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"sync"

	"github.com/flannel-io/flannel/pkg/backend"
	_ "github.com/flannel-io/flannel/pkg/backend/hostgw" // registers the backend
	"github.com/flannel-io/flannel/pkg/ip"
	"github.com/flannel-io/flannel/pkg/ipmatch"
	"github.com/flannel-io/flannel/pkg/lease"
	"github.com/flannel-io/flannel/pkg/subnet"
	"github.com/flannel-io/flannel/pkg/subnet/kube"
	"github.com/flannel-io/flannel/pkg/trafficmngr"
	"github.com/flannel-io/flannel/pkg/trafficmngr/iptables"
	"github.com/flannel-io/flannel/pkg/trafficmngr/nftables"
)

const (
	// backendType is the one for nodes that reach each other directly.
	backendType = "host-gw"
	// annotationPrefix is of what flannel notes at nodes.
	annotationPrefix = "flannel.alpha.coreos.com"
	// resync is how often rules are looked after, in seconds, where flannel
	// has to use iptables.
	resync = 30
)

// flannel is the network made of flannel's packages.
type flannel struct {
	config *subnet.Config
	ready  chan struct{}
	// manager and err are there once ready is closed.
	manager subnet.Manager
	err     error
}

// startFlannel begins to learn of the cluster's nodes, which takes flannel a
// second.
func startFlannel(ctx context.Context, kubeconfig, netConf, node string, s settings) (*flannel, error) {
	data, err := s.netConf()
	if err != nil {
		return nil, fmt.Errorf("writing flannel's settings: %w", err)
	}
	f := &flannel{ready: make(chan struct{})}
	if f.config, err = subnet.ParseConfig(string(data)); err != nil {
		return nil, fmt.Errorf("reading flannel's settings: %w", err)
	}
	if err = os.MkdirAll(filepath.Dir(netConf), 0o755); err == nil {
		err = os.WriteFile(netConf, data, 0o644)
	}
	if err == nil {
		err = os.Setenv("NODE_NAME", node) // this is how flannel wants to be told
	}
	if err != nil {
		return nil, fmt.Errorf("writing flannel's settings: %w", err)
	}
	go func() {
		defer close(f.ready)
		f.manager, f.err = kube.NewSubnetManager(ctx, "", kubeconfig, annotationPrefix, netConf, false)
	}()
	return f, nil
}

func (f *flannel) masquerade(ctx context.Context, cidrs []string) error {
	own, err := leaseOf(cidrs)
	if err != nil {
		return err
	}
	var rules trafficmngr.TrafficManager = &nftables.NFTablesManager{}
	if rules.Init(ctx) != nil { // a kernel without nftables
		rules = &iptables.IPTablesManager{}
		if err := rules.Init(ctx); err != nil {
			return err
		}
	}
	// There is nothing from before: flannel takes away what it finds of its own.
	return rules.SetupAndEnsureMasqRules(ctx, f.config.Network, ip.IP4Net{}, ip.IP4Net{}, f.config.IPv6Network, ip.IP6Net{}, ip.IP6Net{}, own, resync, false)
}

// leaseOf is a node's lease, as far as it is known before flannel gives it.
func leaseOf(cidrs []string) (*lease.Lease, error) {
	l := &lease.Lease{}
	for _, cidr := range cidrs {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			return nil, fmt.Errorf("reading the node's pod CIDR: %w", err)
		}
		if prefix.Addr().Is4() {
			l.EnableIPv4, l.Subnet = true, ip.IP4Net{IP: ip.FromIP(prefix.Addr().AsSlice()), PrefixLen: uint(prefix.Bits())}
		} else {
			l.EnableIPv6, l.IPv6Subnet = true, ip.IP6Net{IP: ip.FromIP6(prefix.Addr().AsSlice()), PrefixLen: uint(prefix.Bits())}
		}
	}
	return l, nil
}

func (f *flannel) join(ctx context.Context) (func(context.Context), error) {
	select {
	case <-f.ready:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if f.err != nil {
		return nil, fmt.Errorf("%w: learning of the other nodes: %w", errBroken, f.err)
	}
	family, err := ipmatch.GetIPFamily(f.config.EnableIPv4, f.config.EnableIPv6)
	if err != nil {
		return nil, err
	}
	device, err := ipmatch.LookupExtIface("", "", "", family, ipmatch.PublicIPOpts{})
	if err != nil {
		return nil, fmt.Errorf("looking for the device to the other nodes: %w", err)
	}
	made, err := backend.NewManager(ctx, f.manager, device).GetBackend(backendType)
	if err != nil {
		return nil, err
	}
	routes, err := made.RegisterNetwork(ctx, &sync.WaitGroup{}, f.config)
	if err != nil {
		return nil, fmt.Errorf("telling the other nodes: %w", err)
	}
	return routes.Run, nil
}

var _ network = (*flannel)(nil)
