// Package run is the engine: it provisions the plan's clusters, observes,
// does each scenario's steps, judges its expectations as records arrive, seals
// the evidence and destroys what it made. It declares what it needs of a
// provisioner, a cluster and a clock, and knows none of their implementations.
package run

import (
	"context"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/step"
)

// Provisioner makes clusters and destroys them.
type Provisioner interface {
	// Create returns once the cluster is ready, or leaves nothing behind. id
	// is the cluster's name on the host.
	Create(ctx context.Context, spec clusters.Spec, id, kubeconfig string, progress func(string)) (clusters.Handle, error)
	// LoadImages puts images on every node.
	LoadImages(ctx context.Context, handle clusters.Handle, refs []string, progress func(string)) error
	// Destroy removes the cluster; one that is not there is no error.
	Destroy(ctx context.Context, id string) error
}

// Releaser is a Provisioner that can keep a cluster for the next run.
type Releaser interface {
	// Release takes back the cluster that was asked for as id, with what the
	// run made on it: it is cleaned and kept, or destroyed where that cannot be
	// done or where tainted says what was done to it that cannot be undone. It
	// returns what became of it, for a person to read.
	Release(ctx context.Context, id, tainted string, progress func(string)) (string, error)
}

// Images provides node images.
type Images interface {
	// Ensure returns once the engine has the image.
	Ensure(ctx context.Context, image plan.Image, progress func(string)) error
}

// Cluster is a cluster that is up, as the steps and collectors use it.
type Cluster interface {
	// Namespace creates a namespace in which pods can be created.
	Namespace(ctx context.Context, name string) error
	// DeleteNamespace asks for its deletion and does not wait.
	DeleteNamespace(ctx context.Context, name string) error
	// Access is what the steps are given of it.
	Access() step.Cluster
	// Allows says why a step must not be carried out now; nil where it may.
	Allows(step.Forecast) error
	// Collectors observe a namespace, with objects of further kinds; evidence
	// for people goes below dir. show takes the containers' lines as they come,
	// for people to see and not to keep; it is nil where nobody looks.
	Collectors(namespace, dir string, kinds []collectors.Kind, sink, show collectors.Sink, warn func(string)) ([]Collector, error)
}

// Connect reaches a cluster by its handle.
type Connect func(clusters.Handle) (Cluster, error)

// Collector observes until its context ends.
type Collector interface {
	Run(ctx context.Context) error
	// Ready is closed once nothing is missed any more.
	Ready() <-chan struct{}
}

// Reconciler is a Collector that completes its record before the cluster goes.
type Reconciler interface {
	Reconcile(ctx context.Context) error
}

// Syncer is a Collector that can be asked whether it has reported everything.
type Syncer interface {
	// Sync returns once everything that happened before it was recorded. It
	// fails where ctx ends before, and a gap tells so, which goes on.
	Sync(ctx context.Context) error
}

// OfSource is a Collector whose records are all from one source. One that is not
// is asked whatever source is asked for.
type OfSource interface {
	Source() collectors.Source
}

// Observer is notified of what happens while it happens. It is called by several
// goroutines.
type Observer interface {
	Event(report.Event)
}

// Clock tells the time.
type Clock interface {
	Now() time.Time
	// At returns a channel that receives once the time has come, and a
	// function that gives it up.
	At(time.Time) (<-chan time.Time, func())
}

// SystemClock is the machine's clock.
type SystemClock struct{}

// Now returns the time with the machine's monotonic reading.
func (SystemClock) Now() time.Time { return time.Now() }

// At returns a timer's channel.
func (SystemClock) At(t time.Time) (<-chan time.Time, func()) {
	timer := time.NewTimer(time.Until(t))
	return timer.C, func() { timer.Stop() }
}

var _ Clock = SystemClock{}
