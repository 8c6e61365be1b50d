// Package clustertest holds provisioners of clusters to what all of them
// promise, those that make clusters, those that find them, and fakes: a cluster
// is there or nothing of it is; and what a provider states that its clusters can
// do they do, and anything else is refused with a *clusters.CapabilityError.
package clustertest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
)

// Provisioner is what is held to it.
type Provisioner interface {
	Create(ctx context.Context, spec clusters.Spec, id, kubeconfig string, progress func(string)) (clusters.Handle, error)
	LoadImages(ctx context.Context, handle clusters.Handle, refs []string, progress func(string)) error
	Destroy(ctx context.Context, id string) error
	// Capabilities are what the provider states for a Spec.
	Capabilities(spec clusters.Spec) clusters.Capabilities
}

// Subject is a provisioner with what the suite has to know of it.
type Subject struct {
	Provisioner Provisioner
	// Provider is what its provider states, and Nodes reaches a cluster's nodes.
	Provider *clusters.Provider
	Nodes    func(handle clusters.Handle) clusters.Nodes
	// Denied is a cluster whose account lacks a right that is needed; nil if the
	// provider cannot check rights.
	Denied *clusters.Spec
	// Spec is the cluster that is asked for, always the same.
	Spec clusters.Spec
	// IDs are names that it allows and nobody else uses; at least five.
	IDs []string
	// Names says that clusters have names of their own, other than their ids.
	Names bool
	// Image is one that LoadImages can be asked for.
	Image string
	// Usable says what is wrong with a cluster that is there.
	Usable func(ctx context.Context, handle clusters.Handle) error
	// Left is what there is of a cluster, by its id, as a person would look for
	// it; nothing where it was never made or is gone.
	Left func(t *testing.T, id string) []string
	// Soon is a time in which no Create can end.
	Soon time.Duration
}

// Conformance is the suite. No more than one cluster is there at a time.
func Conformance(t *testing.T, s Subject) {
	t.Run("destroying what is not there", s.absent)
	t.Run("a creation that is over before it begins", s.alreadyCancelled)
	t.Run("a creation that is cancelled", s.cancelled)
	t.Run("a creation that takes too long", s.overdue)
	t.Run("a life", s.life)
	t.Run("reuse", s.reuse)
}

// absent destroys what never was.
func (s Subject) absent(t *testing.T) {
	if err := s.Provisioner.Destroy(t.Context(), s.IDs[0]); err != nil {
		t.Errorf("Destroy of a cluster that is not there: %v", err)
	}
}

// alreadyCancelled creates with a context that has ended.
func (s Subject) alreadyCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	kubeconfig := s.kubeconfig(t)
	_, err := s.Provisioner.Create(ctx, s.Spec, s.IDs[0], kubeconfig, func(string) {})
	s.failed(t, s.IDs[0], kubeconfig, err, context.Canceled)
}

// cancelled cancels as soon as the creation reports progress.
func (s Subject) cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	kubeconfig := s.kubeconfig(t)
	_, err := s.Provisioner.Create(ctx, s.Spec, s.IDs[1], kubeconfig, func(string) { cancel() })
	s.failed(t, s.IDs[1], kubeconfig, err, context.Canceled)
}

// overdue gives the creation less time than it needs.
func (s Subject) overdue(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), s.Soon)
	defer cancel()
	kubeconfig := s.kubeconfig(t)
	_, err := s.Provisioner.Create(ctx, s.Spec, s.IDs[2], kubeconfig, func(string) {})
	s.failed(t, s.IDs[2], kubeconfig, err, context.DeadlineExceeded)
}

func (s Subject) kubeconfig(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "kubeconfig", "cluster.yaml")
}

// failed checks that a creation failed for a reason and left nothing.
func (s Subject) failed(t *testing.T, id, kubeconfig string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("Create: %v, want %v", err, want)
	}
	s.nothing(t, id, kubeconfig)
	if err := s.Provisioner.Destroy(t.Context(), id); err != nil {
		t.Errorf("Destroy after it: %v", err)
	}
}

