package pool

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/clustertest"
)

func TestThePoolConforms(t *testing.T) {
	h := newHost()
	h.createTakes = 20 * time.Millisecond
	p := h.pool(t, t.TempDir())
	clustertest.Conformance(t, clustertest.Subject{
		Provisioner: p, Provider: h.provider(), Nodes: func(clusters.Handle) clusters.Nodes { return h }, Names: true, Spec: clusters.Spec{Name: "v129", Version: "1.29.3"}, Image: "busybox:1.35", Soon: time.Millisecond,
		IDs: []string{"lab-a", "lab-b", "lab-c", "lab-d", "lab-e"},
		Usable: func(ctx context.Context, handle clusters.Handle) error {
			api, err := h.connect(handle.Kubeconfig)
			if err != nil {
				return err
			}
			return api.Ready(ctx)
		},
		Left: func(t *testing.T, id string) []string {
			list, err := p.List()
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, s := range list {
				if s.Lease != nil && s.Lease.ID == id {
					left = append(left, s.ID)
				}
			}
			return left
		},
	})
	if left := h.left(); len(left) > 0 {
		t.Errorf("there is %v", left)
	}
}

// TestClustersThatCannotBeReusedAreNotPooled asks a pool whose maker states that.
func TestClustersThatCannotBeReusedAreNotPooled(t *testing.T) {
	h := newHost()
	h.single = true
	p := h.pool(t, t.TempDir())
	spec := clusters.Spec{Name: "v129", Version: "1.29.3"}
	want := &clusters.CapabilityError{Missing: clusters.Reuse}
	if _, err := p.Create(t.Context(), spec, "lab-a", filepath.Join(t.TempDir(), "kubeconfig"), func(string) {}); !errors.Is(err, want) {
		t.Errorf("Create: %v", err)
	}
	if _, _, err := p.Ready(t.Context(), spec, nil, func(string) {}); !errors.Is(err, want) {
		t.Errorf("Ready: %v", err)
	}
	if left := h.left(); len(left) > 0 {
		t.Errorf("there is %v", left)
	}
}
