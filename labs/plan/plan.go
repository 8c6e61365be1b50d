// Package plan says what a run will do before anything is done: which clusters
// of which versions and images, which scenarios on each, with which steps and
// deadlines. A Plan is pure data.
package plan

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/selection"
)

// Image is the node image that a version was resolved to.
type Image struct {
	// Version is the whole version, such as "1.28.15".
	Version string `json:"version"`
	// Source is "have", "pull" or "build", or the provider's name if it was asked
	// for the version and no image is needed.
	Source string `json:"source"`
	// Ref is the image, such as "kindest/node:v1.28.15"; empty for none.
	Ref string `json:"ref"`
	// Why says in a sentence why it is this version.
	Why string `json:"why,omitempty"`
	// Estimate is how long it takes to have it.
	Estimate time.Duration `json:"estimate,omitempty"`
}

// ErrUnavailable says of a version that the scenario may well ask for that no
// node image of it is available where lab runs: there is none, and none can be
// built.
var ErrUnavailable = errors.New("this Kubernetes version is not available here")

// Resolve finds the node image for a version constraint, or takes the image
// that the scenario names itself. It fails with ErrUnavailable where there is
// none to be had.
type Resolve func(constraint, image string) (Image, error)

// Ask asks the provider of a cluster for its version, and says if the constraint
// does not allow it; an empty constraint allows any. The Spec has no version yet.
type Ask func(constraint string, spec clusters.Spec) (Image, error)

// Options choose what of a module is planned.
type Options struct {
	// Clusters and Scenarios choose; empty means all.
	Clusters  selection.Names
	Scenarios selection.Names
	Resolve   Resolve
	// Ask is for the clusters that can be asked before a run.
	Ask Ask
	// SkipUnavailable leaves out the clusters whose versions are
	// ErrUnavailable, and what runs on them, as long as others are left.
	SkipUnavailable bool
}

// Cluster is a cluster that will be made.
type Cluster struct {
	Name string `json:"name"`
	// Constraint is the version as the scenario asks for it.
	Constraint string        `json:"kubernetes"`
	Image      Image         `json:"image"`
	Spec       clusters.Spec `json:"spec"`
	// Capabilities are what is known, before the cluster exists, of what can be
	// done with it.
	Capabilities clusters.Capabilities `json:"capabilities"`
	// Host is its name where only lower case letters, digits and dashes may
	// be, at most 29 of them, and Folder where a folder is named. Both are
	// distinct in the module.
	Host   string `json:"host"`
	Folder string `json:"folder"`
}

// Skipped is a cluster that is left out.
type Skipped struct {
	Name       string `json:"name"`
	Kubernetes string `json:"kubernetes"`
	// Reason says why, in a sentence.
	Reason string `json:"reason"`
}

// ScenarioRun is one scenario on one cluster, in one row of its matrix if it has one.
// Scenario and Cluster together tell it from all others.
type ScenarioRun struct {
	// Scenario is the scenario's title: its name, with the row of its matrix
	// as in native[grace=5]. Row is that row alone.
	Scenario  string `json:"scenario"`
	Row       string `json:"row,omitempty"`
	Cluster   string `json:"cluster"`
	Namespace string `json:"namespace"`
	// Folder is where its evidence goes, below the folder of the whole run.
	Folder string `json:"folder"`
	// Deadline is the longest that its steps can take together.
	Deadline time.Duration `json:"deadline"`
	// Steps are those of the scenario, and then those of its finally.
	Steps []Step `json:"steps"`
	// Source is the scenario itself.
	Source *dsl.Scenario `json:"-"`
}

// Plan is what a `lab run` will do.
type Plan struct {
	File     string    `json:"file"`
	Clusters []Cluster `json:"clusters"`
	// Skipped are the clusters that are left out of it.
	Skipped []Skipped     `json:"skipped,omitempty"`
	Runs    []ScenarioRun `json:"runs"`
	Module  *dsl.Module   `json:"-"`
}

// Build plans the module's scenarios on their clusters. Every cluster and
// scenario that cannot be planned is a diagnostic.
func Build(m *dsl.Module, o Options) (*Plan, diag.List) {
	p := &Plan{File: m.Path, Module: m}
	var problems, unavailable diag.List
	var wanted []*dsl.Cluster
	p.Runs, wanted, problems = choose(m, o)
	n := newNames(titlesOf(m))
	for _, c := range m.Clusters {
		if !slices.Contains(wanted, c) {
			continue
		}
		image, err := o.image(c)
		if o.SkipUnavailable && errors.Is(err, ErrUnavailable) {
			p.skip(c, err)
			unavailable = append(unavailable, unresolved(m, c, err))
			continue
		}
		if err != nil {
			problems = append(problems, unresolved(m, c, err))
			continue
		}
		p.Clusters = append(p.Clusters, Cluster{Name: c.Name, Constraint: c.Kubernetes, Image: image, Spec: Spec(c, image), Capabilities: Capabilities(c),
			Host: n.hosts[c.Name], Folder: n.clusters[c.Name]})
	}
	if len(p.Clusters) == 0 { // there is nothing left that could be run
		problems = append(problems, unavailable...)
	}
	if len(p.Runs) == 0 && !problems.HasErrors() {
		problems = append(problems, diag.Diagnostic{Severity: diag.SeverityError, Summary: "Nothing to run",
			Detail: "No scenario of " + m.Path + " runs on the clusters that were chosen. A scenario names its clusters: clusters = [cluster.v128]."})
	}
	return p, problems
}

