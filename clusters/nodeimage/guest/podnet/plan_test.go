package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// named is a node with an address and pod CIDRs.
func named(name, address string, cidrs ...string) node {
	var n node
	n.Metadata.Name, n.Spec.PodCIDRs = name, cidrs
	for _, a := range strings.Split(address, ",") {
		n.Status.Addresses = append(n.Status.Addresses, struct {
			Type    string `json:"type"`
			Address string `json:"address"`
		}{"InternalIP", a})
	}
	return n
}

func TestNewPlan(t *testing.T) {
	for _, tc := range []struct {
		name   string
		nodes  []node
		own    []string
		routes []route
	}{
		{name: "no nodes"},
		{name: "one node", nodes: []node{named("me", "172.18.0.2", "10.244.0.0/24")}, own: []string{"10.244.0.0/24"}},
		{name: "no pod CIDR yet", nodes: []node{named("me", "172.18.0.2"), named("b", "172.18.0.3")}},
		{
			name:   "three nodes",
			nodes:  []node{named("a", "172.18.0.3", "10.244.1.0/24"), named("b", "172.18.0.4", "10.244.2.0/24"), named("me", "172.18.0.2", "10.244.0.0/24")},
			own:    []string{"10.244.0.0/24"},
			routes: []route{{"10.244.1.0/24", "172.18.0.3"}, {"10.244.2.0/24", "172.18.0.4"}},
		},
		{
			name:   "two families",
			nodes:  []node{named("b", "172.18.0.3,fc00::3", "10.244.1.0/24", "fd00:10:244:1::/64"), named("me", "172.18.0.2,fc00::2", "10.244.0.0/24", "fd00:10:244::/64")},
			own:    []string{"10.244.0.0/24", "fd00:10:244::/64"},
			routes: []route{{"10.244.1.0/24", "172.18.0.3"}, {"fd00:10:244:1::/64", "fc00::3"}},
		},
		{name: "no address of the family", nodes: []node{named("b", "172.18.0.3", "fd00:10:244:1::/64"), named("me", "172.18.0.2", "10.244.0.0/24")}, own: []string{"10.244.0.0/24"}},
		{name: "nonsense", nodes: []node{named("b", "somewhere", "10.244.1.0/24"), named("me", "172.18.0.2", "10.244.0.0", "x", "10.244.0.0/24")}, own: []string{"10.244.0.0/24"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newPlan("me", []string{"10.244.0.0/16"}, tc.nodes)
			if !slices.Equal(p.own, tc.own) || !slices.Equal(p.routes, tc.routes) {
				t.Errorf("plan %+v", p)
			}
		})
	}
}

func TestPlanReadsTheOldField(t *testing.T) {
	n := named("me", "172.18.0.2")
	n.Spec.PodCIDR = "10.244.0.0/24"
	if p := newPlan("me", nil, []node{n}); !slices.Equal(p.own, []string{"10.244.0.0/24"}) {
		t.Errorf("plan %+v", p)
	}
}

func TestConflist(t *testing.T) {
	p := plan{own: []string{"10.244.0.0/24", "fd00::/64"}}
	data, err := p.conflist()
	if err != nil {
		t.Fatal(err)
	}
	var conflist struct {
		CNIVersion string `json:"cniVersion"`
		Name       string
		Plugins    []struct {
			Type string
			IPAM struct {
				Ranges [][]map[string]string
				Routes []map[string]string
			}
			Capabilities map[string]bool
		}
	}
	if err := json.Unmarshal(data, &conflist); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(conflist)
	want := "{0.3.1 podnet [{ptp {[[map[subnet:10.244.0.0/24]] [map[subnet:fd00::/64]]] [map[dst:0.0.0.0/0] map[dst:::/0]]} map[]} {portmap {[] []} map[portMappings:true]}]}"
	if got != want {
		t.Errorf("conflist %s\nwant %s", got, want)
	}
	if data, err := (plan{}).conflist(); data != nil || err != nil {
		t.Errorf("without a pod CIDR: %s, %v", data, err)
	}
}

// fakeHost is a machine with routes and NAT rules.
type fakeHost struct {
	routes map[string]string // by family and destination
	chains map[string]string
	jumps  map[string]bool
	files  map[string]string
	fails  string // what a failing command begins with
}

func newFakeHost() *fakeHost {
	return &fakeHost{routes: map[string]string{}, chains: map[string]string{}, jumps: map[string]bool{}, files: map[string]string{}}
}

