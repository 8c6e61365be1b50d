package clusters

import (
	"strings"
	"testing"
)

func TestFeatureGatesText(t *testing.T) {
	for name, tt := range map[string]struct {
		gates              FeatureGates
		text, list, signed string
	}{
		"none":    {nil, "", "", ""},
		"one":     {FeatureGates{"SidecarContainers": true}, "SidecarContainers=true", "SidecarContainers=true", "+SidecarContainers"},
		"several": {FeatureGates{"B": false, "C": true, "A": true}, "A=true,B=false,C=true", "A=true B=false C=true", "+A -B +C"},
	} {
		t.Run(name, func(t *testing.T) {
			list, signed := strings.Join(tt.gates.List(), " "), strings.Join(tt.gates.Signed(), " ")
			if tt.gates.String() != tt.text || list != tt.list || signed != tt.signed {
				t.Errorf("%q, %q, %q, want %q, %q, %q", tt.gates, list, signed, tt.text, tt.list, tt.signed)
			}
		})
	}
}
