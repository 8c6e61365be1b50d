package wiring_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/run/runtest"
	"github.com/kind-lab/lab/labs/wiring"
)

// watcher is a guard that counts.
type watcher struct{ dirs, released []string }

func (w *watcher) start(dir string, _ bool) (wiring.Guard, error) {
	w.dirs = append(w.dirs, dir)
	return released(func() error {
		w.released = append(w.released, dir)
		return nil
	}), nil
}

type released func() error

func (r released) Release() error { return r() }

// pooled is a provisioner that takes clusters back.
type pooled struct {
	*runtest.World
	tainted []string
}

func (p *pooled) Release(ctx context.Context, id, tainted string, _ func(string)) (string, error) {
	p.tainted = append(p.tainted, tainted)
	return "waits for the next run", p.Destroy(ctx, id)
}

func newParts(t *testing.T, by run.Provisioner, guard *watcher) *wiring.Parts {
	cache := t.TempDir()
	return &wiring.Parts{
		Provisioners: map[string]run.Provisioner{clusters.ProviderKind: by}, Images: &runtest.World{}, Reaper: guard.start,
		Getenv: func(name string) string { return map[string]string{"LAB_CACHE": cache}[name] },
		Resolve: func(_ context.Context, constraint, image string) (plan.Image, error) {
			return runtest.Resolve(constraint, image)
		},
	}
}

// unfinished is what the one folder below root notes as still there.
func unfinished(t *testing.T, root string) []journal.Intent {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("folders %v, %v; want one", dirs, err)
	}
	open, err := journal.Unfinished(journal.Entries(dirs[0]))
	if err != nil {
		t.Fatal(err)
	}
	return open
}

func TestALeaseIsNotedUntilItIsReleased(t *testing.T) {
	p, guard, root := &pooled{World: &runtest.World{}}, &watcher{}, t.TempDir()
	w := newParts(t, p, guard)
	lease, err := w.Acquire(t.Context(), root, clusters.Spec{Name: "main", Version: "1.29", Images: []string{"busybox:1.35"}}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	handle := lease.Handle()
	if handle.Version != "1.29.3" || len(p.Left()) != 1 {
		t.Errorf("handle = %+v, there are %v", handle, p.Left())
	}
	if _, err := os.Stat(handle.Kubeconfig); err != nil {
		t.Error(err)
	}
	open := unfinished(t, root)
	if len(open) != 1 || open[0].ID != p.Left()[0] || open[0].Kubeconfig != handle.Kubeconfig || !filepath.IsAbs(handle.Kubeconfig) {
		t.Errorf("noted: %+v", open)
	}
	alive, err := journal.Registered(wiring.RunsDir(w.Getenv))
	if err != nil || len(alive) != 1 {
		t.Errorf("runs of this host: %v, %v", alive, err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel() // a test that was stopped gives back all the same
	text, err := lease.Release(over, "a node was stopped")
	if err != nil || text != "waits for the next run" || len(p.Left()) > 0 || p.tainted[0] != "a node was stopped" {
		t.Errorf("Release = %q, %v; left %v, tainted %q", text, err, p.Left(), p.tainted)
	}
	if open := unfinished(t, root); len(open) > 0 {
		t.Errorf("noted after the release: %+v", open)
	}
	if len(guard.dirs) != 1 || len(guard.released) != 1 {
		t.Errorf("watched %v, released %v", guard.dirs, guard.released)
	}
}

func TestALeaseThatFailsLeavesNothing(t *testing.T) {
	tests := map[string]struct {
		world *runtest.World
		spec  clusters.Spec
		want  string
	}{
		"no such version": {&runtest.World{}, clusters.Spec{Version: "1.99"}, "there is no Kubernetes 1.99"},
		"it does not start": {&runtest.World{CreateFails: map[string]error{"main": errors.New("the kubelet does not start")}},
			clusters.Spec{Name: "main", Version: "1.29"}, "the kubelet does not start"},
		"an image is missing": {&runtest.World{}, clusters.Spec{Version: "1.29", Images: []string{"nowhere/x"}}, "nowhere/x is not to be had"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			guard := &watcher{}
			w := newParts(t, test.world, guard)
			_, err := w.Acquire(t.Context(), t.TempDir(), test.spec, func(string) {})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if left := test.world.Left(); len(left) > 0 || len(guard.dirs) != len(guard.released) {
				t.Errorf("left %v, watched %v, released %v", left, guard.dirs, guard.released)
			}
		})
	}
}

func TestALeaseCannotBeReleasedIfDestroyingFails(t *testing.T) {
	w := &runtest.World{DestroyFails: map[string]error{"main": errors.New("device or resource busy")}}
	root := t.TempDir()
	lease, err := newParts(t, w, &watcher{}).Acquire(t.Context(), root, clusters.Spec{Name: "main", Version: "1.29"}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	_, err = lease.Release(t.Context(), "")
	if err == nil || !strings.Contains(err.Error(), "lab gc lab-") || !strings.Contains(err.Error(), "busy") {
		t.Errorf("error %v", err)
	}
	if open := unfinished(t, root); len(open) != 1 {
		t.Errorf("noted: %+v", open)
	}
}
