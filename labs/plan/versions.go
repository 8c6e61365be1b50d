package plan

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/dsl"
)

// asked is a Kubernetes version with feature gates, as in 1.28+SidecarContainers.
type asked struct {
	// name is it as written, constraint the version alone.
	name, constraint string
	gates            map[string]bool
}

// parseAsked reads VERSION{+|-}GATE…: "1.28", "1.28.15+SidecarContainers",
// "1.29-SidecarContainers".
func parseAsked(text string) (asked, error) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "v")
	a := asked{name: text, constraint: text}
	if i := strings.IndexAny(text, "+-"); i >= 0 {
		a.constraint = text[:i]
		if !regexp.MustCompile(`^([+-][A-Z][A-Za-z0-9]*)+$`).MatchString(text[i:]) {
			return a, fmt.Errorf("%q: after the version come feature gates, such as 1.28+SidecarContainers to turn one on or 1.29-SidecarContainers to turn one off", text)
		}
		a.gates = map[string]bool{}
		for _, gate := range regexp.MustCompile(`[+-][A-Za-z0-9]+`).FindAllString(text[i:], -1) {
			a.gates[gate[1:]] = gate[0] == '+'
		}
	}
	if _, err := clusters.ParseConstraint(a.constraint); err != nil {
		return a, err
	}
	return a, nil
}

// OnVersions is the module with all its scenarios on clusters of other
// versions: for each of versions, such as "1.28" or "1.28+SidecarContainers", the
// cluster of the module that is of that version and those gates, where there is
// one, or else one called as the version, made like the first cluster of the
// scenario that can be configured: its nodes, images, patches and arguments, but
// not its gates and no node image of its own. Clusters that cannot be configured
// are left out. The
// module that is given stays as it is.
func OnVersions(m *dsl.Module, versions []string) (*dsl.Module, error) {
	var all []asked
	for _, text := range versions {
		a, err := parseAsked(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(o asked) bool { return o.constraint == a.constraint && maps.Equal(o.gates, a.gates) }) {
			return nil, fmt.Errorf("%q is named twice", text)
		}
		all = append(all, a)
	}
	out := *m
	out.Scenarios, out.Clusters = nil, nil
	var made []*dsl.Cluster
	for _, s := range m.Scenarios {
		moved := *s
		moved.Clusters = nil
		for _, a := range all {
			c := a.cluster(m, s)
			if i := slices.IndexFunc(made, func(o *dsl.Cluster) bool { return reflect.DeepEqual(o, c) }); i >= 0 {
				c = made[i]
			} else {
				made = append(made, c)
			}
			moved.Clusters = append(moved.Clusters, c)
		}
		out.Scenarios = append(out.Scenarios, &moved)
	}
	for _, a := range all { // in the order asked for
		for _, c := range made {
			if c.Kubernetes == a.constraint && maps.Equal(c.FeatureGates, a.gates) {
				out.Clusters = append(out.Clusters, c)
			}
		}
	}
	return &out, nil
}

// cluster is the cluster on which a scenario runs for what is asked.
func (a asked) cluster(m *dsl.Module, s *dsl.Scenario) *dsl.Cluster {
	like := template(s)
	for _, c := range slices.Concat(s.Clusters, m.Clusters) {
		if Capabilities(c).CanConfigure && c.Image == "" && strings.TrimPrefix(c.Kubernetes, "v") == a.constraint &&
			maps.Equal(c.FeatureGates, a.gates) && !mixed(c) && reflect.DeepEqual(shape(*c), shape(*like)) {
			found := *c
			found.Kubernetes = a.constraint
			return &found
		}
	}
	made := shape(*like)
	made.Name, made.Kubernetes, made.FeatureGates = a.name, a.constraint, a.gates
	for _, o := range m.Scenarios { // clusters of several shapes need several names
		if !reflect.DeepEqual(shape(*template(o)), shape(*like)) {
			made.Name = like.Name + "-" + a.name
		}
	}
	return &made
}

// mixed says that components of the cluster have gates of their own.
func mixed(c *dsl.Cluster) bool {
	return slices.ContainsFunc(c.Components, func(o dsl.Component) bool { return len(o.FeatureGates) > 0 })
}

// template is the first cluster of a scenario that can be configured.
func template(s *dsl.Scenario) *dsl.Cluster {
	for _, c := range s.Clusters {
		if Capabilities(c).CanConfigure {
			return c
		}
	}
	return &dsl.Cluster{Provider: dsl.DefaultProvider, ControlPlanes: 1}
}

// shape is a cluster less its name, its version and its gates, and less where
// they are written.
func shape(c dsl.Cluster) dsl.Cluster {
	c.Name, c.Block, c.Key, c.Set, c.Kubernetes, c.Image, c.FeatureGates = "", "", "", "", "", "", nil
	c.Range, c.KubernetesRange, c.FeatureGatesRange = hcl.Range{}, hcl.Range{}, hcl.Range{}
	components := c.Components
	c.Components = nil
	for _, component := range components {
		if len(component.ExtraArgs) > 0 {
			c.Components = append(c.Components, dsl.Component{Name: component.Name, ExtraArgs: component.ExtraArgs})
		}
	}
	return c
}

// OfVersion is the cluster that OnVersions made under a name, as far as the name
// tells; nil where it made none of that name.
func OfVersion(name string) *dsl.Cluster {
	found := regexp.MustCompile(`^(?:.+-)?((?:~> ?)?\d.*)$`).FindStringSubmatch(name)
	if found == nil {
		return nil
	}
	a, err := parseAsked(found[1])
	if err != nil {
		return nil
	}
	return &dsl.Cluster{Name: name, Provider: dsl.DefaultProvider, Kubernetes: a.constraint, FeatureGates: a.gates, ControlPlanes: 1}
}
