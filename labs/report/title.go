package report

import (
	"cmp"
	"strings"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
)

// Broken says that the cluster could not be used.
func (c Cluster) Broken() bool { return c.Error != "" || c.Status >= expect.Error }

// Notes are the cluster's version and its feature gates, such as "1.28.15" and
// "+SidecarContainers"; a "-" is before one that is off.
func (c Cluster) Notes() []string {
	var out []string
	if v := cmp.Or(c.Version, c.Kubernetes); v != "" {
		out = append(out, v)
	}
	return append(out, clusters.FeatureGates(c.FeatureGates).Signed()...)
}

// Title is the cluster's name with its Notes.
func (c Cluster) Title() string {
	if n := c.Notes(); len(n) > 0 {
		return c.Name + " (" + strings.Join(n, " ") + ")"
	}
	return c.Name
}

// Title is the cluster's name with the version that the scenario asks for.
func (c SkippedCluster) Title() string { return c.Name + " (" + c.Kubernetes + ")" }

// Expects says whether the step is an expectation or an invariant, and not
// something that was done.
func (s Step) Expects() bool {
	return s.Verdict != nil || s.Verb == dsl.VerbExpect || s.Verb == dsl.VerbInvariant
}

// Title is the step's verb and name; of an expectation it is the name alone.
func (s Step) Title() string {
	if s.Expects() {
		return s.Name
	}
	return strings.TrimSpace(s.Verb + " " + s.Name)
}

// Reason says in a sentence why the step came out as it did; empty if there
// is nothing to say.
func (s Step) Reason() string {
	if s.Verdict != nil {
		return s.Verdict.Reason
	}
	return s.Detail
}
