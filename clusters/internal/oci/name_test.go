package oci

import (
	"testing"
)

func TestImageNames(t *testing.T) {
	for _, tc := range []struct{ ref, repository, base, module string }{
		{"registry.k8s.io/etcd:3.5.15-0", "registry.k8s.io/etcd", "etcd", "v3.5.15"},
		{"registry.k8s.io/coredns/coredns:v1.10.1", "registry.k8s.io/coredns/coredns", "coredns", "v1.10.1"},
		{"localhost:5000/kindest/node:v1.28.15", "localhost:5000/kindest/node", "node", "v1.28.15"},
		{"localhost:5000/kindest/node", "", "", ""},
		{"busybox", "", "", ""},
	} {
		n, err := SplitName(tc.ref)
		if (err != nil) != (tc.repository == "") {
			t.Errorf("SplitName(%q): %v", tc.ref, err)
		}
		if err == nil && (n.Repository != tc.repository || n.Base() != tc.base || n.ModuleVersion() != tc.module) {
			t.Errorf("SplitName(%q) = %+v, %s, %s", tc.ref, n, n.Base(), n.ModuleVersion())
		}
	}
}
