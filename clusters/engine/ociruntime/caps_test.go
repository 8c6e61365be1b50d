package ociruntime

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseBounding(t *testing.T) {
	for name, c := range map[string]struct {
		status string
		want   Bounding
		fails  string
	}{
		"a real one":   {status: "Name:\tx\nCapEff:\t0\nCapBnd:\t000001fffeffffff\nCapAmb:\t0\n", want: 0x1fffeffffff},
		"nothing":      {status: "", fails: "no line CapBnd"},
		"not a number": {status: "CapBnd:\tfull\n", fails: "invalid syntax"},
		"too long":     {status: "CapBnd:\t1000001fffeffffff\n", fails: "out of range"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseBounding([]byte(c.status))
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Fatalf("got %v; want an error with %q", err, c.fails)
				}
				return
			}
			if err != nil || got != c.want {
				t.Errorf("got %x, %v; want %x", got, err, c.want)
			}
		})
	}
}

func TestBounding(t *testing.T) {
	const withoutResource = Bounding(0x1fffeffffff)
	if withoutResource.Has("CAP_SYS_RESOURCE") || !withoutResource.Has("CAP_SYS_ADMIN") || !withoutResource.Has("CAP_CHECKPOINT_RESTORE") {
		t.Error("0x1fffeffffff is everything but CAP_SYS_RESOURCE")
	}
	if !Bounding(0).Has("CAP_OF_TOMORROW") {
		t.Error("a capability that is not known is the runtime's to judge")
	}
	if diff := cmp.Diff([]string{"CAP_SYS_RESOURCE"}, withoutResource.Missing(40)); diff != "" {
		t.Error(diff)
	}
	// An older kernel has fewer, and what it does not have is not missing.
	if got := Bounding(0x3fffffffff).Missing(37); len(got) != 0 {
		t.Errorf("missing %v of a kernel that has 38 and shows 38", got)
	}
	if diff := cmp.Diff([]string{"CAP_PERFMON", "CAP_BPF", "CAP_CHECKPOINT_RESTORE"}, Bounding(0x3fffffffff).Missing(40)); diff != "" {
		t.Error(diff)
	}
}
