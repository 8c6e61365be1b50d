package dsl

import (
	"io/fs"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/dsl/value"
)

// Module is a scenario file that was read, decoded and checked.
type Module struct {
	// Path is the file as it was named. Dir is the folder of the file, in which
	// file() and similar functions can read.
	Path, Dir string
	// FS is that folder. Files outside it cannot be opened, neither by a path
	// nor by a link.
	FS fs.FS
	// Name, Description and RequiredVersion are the arguments of the lab block;
	// empty if they are omitted.
	Name, Description, RequiredVersion string
	// Verbs are the verbs with which it was loaded.
	Verbs action.Table
	// Files are the parsed sources by file name, for snippets.
	Files map[string]*hcl.File
	// Variables, Clusters and Scenarios are in the order of the source; the
	// clusters of sets come before those that the file declares.
	Variables []*Variable
	Clusters  []*Cluster
	Scenarios []*Scenario
	// ClusterSets are the cluster sets that the file uses.
	ClusterSets []schema.ClusterSet
	// Vars and Locals are the values of the roots var and local: objects.
	// Sensitive values, and values computed from them, have the mark
	// value.Sensitive. value.Format formats any of them safely.
	Vars, Locals cty.Value

	shared *value.Shared
}

// Shared is what the scopes of a module's expressions have in common.
func (m *Module) Shared() *value.Shared {
	if m.shared == nil { // a module that was not loaded
		return value.NewShared(m.FS, m.Dir)
	}
	return m.shared
}

// Variable is a declared input.
type Variable struct {
	Name        string
	Description string
	Type        cty.Type
	// Default is cty.NilVal if the variable has no default. It has the mark
	// value.Sensitive if the variable is sensitive.
	Default   cty.Value
	Sensitive bool
	Range     hcl.Range
}

// Cluster is a declared cluster, or a cluster of a set. A cluster with for_each
// has one Cluster for each element. All ranges of a set's cluster are the place
// at which the set is named.
type Cluster struct {
	// Name is the reference without "cluster.": `v128`, or with for_each
	// `all["1.28"]`.
	Name string
	// Block is the block's label, `all` of `all["1.28"]`, and Key the key,
	// "1.28"; empty without for_each.
	Block, Key string
	// Set is the cluster set that it belongs to; empty if the file declares it.
	Set string
	// Kubernetes is the version constraint as written, such as "1.28" or
	// "~> 1.28"; KubernetesRange is where.
	Kubernetes      string
	KubernetesRange hcl.Range
	// Provider is the provider's name, DefaultProvider if none is named. Settings
	// are the arguments that are that provider's own, by their names.
	Provider string
	Settings map[string]string
	// Statement is what Options.Providers has for the name; nil if Options has no
	// providers.
	Statement Provider
	// Image is the node image that the scenario sets; empty if it sets none.
	Image        string
	FeatureGates map[string]bool
	Components   []Component
	// FeatureGatesRange is where the gates are written.
	FeatureGatesRange hcl.Range
	// RuntimeConfig is the API server's --runtime-config.
	RuntimeConfig     map[string]string
	ControlPlanes     int
	Workers           int
	Images            []string
	ContainerdPatches []string
	KubeadmPatches    []string
	ReadyTimeout      time.Duration
	Range             hcl.Range
}

// Component holds the settings of one Kubernetes component of a cluster.
type Component struct {
	Name         string
	FeatureGates map[string]bool
	ExtraArgs    map[string]string
	Range        hcl.Range
	// FeatureGatesRange is where the gates are written.
	FeatureGatesRange hcl.Range
}

// Scenario is an ordered list of steps and expectations. It runs once on each of
// its clusters. With a matrix, there is one Scenario for each row.
type Scenario struct {
	Name        string
	Description string
	// Row names the row of the matrix, such as `grace=5,image="busybox"`;
	// Matrix is the value of the root matrix, an object by axis. Without a
	// matrix they are empty and cty.NilVal.
	Row    string
	Matrix cty.Value
	// Clusters are the clusters that it runs on, each once, in the order in
	// which they are named.
	Clusters []*Cluster
	// Steps are its steps and expectations, in the order in which they are
	// written.
	Steps []*Step
	// Finally are the steps that run after those in any case.
	Finally []*Step
	// Locals are the scenario's own locals. They are evaluated in its runs, and
	// can use target and everything observed.
	Locals map[string]hcl.Expression
	Range  hcl.Range
}

// Title is the scenario's name with the row of its matrix: `native[grace=5]`.
func (s *Scenario) Title() string {
	if s.Row == "" {
		return s.Name
	}
	return s.Name + "[" + s.Row + "]"
}

// The verbs of expectations.
const (
	VerbExpect    = "expect"
	VerbInvariant = "invariant"
)

// Step is one step or expectation of a scenario.
type Step struct {
	// Name is the block's label, unique among the scenario's steps.
	Name string
	// Verb is the block's type, such as "apply". Action is the decoded block.
	Verb   string
	Action action.Action
	// Roots are further roots of this step's expressions: the iterators of the
	// dynamic block that generated it. They go into value.Scope.Extra.
	Roots map[string]cty.Value
	// Range is the block's header.
	Range hcl.Range
}

type (
	// Expect is an expectation about observations.
	Expect = action.Expect
	// Invariant is a condition that must not be false from its place to the end
	// of the scenario.
	Invariant = action.Invariant
)
