// Package validate finds what cannot work in a scenario, by what is known of
// Kubernetes, with no cluster and no network: gates that a version does not
// have, manifests that it will refuse, references to what is never there, and
// expectations that are decided beforehand.
package validate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/gates"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/step"
)

// Check is described at the function Check.
func (v Validator) Check(m *dsl.Module) diag.List {
	c := v.newChecker(m)
	for _, s := range m.Scenarios {
		c.scenario(s)
	}
	c.neverDecided()
	return diag.FromHCL(c.once(), c.files)
}

// Clusters is the part of Check that is about clusters alone: it can be checked
// also where the decoder found errors elsewhere.
func Clusters(m *dsl.Module) diag.List {
	c := Validator{}.newChecker(m)
	return diag.FromHCL(c.once(), c.files)
}

// newChecker makes a checker that has looked at the clusters.
func (v Validator) newChecker(m *dsl.Module) *checker {
	c := &checker{
		module: m, verbs: v.Verbs, gates: gates.Load(), texts: map[string]*manifest{}, files: map[string]*hcl.File{},
		shared: m.Shared().Apart(), clusters: map[*dsl.Cluster]*knownCluster{}, guards: map[hcl.Range]*guard{},
	}
	for name, file := range m.Files {
		c.files[name] = file
	}
	for _, cluster := range m.Clusters {
		c.cluster(cluster)
	}
	return c
}

type checker struct {
	module *dsl.Module
	verbs  step.Table
	gates  *gates.Table
	diags  hcl.Diagnostics
	// texts are the manifests read so far, by their text.
	texts map[string]*manifest
	// files are the scenario's sources and the manifests, for snippets.
	files    map[string]*hcl.File
	shared   *value.Shared
	clusters map[*dsl.Cluster]*knownCluster
	// guards are the scenarios' "when", by where they are written.
	guards map[hcl.Range]*guard
}

// knownCluster is what is known of a cluster before it is there.
type knownCluster struct {
	// minor is 0 where the version constraint allows several.
	minor  int
	target *value.Target
	// exact says that target.kubernetes is the version that it will be.
	exact bool
}

func (c *checker) errorf(at hcl.Range, summary, detail string, args ...any) {
	c.diags = append(c.diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: fmt.Sprintf(detail, args...), Subject: &at})
}

func (c *checker) warnf(at hcl.Range, summary, detail string, args ...any) {
	c.diags = append(c.diags, &hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: summary, Detail: fmt.Sprintf(detail, args...), Subject: &at})
}

// once leaves out what was reported before: a matrix has the same mistake in every
// row.
func (c *checker) once() hcl.Diagnostics {
	seen := map[string]bool{}
	var kept hcl.Diagnostics
	for _, d := range c.diags {
		if key := d.Subject.String() + d.Summary + d.Detail; !seen[key] {
			seen[key] = true
			kept = append(kept, d)
		}
	}
	return kept
}

// scope is what is known of a scenario's expressions before it runs, on one of
// its clusters; nil for none.
func (c *checker) scope(s *dsl.Scenario, step *dsl.Step, on *dsl.Cluster) *value.Scope {
	scope := &value.Scope{
		Vars: c.module.Vars, Locals: c.module.Locals, ScenarioLocals: s.Locals, Extra: step.Scope(s),
		Dir: c.module.FS, PathScenario: c.module.Dir, Shared: c.shared, Namespace: namespace,
	}
	if on != nil {
		scope.Target = c.clusters[on].target
	}
	return scope
}

// cluster checks a cluster's version and gates.
func (c *checker) cluster(cluster *dsl.Cluster) {
	known := &knownCluster{}
	c.clusters[cluster] = known
	constraint, err := clusters.ParseConstraint(cluster.Kubernetes)
	if err != nil {
		return // the decoder reported it
	}
	minor, one := constraint.Minor()
	if !one {
		return
	}
	known.minor = minor
	version, exact := constraint.Exact()
	if !exact {
		version = clusters.Version{Major: 1, Minor: minor}
	}
	known.exact = exact
	known.target = plan.Target(plan.Spec(cluster, plan.Image{Version: version.String()}), plan.Capabilities(cluster), version.String())
	if newest := c.newest(); minor > newest {
		c.warnf(cluster.KubernetesRange, "Unknown Kubernetes version", "Kubernetes 1.%d is newer than the newest that this version of lab knows, 1.%d: its gates and fields are not checked.", minor, newest)
		return
	}
	c.gatesOf(minor, cluster.FeatureGates, cluster.FeatureGatesRange)
	for _, component := range cluster.Components {
		c.gatesOf(minor, component.FeatureGates, component.FeatureGatesRange)
	}
}

func (c *checker) newest() int {
	minors := c.gates.Minors()
	return minors[len(minors)-1]
}

// gatesOf checks the gates that a cluster or component of a version sets.
func (c *checker) gatesOf(minor int, set map[string]bool, at hcl.Range) {
	for _, gate := range slices.Sorted(maps.Keys(set)) {
		on := set[gate]
		if gate == "AllAlpha" || gate == "AllBeta" {
			continue
		}
		state, known := c.gates.Lookup(minor, gate)
		switch place := c.wordIn(at, gate); {
		case !known:
			c.errorf(place, "Unknown feature gate", "Kubernetes 1.%d does not know the feature gate %q: its components would not start.%s", minor, gate, c.otherGate(minor, gate))
		case state.Locked && on != state.Default:
			c.errorf(place, "Locked feature gate", "Kubernetes 1.%d has the feature gate %q locked to %t: its components would not start with %t. Leave it out.", minor, gate, state.Default, on)
		}
	}
}

// otherGate says who knows a gate, or which one may be meant.
func (c *checker) otherGate(minor int, gate string) string {
	if known := c.gates.Known(gate); len(known) > 0 {
		first, last := known[0], known[len(known)-1]
		if first == last {
			return fmt.Sprintf(" Only 1.%d knows it.", first)
		}
		return fmt.Sprintf(" It is known from 1.%d to 1.%d.", first, last)
	}
	return dsl.DidYouMean(gate, c.gates.Names(minor))
}

// wordIn is the place of a word in a range of a source; the range itself where
// it is not there as it stands.
func (c *checker) wordIn(at hcl.Range, word string) hcl.Range {
	file := c.files[at.Filename]
	if file == nil || at.End.Byte > len(file.Bytes) || at.Start.Byte > at.End.Byte {
		return at
	}
	text := string(file.Bytes[at.Start.Byte:at.End.Byte])
	i := strings.Index(text, word)
	if i < 0 {
		return at
	}
	start := at.Start
	for _, r := range text[:i] {
		start.Column++
		if r == '\n' {
			start.Line, start.Column = start.Line+1, 1
		}
	}
	start.Byte += i
	end := start
	end.Byte, end.Column = end.Byte+len(word), end.Column+len([]rune(word))
	return hcl.Range{Filename: at.Filename, Start: start, End: end}
}
