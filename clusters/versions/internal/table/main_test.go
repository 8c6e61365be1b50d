package main

import (
	"testing"

	"github.com/kind-lab/lab/clusters/versions"
)

func TestOf(t *testing.T) {
	all := []versions.Version{
		{Minor: 27, Tests: versions.Tests{EndToEnd: true, Labs: true}, Standard: []versions.Cluster{{Name: "v127"}}},
		{Minor: 28, Tests: versions.Tests{Labs: true}, Standard: []versions.Cluster{{Name: "v128"}, {Name: "v128_on"}}},
		{Minor: 29, Tests: versions.Tests{EndToEnd: true}},
		{Minor: 33, Standard: []versions.Cluster{{Name: "v133"}}},
	}
	for what, want := range map[string]string{"e2e": "1.27 1.29", "labs": "1.27 1.28", "clusters": "v127,v128,v128_on"} {
		if got, ok := of(all, what); !ok || got != want {
			t.Errorf("%s: got %q, %t, want %q", what, got, ok, want)
		}
	}
	if _, ok := of(all, "images"); ok {
		t.Error("there are images")
	}
}