func (h *fakeHost) run(_ context.Context, stdin, name string, args ...string) (string, error) {
	line := name + " " + strings.Join(args, " ")
	if h.fails != "" && strings.HasPrefix(line, h.fails) {
		return "", errors.New(line + ": no")
	}
	switch {
	case name == "ip" && args[2] == "replace":
		h.routes[args[0]+" "+args[3]] = args[5]
	case name == "ip" && args[2] == "del":
		delete(h.routes, args[0]+" "+args[3])
	case name == "ip":
		var out string
		for key, via := range h.routes {
			if family, to, _ := strings.Cut(key, " "); family == args[0] {
				out += to + " via " + via + " dev eth0\n"
			}
		}
		return out, nil
	case strings.HasSuffix(name, "-restore"):
		h.chains[strings.TrimSuffix(name, "-restore")] = stdin
	case slices.Contains(args, "-C") && !h.jumps[name+" "+strings.Join(args[4:], " ")]:
		return "", errors.New("no such rule")
	case slices.Contains(args, "-A"):
		h.jumps[name+" "+strings.Join(args[4:], " ")] = true
	}
	return "", nil
}

func (h *fakeHost) write(path string, data []byte) error {
	h.files[path] = string(data)
	return nil
}

var _ host = (*fakeHost)(nil)

func TestApply(t *testing.T) {
	h := newFakeHost()
	p := newPlan("me", []string{"10.244.0.0/16"}, []node{named("b", "172.18.0.3", "10.244.1.0/24"), named("c", "172.18.0.4", "10.244.2.0/24"), named("me", "172.18.0.2", "10.244.0.0/24")})
	for range 2 { // again changes nothing
		if err := p.apply(context.Background(), h, "conflist"); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"-4 10.244.1.0/24": "172.18.0.3", "-4 10.244.2.0/24": "172.18.0.4"}
		if fmt.Sprint(h.routes) != fmt.Sprint(want) || fmt.Sprint(h.jumps) != "map[iptables POSTROUTING -s 10.244.0.0/24 -j PODNET-MASQ:true]" {
			t.Errorf("routes %v, jumps %v", h.routes, h.jumps)
		}
	}
	rules := "*nat\n:PODNET-MASQ - [0:0]\n-A PODNET-MASQ -d 10.244.0.0/16 -j RETURN\n-A PODNET-MASQ -m addrtype --dst-type LOCAL -j RETURN\n-A PODNET-MASQ -j MASQUERADE\nCOMMIT\n"
	if h.chains["iptables"] != rules || len(h.chains) != 1 {
		t.Errorf("rules %q", h.chains)
	}
	if !strings.Contains(h.files["conflist"], "10.244.0.0/24") {
		t.Errorf("files %q", h.files)
	}
	// A node has gone.
	p = newPlan("me", nil, []node{named("c", "172.18.0.4", "10.244.2.0/24"), named("me", "172.18.0.2", "10.244.0.0/24")})
	if err := p.apply(context.Background(), h, "conflist"); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(h.routes) != "map[-4 10.244.2.0/24:172.18.0.4]" {
		t.Errorf("routes %v after a node has gone", h.routes)
	}
}

func TestApplyFails(t *testing.T) {
	for _, fails := range []string{"ip -4 route replace", "ip -4 route show", "iptables-restore", "iptables --wait -t nat -A"} {
		h := newFakeHost()
		h.fails = fails
		p := newPlan("me", nil, []node{named("b", "172.18.0.3", "10.244.1.0/24"), named("me", "172.18.0.2", "10.244.0.0/24")})
		if err := p.apply(context.Background(), h, "conflist"); err == nil || len(h.files) > 0 {
			t.Errorf("%s: %v, files %v", fails, err, h.files)
		}
	}
}

// FuzzNodes finds nodes that break the node's own network: a rule or route that
// is none.
func FuzzNodes(f *testing.F) {
	f.Add([]byte(`[{"metadata":{"name":"me"},"spec":{"podCIDR":"10.244.0.0/24"}}]`))
	f.Add([]byte(`[{"metadata":{"name":"b"},"spec":{"podCIDRs":["10.244.1.0/24","fd00::/64"]},"status":{"addresses":[{"type":"InternalIP","address":"172.18.0.3"}]}}]`))
	f.Add([]byte(`[{"metadata":{"name":"me"},"spec":{"podCIDRs":["10.244.0.0/24 -j ACCEPT\n"]}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var nodes []node
		if json.Unmarshal(data, &nodes) != nil {
			return
		}
		p := newPlan("me", nil, nodes)
		for _, cidr := range p.own {
			if strings.ContainsAny(cidr, " \n\t") {
				t.Fatalf("pod CIDR %q", cidr)
			}
		}
		for _, r := range p.routes {
			if strings.ContainsAny(r.to+r.via, " \n\t") || isV6(r.to) != isV6(r.via) {
				t.Fatalf("route %q", r)
			}
		}
		if conflist, err := p.conflist(); err != nil || len(p.own) > 0 && !json.Valid(conflist) {
			t.Fatalf("conflist %s, %v", conflist, err)
		}
		if !p.equal(newPlan("me", nil, nodes)) {
			t.Fatal("the same nodes make another plan")
		}
	})
}
