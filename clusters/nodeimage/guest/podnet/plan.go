package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// routeProtocol marks the routes that podnet made, so that it removes no
// others.
const routeProtocol = "117"

// chain is the NAT chain that podnet owns.
const chain = "PODNET-MASQ"

// route leads to another node's pods.
type route struct {
	to, via string
}

// plan is a node's whole pod network.
type plan struct {
	// own are the node's pod CIDRs; the network is not set up without one.
	own []string
	// subnets are not masqueraded.
	subnets []string
	routes  []route
}

// newPlan is the network of the node called name.
func newPlan(name string, subnets []string, nodes []node) plan {
	p := plan{subnets: subnets}
	for _, n := range nodes {
		cidrs := podCIDRs(n)
		if n.Metadata.Name == name {
			p.own = cidrs
			continue
		}
		for _, cidr := range cidrs {
			if via := gateway(n, cidr); via != "" {
				p.routes = append(p.routes, route{to: cidr, via: via})
			}
		}
	}
	return p
}

// podCIDRs are the valid pod CIDRs of a node.
func podCIDRs(n node) []string {
	cidrs := n.Spec.PodCIDRs
	if len(cidrs) == 0 && n.Spec.PodCIDR != "" {
		cidrs = []string{n.Spec.PodCIDR}
	}
	var valid []string
	for _, c := range cidrs {
		if _, err := netip.ParsePrefix(c); err == nil {
			valid = append(valid, c)
		}
	}
	return valid
}

// gateway is the node's own address of the same family as cidr, or empty.
func gateway(n node, cidr string) string {
	for _, a := range n.Status.Addresses {
		addr, err := netip.ParseAddr(a.Address)
		if a.Type == "InternalIP" && err == nil && addr.Is6() == isV6(cidr) {
			return a.Address
		}
	}
	return ""
}

// isV6 says whether an address or a CIDR is of IPv6.
func isV6(s string) bool { return strings.Contains(s, ":") }

// equal says whether two plans ask for the same.
func (p plan) equal(q plan) bool {
	return slices.Equal(p.own, q.own) && slices.Equal(p.subnets, q.subnets) && slices.Equal(p.routes, q.routes)
}

// String says what the plan holds, in one line.
func (p plan) String() string {
	if len(p.own) == 0 {
		return "this node has no pod CIDR yet"
	}
	return fmt.Sprintf("pods of this node have %s, %d routes to other nodes", strings.Join(p.own, ", "), len(p.routes))
}

// conflist is containerd's CNI configuration, or nil where the node has no
// pod CIDR yet. Its plugins are those of kind's own network.
func (p plan) conflist() ([]byte, error) {
	if len(p.own) == 0 {
		return nil, nil
	}
	type object = map[string]any
	var ranges [][]object
	var routes []object
	for _, cidr := range p.own {
		ranges = append(ranges, []object{{"subnet": cidr}})
		everywhere := "0.0.0.0/0"
		if isV6(cidr) {
			everywhere = "::/0"
		}
		routes = append(routes, object{"dst": everywhere})
	}
	return json.MarshalIndent(object{
		"cniVersion": "0.3.1",
		"name":       "podnet",
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

// masquerade is the iptables-restore input of one family, which replaces
// what the chain held before: what leaves the pod subnets takes the node's
// address.
func (p plan) masquerade(v6 bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*nat\n:%s - [0:0]\n", chain)
	for _, subnet := range p.subnets {
		if isV6(subnet) == v6 {
			fmt.Fprintf(&b, "-A %s -d %s -j RETURN\n", chain, subnet)
		}
	}
	fmt.Fprintf(&b, "-A %s -m addrtype --dst-type LOCAL -j RETURN\n", chain)
	fmt.Fprintf(&b, "-A %s -j MASQUERADE\nCOMMIT\n", chain)
	return b.String()
}

// apply brings the host in line with the plan. The CNI configuration comes
// last, because pods start once it is there.
func (p plan) apply(ctx context.Context, h host, conflist string) error {
	for _, v6 := range []bool{false, true} {
		if !slices.ContainsFunc(p.own, func(c string) bool { return isV6(c) == v6 }) {
			continue
		}
		if err := p.applyRoutes(ctx, h, v6); err != nil {
			return err
		}
		if err := p.applyMasquerade(ctx, h, v6); err != nil {
			return err
		}
	}
	data, err := p.conflist()
	if err != nil || data == nil {
		return err
	}
	return h.write(conflist, data)
}

// applyRoutes sets the routes of one family, and removes those that podnet
// set before and that are no longer wanted.
func (p plan) applyRoutes(ctx context.Context, h host, v6 bool) error {
	family := "-4"
	if v6 {
		family = "-6"
	}
	wanted := map[string]bool{}
	for _, r := range p.routes {
		if isV6(r.to) != v6 {
			continue
		}
		wanted[r.to] = true
		if _, err := h.run(ctx, "", "ip", family, "route", "replace", r.to, "via", r.via, "proto", routeProtocol); err != nil {
			return err
		}
	}
	out, err := h.run(ctx, "", "ip", family, "route", "show", "proto", routeProtocol)
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) == 0 || wanted[fields[0]] {
			continue
		}
		if _, err := h.run(ctx, "", "ip", family, "route", "del", fields[0], "proto", routeProtocol); err != nil {
			return err
		}
	}
	return nil
}

// applyMasquerade sets the NAT rules of one family.
func (p plan) applyMasquerade(ctx context.Context, h host, v6 bool) error {
	iptables := "iptables"
	if v6 {
		iptables = "ip6tables"
	}
	if _, err := h.run(ctx, p.masquerade(v6), iptables+"-restore", "--wait", "--noflush"); err != nil {
		return err
	}
	for _, cidr := range p.own {
		if isV6(cidr) != v6 {
			continue
		}
		rule := []string{"POSTROUTING", "-s", cidr, "-j", chain}
		if _, err := h.run(ctx, "", iptables, append([]string{"--wait", "-t", "nat", "-C"}, rule...)...); err == nil {
			continue
		}
		if _, err := h.run(ctx, "", iptables, append([]string{"--wait", "-t", "nat", "-A"}, rule...)...); err != nil {
			return err
		}
	}
	return nil
}