// skip leaves out a cluster and what would run on it.
func (p *Plan) skip(c *dsl.Cluster, err error) {
	p.Skipped = append(p.Skipped, Skipped{Name: c.Name, Kubernetes: c.Kubernetes, Reason: err.Error()})
	p.Runs = slices.DeleteFunc(p.Runs, func(r ScenarioRun) bool { return r.Cluster == c.Name })
}

// Choose are the runs that a plan would have, in its order, before anything is
// asked for versions. Every name that the module does not have is a diagnostic.
func Choose(m *dsl.Module, o Options) ([]ScenarioRun, diag.List) {
	runs, _, problems := choose(m, o)
	return runs, problems
}

// choose also returns the clusters that the runs need.
func choose(m *dsl.Module, o Options) (runs []ScenarioRun, on []*dsl.Cluster, problems diag.List) {
	n := newNames(titlesOf(m))
	for _, s := range m.Scenarios {
		if !o.Scenarios.Include(s.Name, s.Title()) {
			continue
		}
		for _, c := range s.Clusters {
			if !o.Clusters.Include(c.Name, c.Block) {
				continue
			}
			if !slices.Contains(on, c) {
				on = append(on, c)
			}
			runs = append(runs, newRun(s, c, n))
		}
	}
	return runs, on, unknownNames(m, o)
}

// image is the node image of a cluster, or the version that its provider says.
func (o Options) image(c *dsl.Cluster) (Image, error) {
	if !hasProvider(c) {
		return Image{}, fmt.Errorf("there is no provider %q", c.Provider)
	}
	if !Capabilities(c).CanAnswerBeforeRuns {
		return o.Resolve(c.Kubernetes, c.Image)
	}
	if o.Ask == nil {
		return Image{}, fmt.Errorf("clusters of the provider %q cannot be reached here", c.Provider)
	}
	return o.Ask(c.Kubernetes, Spec(c, Image{}))
}

// titlesOf are the titles of a module's scenarios and the names of its
// clusters.
func titlesOf(m *dsl.Module) (titles, clusters []string) {
	for _, s := range m.Scenarios {
		titles = append(titles, s.Title())
	}
	for _, c := range m.Clusters {
		clusters = append(clusters, c.Name)
	}
	return titles, clusters
}

func newRun(s *dsl.Scenario, c *dsl.Cluster, n names) ScenarioRun {
	title := s.Title()
	r := ScenarioRun{
		Scenario: title, Row: s.Row, Cluster: c.Name, Folder: filepath.Join(n.clusters[c.Name], n.runs[title]),
		Namespace: namespacePrefix + n.namespaces[title], Source: s,
	}
	for _, st := range s.Steps {
		r.add(newStep(st))
	}
	for _, st := range s.Finally {
		planned := newStep(st)
		planned.Finally = true
		r.add(planned)
	}
	return r
}

func (r *ScenarioRun) add(s Step) {
	r.Steps = append(r.Steps, s)
	r.Deadline += s.Longest()
}

// Spec says how the cluster is to be made, of an image.
func Spec(c *dsl.Cluster, image Image) clusters.Spec {
	s := clusters.Spec{
		Name: c.Name, Settings: c.Settings, Version: image.Version, Image: image.Ref,
		FeatureGates: c.FeatureGates, RuntimeConfig: c.RuntimeConfig,
		ControlPlanes: c.ControlPlanes, Workers: c.Workers, Images: c.Images,
		ContainerdPatches: c.ContainerdPatches, KubeadmPatches: c.KubeadmPatches,
		ReadyTimeout: c.ReadyTimeout,
	}
	if c.Provider != clusters.ProviderKind {
		s.Provider = c.Provider
	}
	for _, component := range c.Components {
		s.Components = append(s.Components, clusters.Component{
			Name: component.Name, FeatureGates: component.FeatureGates, ExtraArgs: component.ExtraArgs})
	}
	return s
}

// Minor returns the minor version of "1.28.15", 28; 0 where there is none.
func Minor(version string) int {
	v, err := clusters.ReleaseOf(version)
	if err != nil {
		return 0
	}
	return v.Minor
}

// Title names a cluster by its version and gates, such as
// "1.28.15 SidecarContainers=true".
func (c Cluster) Title() string {
	return strings.Join(append([]string{c.Image.Version}, clusters.FeatureGates(c.Spec.FeatureGates).List()...), " ")
}
