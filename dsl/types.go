package dsl

import (
	"io/fs"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// Module is a scenario file that was read, decoded and checked.
type Module struct {
	// Path is the file as it was named; Dir is the folder it lies in, below
	// which file() and its like may read.
	Path, Dir string
	// FS is that folder: what leaves it, by its path or by a link, cannot be
	// opened through it.
	FS fs.FS
	// Name, Description and RequiredVersion are those of the lab block; empty
	// where it does not say.
	Name, Description, RequiredVersion string
	// Files holds the parsed sources by file name, for snippets.
	Files map[string]*hcl.File
	// Variables, Clusters and Scenarios are in the order of the source.
	Variables []*Variable
	Clusters  []*Cluster
	Scenarios []*Scenario
	// Vars and Locals are the values of the roots var and local: objects.
	// Those of sensitive variables, and what is made of them, bear the mark
	// value.Sensitive; value.Format writes any of them safely.
	Vars, Locals cty.Value
}

// Variable is a declared input.
type Variable struct {
	Name        string
	Description string
	Type        cty.Type
	// Default is cty.NilVal where a value must be given; it bears the mark
	// value.Sensitive where the variable is sensitive.
	Default   cty.Value
	Sensitive bool
	Range     hcl.Range
}

// Cluster is a declared cluster.
type Cluster struct {
	Name string
	// Kubernetes is the version constraint as written, such as "1.28" or
	// "~> 1.28"; KubernetesRange is where.
	Kubernetes      string
	KubernetesRange hcl.Range
	// Image is a node image that the scenario names itself; empty otherwise.
	Image        string
	FeatureGates map[string]bool
	Components   []Component
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
}

// Scenario is an ordered script, run once on each of its clusters.
type Scenario struct {
	Name        string
	Description string
	// Clusters are the clusters that it runs on, each once, in the order
	// named.
	Clusters []*Cluster
	// Steps are its steps and expectations in the order written.
	Steps []*Step
	// Locals are the scenario's own, evaluated in its runs; they may use
	// target and everything observed.
	Locals map[string]hcl.Expression
	Range  hcl.Range
}

// The verbs of steps.
const (
	VerbApply  = "apply"
	VerbExpect = "expect"
)

// Step is one step or expectation of a scenario.
type Step struct {
	// Name is the block's label, unique among the scenario's steps.
	Name string
	// Verb is the block's type, such as VerbApply. Exactly the field of that
	// name is set.
	Verb   string
	Apply  *Apply
	Expect *Expect
	// Range is the block's header.
	Range hcl.Range
}

// The ways in which the API server treats unknown and duplicate fields, as
// its fieldValidation parameter names them.
const (
	FieldValidationStrict = "Strict"
	FieldValidationWarn   = "Warn"
	FieldValidationIgnore = "Ignore"
)

// Apply creates or changes objects.
type Apply struct {
	// Manifests gives a string of YAML documents, or a list of such.
	Manifests hcl.Expression
	// FieldValidation is FieldValidationStrict, which is the default and what
	// kubectl does, or FieldValidationWarn or FieldValidationIgnore.
	FieldValidation string
	// ExpectError says whether the API server must refuse; nil means it must
	// not. The refusal is step.NAME.error.
	ExpectError hcl.Expression
}

// Expect is an expectation over what was observed.
type Expect struct {
	Name      string
	Condition hcl.Expression
	// Within bounds the wait for the condition; 0 means none was given.
	Within time.Duration
	// Hold is how long it must stay true from when it is first true.
	Hold time.Duration
	// Outcome says whether the condition is expected to come true; nil means
	// true. When says whether to decide it at all; nil means always.
	Outcome hcl.Expression
	When    hcl.Expression
	// Message is told where the verdict is not the expected one; may be nil.
	Message hcl.Expression
	// Range is the block's header.
	Range hcl.Range
}
