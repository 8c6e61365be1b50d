// Package step has what the verbs of a scenario's steps have in common. Each
// verb that acts has a package of its own below it, and so has sleep.
//
// # Adding a step verb
//
// The language's side comes first: see the package dsl/action. Then
// labs/step/VERB has one exported function, Verb, which returns a Definition:
//
//   - Forecast says before a run what a step will do, as far as its block
//     tells: the objects that it makes, the permissions and the node access
//     that it needs, whether it runs commands on this machine. `lab validate`
//     and `lab run` reject by it what cannot work or is not allowed.
//   - Prepare evaluates the arguments when the step begins, and returns a
//     Prepared: what the step does, the images that it needs on the nodes, and
//     what it does that cannot be undone.
//   - Words, Summary, Doing and Trace say how it is shown, recorded and
//     observed.
//
// labs/step/verbs lists all Definitions. Expectations, invariants and waits are
// decided by labs/expect and need nothing of a cluster, so they have no package
// here; labs/player treats them by their form, and never by the name of a verb.
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

// Needs is what is needed of a cluster to do a step.
type Needs struct {
	// Images are the container images that pods ask for, each once, in order.
	Images []string
	// NodeAccess are the fields by which pods get at what is the nodes' own,
	// such as "hostPath"; what they do there cannot be undone by deleting them.
	NodeAccess []string
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
	// Slept is how long a step let time pass.
	Slept time.Duration
}

// Did notes what was done to an object.
func (r *Result) Did(o collectors.Object, action string) {
	r.Objects = append(r.Objects, o)
	r.Actions = append(r.Actions, action)
}
