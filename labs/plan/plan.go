// Package plan says what a run will do before anything is done: which clusters
// of which versions and images, which scenarios on each, with which steps and
// deadlines. A Plan is pure data.
package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
)

// Image is the node image that a version was resolved to.
type Image struct {
	// Version is the whole version, such as "1.28.15".
	Version string `json:"version"`
	// Source is "have", "pull" or "build".
	Source string `json:"source"`
	// Ref is the image, such as "kindest/node:v1.28.15".
	Ref string `json:"ref"`
	// Why says in a sentence why it is this version.
	Why string `json:"why,omitempty"`
	// Estimate is how long it takes to have it.
	Estimate time.Duration `json:"estimate,omitempty"`
}

// Resolve finds the node image for a version constraint, or takes the image
// that the scenario names itself.
type Resolve func(constraint, image string) (Image, error)

// Options choose what of a module is planned.
type Options struct {
	// Clusters and Scenarios are names; empty means all.
	Clusters  []string
	Scenarios []string
	Resolve   Resolve
}

// Cluster is a cluster that will be made.
type Cluster struct {
	Name string `json:"name"`
	// Constraint is the version as the scenario asks for it.
	Constraint string        `json:"kubernetes"`
	Image      Image         `json:"image"`
	Spec       clusters.Spec `json:"spec"`
}

// Run is one scenario on one cluster.
type Run struct {
	Scenario  string `json:"scenario"`
	Cluster   string `json:"cluster"`
	Namespace string `json:"namespace"`
	// Deadline is the longest that its expectations can take together.
	Deadline time.Duration `json:"deadline"`
	Steps    []Step        `json:"steps"`
	// Source is the scenario itself.
	Source *dsl.Scenario `json:"-"`
}

// Step is one step or expectation of a run.
type Step struct {
	Name   string        `json:"name"`
	Verb   string        `json:"verb"`
	Within time.Duration `json:"within,omitempty"`
	Hold   time.Duration `json:"hold,omitempty"`
}

// Plan is what a `lab run` will do.
type Plan struct {
	File     string      `json:"file"`
	Clusters []Cluster   `json:"clusters"`
	Runs     []Run       `json:"runs"`
	Module   *dsl.Module `json:"-"`
}

// Build plans the module's scenarios on their clusters. Every cluster and
// scenario that cannot be planned is a diagnostic.
func Build(m *dsl.Module, o Options) (*Plan, diag.List) {
	p := &Plan{File: m.Path, Module: m}
	problems := unknownNames(m, o)
	var wanted []*dsl.Cluster
	for _, s := range m.Scenarios {
		if !chosen(o.Scenarios, s.Name) {
			continue
		}
		for _, c := range s.Clusters {
			if !chosen(o.Clusters, c.Name) {
				continue
			}
			if !slices.Contains(wanted, c) {
				wanted = append(wanted, c)
			}
			p.Runs = append(p.Runs, newRun(s, c))
		}
	}
	for _, c := range m.Clusters {
		if !slices.Contains(wanted, c) {
			continue
		}
		image, err := o.Resolve(c.Kubernetes, c.Image)
		if err != nil {
			problems = append(problems, unresolved(m, c, err))
			continue
		}
		p.Clusters = append(p.Clusters, Cluster{Name: c.Name, Constraint: c.Kubernetes, Image: image, Spec: Spec(c, image)})
	}
	if len(p.Runs) == 0 && !problems.HasErrors() {
		problems = append(problems, diag.Diagnostic{Severity: diag.SeverityError, Summary: "Nothing to run",
			Detail: "No scenario of " + m.Path + " runs on the clusters that were chosen. A scenario names its clusters: clusters = [cluster.v128]."})
	}
	return p, problems
}

func chosen(names []string, name string) bool {
	return len(names) == 0 || slices.Contains(names, name)
}

// Namespace is the namespace of a scenario's run: its name as Kubernetes
// allows it.
func Namespace(scenario string) string {
	name := "lab-" + strings.Map(dnsRune, strings.ToLower(scenario))
	if len(name) > maxNamespace {
		name = name[:maxNamespace]
	}
	return strings.TrimRight(name, "-")
}

// maxNamespace is the longest name of a namespace, an RFC 1123 label.
const maxNamespace = 63

func dnsRune(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return '-'
}

func newRun(s *dsl.Scenario, c *dsl.Cluster) Run {
	r := Run{Scenario: s.Name, Cluster: c.Name, Namespace: Namespace(s.Name), Source: s}
	for _, st := range s.Steps {
		planned := Step{Name: st.Name, Verb: st.Verb}
		if st.Expect != nil {
			planned.Within, planned.Hold = st.Expect.Within, st.Expect.Hold
			r.Deadline += st.Expect.Within + st.Expect.Hold
		}
		r.Steps = append(r.Steps, planned)
	}
	return r
}

// Spec says how the cluster is to be made, of an image.
func Spec(c *dsl.Cluster, image Image) clusters.Spec {
	s := clusters.Spec{
		Name: c.Name, Version: image.Version, Image: image.Ref,
		FeatureGates: c.FeatureGates, RuntimeConfig: c.RuntimeConfig,
		ControlPlanes: c.ControlPlanes, Workers: c.Workers, Images: c.Images,
		ContainerdPatches: c.ContainerdPatches, KubeadmPatches: c.KubeadmPatches,
		ReadyTimeout: c.ReadyTimeout,
	}
	for _, component := range c.Components {
		s.Components = append(s.Components, clusters.Component{
			Name: component.Name, FeatureGates: component.FeatureGates, ExtraArgs: component.ExtraArgs})
	}
	return s
}

// Minor returns the minor version of "1.28.15", 28; 0 where there is none.
func Minor(version string) int {
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	if len(parts) < 2 {
		return 0
	}
	minor, err := strconv.Atoi(parts[1])
	if err != nil {
		return 0
	}
	return minor
}

// Title names a cluster by its version and gates, such as
// "1.28.15 SidecarContainers=true".
func (c Cluster) Title() string {
	parts := []string{c.Image.Version}
	for _, gate := range sortedKeys(c.Spec.FeatureGates) {
		parts = append(parts, fmt.Sprintf("%s=%t", gate, c.Spec.FeatureGates[gate]))
	}
	return strings.Join(parts, " ")
}

func sortedKeys(m map[string]bool) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
