// Package runtest is a world for tests of runs: clusters that are there at
// once, and pods that behave as Kubernetes' do, reported to collectors as the real
// ones tell them. A container runs for the time that its variable RUNS_FOR
// says, such as "100ms", or for ever without one, and ends with EXIT_CODE. One
// that is asked to stop ends by SIGKILL after the pod's grace period, read as
// tenths of seconds, or at once with the exit code ON_TERM if it has one. No
// container is started again. Commands in containers and nodes are echo, cat,
// true, false and sleep; those on this machine are real.
package runtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/versions"
	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/run"
)

// World holds clusters that are made of nothing. The zero value is ready.
type World struct {
	// CreateTakes is how long a cluster needs to be ready.
	CreateTakes time.Duration
	// CreateFails and DestroyFails are errors by the cluster's name in the
	// scenario.
	CreateFails, DestroyFails map[string]error
	// Creating is called when a cluster's creation begins, Observing when a
	// scenario is observed; tests interrupt there.
	Creating, Observing func(name string)
	// Acting is called before anything is done to a cluster's containers and
	// nodes, with what Did says of it; its error is the step's, and nothing is
	// done.
	Acting func(ctx context.Context, what string) error
	// Breaks gives the failures of observers: who receives one gives up.
	Breaks chan error
	// Holds says of a record that it is not reported, as by a source that hangs.
	Holds func(collectors.Record) bool
	// Asked is what observers do when they are asked whether they have
	// reported everything; nil means that they have.
	Asked func(ctx context.Context, sink collectors.Sink) error

	mu    sync.Mutex
	there map[string]*Cluster
	// making are the ids of the clusters on their way.
	making map[string]bool
	names  map[string]string
	did    []string
}

// Create makes a cluster after CreateTakes.
func (w *World) Create(ctx context.Context, spec clusters.Spec, id, kubeconfig string, progress func(string)) (clusters.Handle, error) {
	if w.Creating != nil {
		w.Creating(spec.Name)
	}
	if err := ctx.Err(); err != nil {
		return clusters.Handle{}, err
	}
	if err := w.begin(id); err != nil {
		return clusters.Handle{}, err
	}
	defer w.begun(id)
	progress("Starting control-plane")
	_ = clusters.Pause(ctx, w.CreateTakes)
	if err := ctx.Err(); err != nil {
		return clusters.Handle{}, err
	}
	if err := w.CreateFails[spec.Name]; err != nil {
		return clusters.Handle{}, err
	}
	if err := os.MkdirAll(filepath.Dir(kubeconfig), 0o700); err != nil {
		return clusters.Handle{}, err
	}
	if err := os.WriteFile(kubeconfig, []byte("apiVersion: v1\nkind: Config\n"), 0o600); err != nil {
		return clusters.Handle{}, err
	}
	handle := clusters.Handle{Name: spec.Name, ID: id, Version: spec.Version, Kubeconfig: kubeconfig,
		Nodes: []clusters.Node{{Name: id + "-control-plane", Role: "control-plane"}}, Runtime: "containerd://2.3.4", Cgroup: 1,
		Capabilities: w.Capabilities(spec)}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.there == nil {
		w.there, w.names = map[string]*Cluster{}, map[string]string{}
	}
	w.there[id] = newCluster(w, spec, handle)
	w.names[id] = spec.Name
	return handle, nil
}

// begin notes that a cluster is being made; there is one of an id.
func (w *World) begin(id string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.there[id] != nil || w.making[id] {
		return fmt.Errorf("there is a cluster %s already", id)
	}
	if w.making == nil {
		w.making = map[string]bool{}
	}
	w.making[id] = true
	return nil
}

func (w *World) begun(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.making, id)
}

// LoadImages has every image but those of the registry "nowhere".
func (w *World) LoadImages(_ context.Context, _ clusters.Handle, refs []string, _ func(string)) error {
	for _, ref := range refs {
		if filepath.Dir(ref) == "nowhere" {
			return fmt.Errorf("image %s is not to be had", ref)
		}
	}
	return nil
}

// Destroy removes a cluster.
func (w *World) Destroy(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.DestroyFails[w.names[id]]; err != nil {
		return err
	}
	if c := w.there[id]; c != nil {
		c.end()
		if err := os.Remove(c.handle.Kubeconfig); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	delete(w.there, id)
	return nil
}

// Did is what was done to containers and nodes, in order, such as "v129: signal
// TERM web/main" or "v129: node cordon lab-abcdef-v129-control-plane".
func (w *World) Did() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.did)
}

// act notes what is about to be done, unless Acting has something against it.
func (w *World) act(ctx context.Context, what string) error {
	if w.Acting != nil {
		if err := w.Acting(ctx, what); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.did = append(w.did, what)
	return nil
}

// Left are the ids of the clusters that are there, sorted.
func (w *World) Left() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ids []string
	for id := range w.there {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Ensure has every node image.
func (w *World) Ensure(context.Context, plan.Image, func(string)) error { return nil }

// Connect reaches a cluster that is there.
func (w *World) Connect(handle clusters.Handle) (run.Cluster, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.there[handle.ID]; c != nil {
		return c, nil
	}
	return nil, errors.New("connection refused")
}

// Resolve takes the versions of the table of versions and gives them patch
// version 3.
func Resolve(constraint, image string) (plan.Image, error) {
	parsed, err := clusters.ParseConstraint(constraint)
	if err != nil {
		return plan.Image{}, err
	}
	for _, known := range slices.Backward(versions.All()) {
		v := clusters.Version{Major: 1, Minor: known.Minor, Patch: 3}
		if parsed.Match(v) {
			ref := image
			if ref == "" {
				ref = "kindest/node:v" + v.String()
			}
			return plan.Image{Version: v.String(), Source: "have", Ref: ref, Why: "the engine has it"}, nil
		}
	}
	return plan.Image{}, fmt.Errorf("there is no Kubernetes %s; the newest known is %s.3", constraint, versions.Newest().Line())
}

var (
	_ run.Provisioner = (*World)(nil)
	_ run.Images      = (*World)(nil)
	_ run.Cluster     = (*Cluster)(nil)
)
