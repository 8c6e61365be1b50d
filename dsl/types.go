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

// Cluster is a declared cluster. One with for_each is as many of these as it
// has elements.
type Cluster struct {
	// Name is how it is referred to, less "cluster.": `v128`, or with for_each
	// `all["1.28"]`.
	Name string
	// Block is the block's label, `all` of `all["1.28"]`, and Key the key,
	// "1.28"; empty without for_each.
	Block, Key string
	// Kubernetes is the version constraint as written, such as "1.28" or
	// "~> 1.28"; KubernetesRange is where.
	Kubernetes      string
	KubernetesRange hcl.Range
	// Provider is ProviderKind or ProviderExisting; Existing is set for the
	// latter.
	Provider string
	Existing *Existing
	// Image is a node image that the scenario names itself; empty otherwise.
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

// The providers of clusters.
const (
	ProviderKind     = "kind"
	ProviderExisting = "existing"
)

// Existing says which cluster is meant that exists already.
type Existing struct {
	// Kubeconfig is a file: absolute, from the home directory ("~/…"), or from
	// where the scenario's folder is named from. Empty stands for what kubectl
	// would take.
	Kubeconfig string
	// Context is one in it; empty stands for the current one.
	Context string
	// Namespace is one that is there and that scenarios run in; empty means
	// that each gets one of its own.
	Namespace string
	// NodeAccess is the image of a privileged pod on every node, through which
	// the nodes are reached; empty where they are left alone.
	NodeAccess string
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

// Scenario is an ordered script, run once on each of its clusters. Where it has
// a matrix, there is one of these for each row of it.
type Scenario struct {
	Name        string
	Description string
	// Row names the row of the matrix, such as `grace=5,image="busybox"`;
	// Matrix is the root matrix in it, an object by axis. They are empty and
	// cty.NilVal where there is no matrix.
	Row    string
	Matrix cty.Value
	// Clusters are the clusters that it runs on, each once, in the order
	// named.
	Clusters []*Cluster
	// Steps are its steps and expectations in the order written.
	Steps []*Step
	// Finally are the steps to do after those, whatever happened.
	Finally []*Step
	// Locals are the scenario's own, evaluated in its runs; they may use
	// target and everything observed.
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

// The verbs of steps.
const (
	VerbApply     = "apply"
	VerbDelete    = "delete"
	VerbPatch     = "patch"
	VerbExec      = "exec"
	VerbWait      = "wait"
	VerbSleep     = "sleep"
	VerbSignal    = "signal"
	VerbNode      = "node"
	VerbExpect    = "expect"
	VerbInvariant = "invariant"
)

// Step is one step or expectation of a scenario.
type Step struct {
	// Name is the block's label, unique among the scenario's steps.
	Name string
	// Verb is the block's type, such as VerbApply. Exactly the field of that
	// name is set.
	Verb      string
	Apply     *Apply
	Delete    *Delete
	Patch     *Patch
	Exec      *Exec
	Wait      *Wait
	Sleep     *Sleep
	Signal    *Signal
	Node      *Node
	Expect    *Expect
	Invariant *Invariant
	// Roots are roots that only this step's expressions have: the iterators
	// of the dynamic block that made it. They go into value.Scope.Extra.
	Roots map[string]cty.Value
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
	Limits
}

// Limits are what every step that does something has.
type Limits struct {
	// ExpectError says whether the step must be refused: a bool, or a string
	// with a regular expression that the refusal must match; nil means it must
	// not. The refusal is step.NAME.error.
	ExpectError hcl.Expression
	// Timeout is how long the step may take; never 0.
	Timeout time.Duration
}

// Delete deletes objects.
type Delete struct {
	// Objects gives a string such as "pod/web", or a list of such; Manifests
	// is as that of Apply. Exactly one of them is set.
	Objects, Manifests hcl.Expression
	// GracePeriod is nil where the object's own counts.
	GracePeriod *time.Duration
	// Propagation is "Background", "Foreground" or "Orphan", as the API names
	// them.
	Propagation string
	// Wait says whether to wait until the objects are gone.
	Wait           bool
	IgnoreNotFound bool
	Limits
}

// Patch changes an object by a patch.
type Patch struct {
	// Object gives a string such as "pod/web".
	Object hcl.Expression
	// Patch gives a string of YAML or JSON, or a value to be encoded.
	Patch hcl.Expression
	// Type is "strategic", "merge", "json" or "apply".
	Type string
	// Subresource is empty for the object itself.
	Subresource string
	// FieldValidation is as that of Apply.
	FieldValidation string
	Limits
}

// Exec runs a command.
type Exec struct {
	// Pod and Node give names; exactly one of them is set, or Host is. A nil
	// Container is the pod's first.
	Pod, Container, Node hcl.Expression
	Host                 bool
	// Command gives a list of strings, Stdin a string; nil for no input.
	Command, Stdin hcl.Expression
	// IgnoreExitCode says that any exit code is all right.
	IgnoreExitCode bool
	Limits
}

// Wait waits for a condition.
type Wait struct {
	Condition hcl.Expression
	// Within is how long to wait; never 0. Hold is as that of Expect.
	Within, Hold time.Duration
}

// Sleep lets time pass.
type Sleep struct{ Duration time.Duration }

// Signal sends a signal to the first process of a container.
type Signal struct {
	// Pod and Container give names; Signal gives a name or a number, nil for
	// TERM.
	Pod, Container, Signal hcl.Expression
	Limits
}

// Node does something to a node.
type Node struct {
	// Node gives a node's name; nil where there is only one.
	Node hcl.Expression
	// Action is "cordon", "uncordon", "drain", "stop", "start", "restart",
	// "pause" or "unpause"; Service is "kubelet", "containerd" or empty.
	Action, Service string
	Limits
}

// Invariant must not be false from its place to the scenario's end.
type Invariant struct {
	Name      string
	Condition hcl.Expression
	// When says whether to watch it; nil means always.
	When hcl.Expression
	// Message is told where it is broken; may be nil.
	Message hcl.Expression
	// Range is the block's header.
	Range hcl.Range
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
