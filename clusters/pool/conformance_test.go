package pool

import (
	"context"
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
		Provisioner: p, Names: true, Spec: clusters.Spec{Name: "v129", Version: "1.29.3"}, Image: "busybox:1.35", Soon: time.Millisecond,
		IDs: []string{"lab-a", "lab-b", "lab-c", "lab-d"},
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
