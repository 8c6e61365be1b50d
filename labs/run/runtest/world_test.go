package runtest

import (
	"context"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/clustertest"
)

func TestTheWorldConforms(t *testing.T) {
	w := &World{CreateTakes: 20 * time.Millisecond}
	clustertest.Conformance(t, clustertest.Subject{
		Provisioner: w, Spec: clusters.Spec{Name: "v129", Version: "1.29.3"}, Image: "busybox:1.35", Soon: time.Millisecond,
		IDs: []string{"lab-a", "lab-b", "lab-c", "lab-d"},
		Usable: func(_ context.Context, h clusters.Handle) error {
			_, err := w.Connect(h)
			return err
		},
		Left: func(_ *testing.T, id string) []string {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.there[id] == nil {
				return nil
			}
			return []string{id}
		},
	})
}
