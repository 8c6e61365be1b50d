package main

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/flannel-io/flannel/pkg/subnet"
)

func TestSettings(t *testing.T) {
	for _, tc := range []struct {
		subnets string
		want    settings
		fails   bool
	}{
		{subnets: "10.244.0.0/16", want: settings{v4: "10.244.0.0/16"}},
		{subnets: "fd00:10:244::/56", want: settings{v6: "fd00:10:244::/56"}},
		{subnets: "10.244.0.0/16,fd00:10:244::/56", want: settings{v4: "10.244.0.0/16", v6: "fd00:10:244::/56"}},
		{subnets: "10.244.0.0", fails: true},
		{fails: true},
	} {
		client := fake.NewClientset(&corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "flannel", Namespace: "kube-system"}, Data: map[string]string{"podSubnet": tc.subnets},
		})
		got, err := readSettings(t.Context(), client)
		if got != tc.want || (err != nil) != tc.fails {
			t.Errorf("%q: %+v, %v", tc.subnets, got, err)
		}
		if tc.fails {
			continue
		}
		data, err := got.netConf()
		if err != nil {
			t.Fatal(err)
		}
		config, err := subnet.ParseConfig(string(data))
		if err != nil || config.BackendType != backendType || config.EnableIPv4 == config.Network.Empty() || config.EnableIPv6 == config.IPv6Network.Empty() {
			t.Errorf("%q: flannel reads %s as %+v, %v", tc.subnets, data, config, err)
		}
	}
	if _, err := readSettings(t.Context(), fake.NewClientset()); err == nil || !strings.Contains(err.Error(), "waiting for the network's settings") {
		t.Errorf("without settings: %v", err)
	}
}

func TestConflist(t *testing.T) {
	data, err := conflist([]string{"10.244.3.0/24", "fd00:10:244:3::/64"})
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Plugins []struct {
			Type string
			IPAM struct {
				Ranges [][]struct{ Subnet string }
				Routes []struct{ Dst string }
			}
		}
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	ptp := list.Plugins[0]
	if ptp.Type != "ptp" || ptp.IPAM.Ranges[0][0].Subnet != "10.244.3.0/24" || ptp.IPAM.Ranges[1][0].Subnet != "fd00:10:244:3::/64" ||
		ptp.IPAM.Routes[0].Dst != "0.0.0.0/0" || ptp.IPAM.Routes[1].Dst != "::/0" || list.Plugins[1].Type != "portmap" {
		t.Errorf("conflist %s", data)
	}
	if _, err := conflist([]string{"10.244.3.0"}); err == nil {
		t.Error("a CIDR without a length is taken")
	}
}

func TestLease(t *testing.T) {
	l, err := leaseOf([]string{"10.244.3.0/24", "fd00:10:244:3::/64"})
	if err != nil || !l.EnableIPv4 || !l.EnableIPv6 || l.Subnet.String() != "10.244.3.0/24" || l.IPv6Subnet.String() != "fd00:10:244:3::/64" {
		t.Errorf("%+v, %v", l, err)
	}
	if l, err := leaseOf([]string{"10.244.3.0/24"}); err != nil || l.EnableIPv6 || !l.IPv6Subnet.Empty() {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := leaseOf([]string{"x"}); err == nil {
		t.Error("a CIDR that is none is taken")
	}
}

func TestPodCIDRs(t *testing.T) {
	old := &corev1.Node{}
	old.Spec.PodCIDR = "10.244.1.0/24"
	if got := podCIDRs(old); len(got) != 1 || got[0] != "10.244.1.0/24" {
		t.Errorf("%q", got)
	}
	if got := podCIDRs(&corev1.Node{}); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
