// Package step says what the steps of a scenario ask for and what comes of
// them. Each verb has a package of its own below it.
package step

import (
	"time"

	"github.com/kind-lab/lab/collectors"
)

// MaxOutput bounds what is kept of each of a command's outputs, in bytes.
const MaxOutput = 1 << 20

// Manifest is the text of one or more documents.
type Manifest struct {
	// Name says where it is from, for messages.
	Name string
	Text string
}

// Apply asks for objects to be created or changed.
type Apply struct {
	// Namespace is where objects go that name none.
	Namespace string
	// Manifests are strings of YAML or JSON documents.
	Manifests []Manifest
	// FieldValidation is "Strict", "Warn" or "Ignore".
	FieldValidation string
}

// Delete asks for objects to be deleted: those that are named, or those of the
// manifests.
type Delete struct {
	// Namespace is where objects are that name none.
	Namespace string
	// Objects are as kubectl writes them, such as "pod/web".
	Objects   []string
	Manifests []Manifest
	// GracePeriod is instead of the object's own; nil means its own, 0 at
	// once.
	GracePeriod *time.Duration
	// Propagation is "Background", "Foreground" or "Orphan".
	Propagation string
	// Wait says to wait until the objects are gone.
	Wait bool
	// IgnoreNotFound says that an object that is not there is no failure.
	IgnoreNotFound bool
}

// Patch asks for one object to be changed.
type Patch struct {
	// Namespace is where the object is.
	Namespace string
	// Object is as kubectl writes it, such as "pod/web".
	Object string
	// Patch is YAML or JSON.
	Patch string
	// Type is "strategic", "merge", "json" or "apply".
	Type string
	// Subresource is empty for the object itself.
	Subresource string
	// FieldValidation is as that of Apply.
	FieldValidation string
}

// Needs is what is needed of a cluster to do a step.
type Needs struct {
	// Images are the container images that pods ask for, each once, in order.
	Images []string
	// NodeAccess are the fields by which pods get at what is the nodes' own,
	// such as "hostPath"; what they do there cannot be undone by deleting them.
	NodeAccess []string
}

// Exec asks for a command to be run: in a container of Pod, on Node, or on this
// machine.
type Exec struct {
	// Namespace is where the pod is.
	Namespace string
	// Pod and Node are names of which one is set, unless Host is. An empty
	// Container is the pod's first.
	Pod, Container, Node string
	Host                 bool
	// Dir is where the command runs on this machine, Kubeconfig is what it
	// finds as KUBECONFIG there.
	Dir, Kubeconfig string
	// Command is the program and its arguments.
	Command []string
	// Stdin is what it reads; nil means nothing.
	Stdin *string
}

// Signal asks for a signal to a container's first process.
type Signal struct {
	Namespace, Pod, Container string
	// Signal is a name, with or without SIG, or a number.
	Signal string
}

// The actions on nodes.
const (
	Cordon   = "cordon"
	Uncordon = "uncordon"
	Drain    = "drain"
	Stop     = "stop"
	Start    = "start"
	Restart  = "restart"
	Pause    = "pause"
	Unpause  = "unpause"
)

// Node asks for something to be done to a node.
type Node struct {
	// Node is the node's name.
	Node string
	// Action is one of the actions above.
	Action string
	// Service is the service to Stop, Start or Restart instead of the machine;
	// empty means the machine.
	Service string
}

// Result is what came of a step, also of one that failed on its way. Which
// fields are set depends on the verb.
type Result struct {
	// Objects are those that something was done to, in order, and Actions
	// what: "created", "configured", "unchanged", "deleted", "patched" …
	Objects []collectors.Object
	Actions []string
	// Warnings are those that the API server sent, each once, and what else
	// there is to know.
	Warnings []string
	// Stdout and Stderr are what a command wrote, valid UTF-8 of at most
	// MaxOutput bytes each and a line that says so where they were cut.
	Stdout, Stderr string
	// ExitCode is how a command ended; nil where none did.
	ExitCode *int
}

// Did notes what was done to an object.
func (r *Result) Did(o collectors.Object, action string) {
	r.Objects = append(r.Objects, o)
	r.Actions = append(r.Actions, action)
}