// nothing checks that there is nothing of a cluster.
func (s Subject) nothing(t *testing.T, id, kubeconfig string) {
	t.Helper()
	if left := s.Left(t, id); len(left) > 0 {
		t.Errorf("left of %s: %v", id, left)
	}
	if _, err := os.Stat(kubeconfig); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the kubeconfig of %s is left: %v", id, err)
	}
}

// life takes a cluster from nothing to nothing.
func (s Subject) life(t *testing.T) {
	id := s.IDs[3]
	handle := s.once(t, id)
	if handle.Name != s.Spec.Name || (handle.ID == id) == s.Names || handle.Version == "" {
		t.Errorf("handle %+v", handle)
	}
	info, err := os.Stat(handle.Kubeconfig)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("kubeconfig: %v, %v; want it for its owner alone", info, err)
	}
	s.usable(t, handle, "a new cluster")
	if len(s.Left(t, id)) == 0 {
		t.Error("nothing is to be seen of the cluster: what looks for it later would not find it")
	}
	second := s.kubeconfig(t)
	if _, err := s.Provisioner.Create(t.Context(), s.Spec, id, second, func(string) {}); err == nil {
		t.Error("a second Create of the id did not fail")
	}
	if _, err := os.Stat(second); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the second Create left a kubeconfig: %v", err)
	}
	s.usable(t, handle, "after a second Create of the id")
	s.loads(t, handle)
	s.capabilities(t, handle)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Provisioner.Destroy(over, id); err == nil {
		t.Error("Destroy with a context that has ended did not fail")
	}
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			if err := s.Provisioner.Destroy(t.Context(), id); err != nil {
				t.Errorf("Destroy: %v", err)
			}
		})
	}
	group.Wait()
	s.nothing(t, id, handle.Kubeconfig)
	if err := s.Provisioner.Destroy(t.Context(), id); err != nil {
		t.Errorf("Destroy once more: %v", err)
	}
}

// once creates a cluster twice at the same time: one of them succeeds.
func (s Subject) once(t *testing.T, id string) clusters.Handle {
	t.Helper()
	type made struct {
		handle clusters.Handle
		err    error
	}
	paths := []string{s.kubeconfig(t), s.kubeconfig(t)}
	var mu sync.Mutex
	var told int
	results := make([]made, len(paths))
	var group sync.WaitGroup
	for i, path := range paths {
		group.Go(func() {
			results[i].handle, results[i].err = s.Provisioner.Create(t.Context(), s.Spec, id, path, func(string) {
				mu.Lock()
				defer mu.Unlock()
				told++
			})
		})
	}
	group.Wait()
	won, lost := 0, 1
	if results[0].err != nil {
		won, lost = 1, 0
	}
	if results[won].err != nil {
		t.Fatalf("Create failed: %v; %v", results[0].err, results[1].err)
	}
	if results[lost].err == nil {
		t.Error("two Creates of one id at the same time did both succeed")
	}
	if _, err := os.Stat(paths[lost]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the Create that failed left a kubeconfig: %v", err)
	}
	if told == 0 {
		t.Error("the creation reported no progress")
	}
	return results[won].handle
}

func (s Subject) usable(t *testing.T, handle clusters.Handle, when string) {
	t.Helper()
	if err := s.Usable(t.Context(), handle); err != nil {
		t.Errorf("%s cannot be used: %v", when, err)
	}
}

// loads loads images, of which there may be none, several times at once.
func (s Subject) loads(t *testing.T, handle clusters.Handle) {
	t.Helper()
	var group sync.WaitGroup
	for _, refs := range [][]string{nil, {s.Image}, {s.Image}} {
		group.Go(func() {
			err := s.Provisioner.LoadImages(t.Context(), handle, refs, func(string) {})
			if err != nil && (len(refs) == 0 || handle.Capabilities.CanLoadImages) {
				t.Errorf("LoadImages %v: %v", refs, err)
			}
			if err := s.Usable(t.Context(), handle); err != nil {
				t.Errorf("while images are loaded: %v", err)
			}
		})
	}
	group.Wait()
}
