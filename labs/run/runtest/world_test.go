package runtest

import (
	"cmp"
	"context"
	"io"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/clustertest"
)

// machines are the states of nodes, by their names; those that are not in it run.
type machines map[string]string

func (m machines) NodeExec(context.Context, string, io.Reader, io.Writer, io.Writer, ...string) error {
	return nil
}

func (m machines) NodeState(_ context.Context, node string) (string, error) {
	return cmp.Or(m[node], "running"), nil
}

func (m machines) NodeAction(_ context.Context, node, action string) error {
	m[node] = map[string]string{"pause": "paused", "unpause": "running"}[action]
	return nil
}

func TestTheWorldConforms(t *testing.T) {
	w, nodes := &World{CreateTakes: 20 * time.Millisecond}, machines{}
	clustertest.Conformance(t, clustertest.Subject{
		Provisioner: w, Provider: Provider(), Nodes: func(clusters.Handle) clusters.Nodes { return nodes }, Spec: clusters.Spec{Name: "v129", Version: "1.29.3"}, Image: "busybox:1.35", Soon: time.Millisecond,
		IDs: []string{"lab-a", "lab-b", "lab-c", "lab-d", "lab-e"},
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
