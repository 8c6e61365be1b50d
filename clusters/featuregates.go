package clusters

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// FeatureGates are Kubernetes feature gates by name, and whether each is on.
type FeatureGates map[string]bool

// String formats the gates as Kubernetes' flag --feature-gates takes them, sorted
// by name: "InPlacePodVerticalScaling=false,SidecarContainers=true".
func (g FeatureGates) String() string { return strings.Join(g.List(), ",") }

// List formats each gate, sorted by name, such as "SidecarContainers=true".
func (g FeatureGates) List() []string {
	return g.each(func(name string, on bool) string { return fmt.Sprintf("%s=%t", name, on) })
}

// Signed formats each gate, sorted by name, as "+SidecarContainers" if it is on
// and "-SidecarContainers" if it is off.
func (g FeatureGates) Signed() []string {
	return g.each(func(name string, on bool) string {
		if on {
			return "+" + name
		}
		return "-" + name
	})
}

func (g FeatureGates) each(format func(name string, on bool) string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(g)) {
		out = append(out, format(name, g[name]))
	}
	return out
}
