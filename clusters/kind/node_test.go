package kind

import (
	"errors"
	"strings"
	"testing"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/kind/internal/fakeengine"
)

func TestWhatIsDoneToANodesMachine(t *testing.T) {
	f := newFakeEngine(t, behaviour{})
	const node = "lab-a-worker"
	if err := fakeengine.AddContainer(f.dir, node, map[string]string{clusterLabel: "lab-a"}); err != nil {
		t.Fatal(err)
	}
	p := New(clusters.Engine{Name: "docker"}, clusters.Host{}, Options{})
	steps := []struct {
		action, want string // the state after it
		refused      bool
	}{
		{"unpause", "running", true},
		{"pause", "paused", false},
		{"pause", "paused", true},
		{"stop", "paused", true},
		{"unpause", "running", false},
		{"stop", "exited", false},
		{"pause", "exited", true},
		{"start", "running", false},
		{"start", "running", true},
		{"restart", "running", false},
	}
	for _, s := range steps {
		err := p.NodeAction(t.Context(), node, s.action)
		var state *clusters.NodeStateError
		if errors.As(err, &state) != s.refused || err != nil && !s.refused {
			t.Errorf("%s gave %v, want refused %t", s.action, err, s.refused)
		}
		if got, err := p.NodeState(t.Context(), node); err != nil || got != s.want {
			t.Errorf("after %s the node is %q (%v), want %q", s.action, got, err, s.want)
		}
	}
}

func TestWhatCannotBeDoneToANode(t *testing.T) {
	newFakeEngine(t, behaviour{})
	p := New(clusters.Engine{Name: "docker"}, clusters.Host{}, Options{})
	for _, tt := range []struct{ node, action, want string }{
		{"lab-a-worker", "stop", "No such container"},
		{"lab-a-worker", "explode", `"explode" is nothing that can be done`},
	} {
		if err := p.NodeAction(t.Context(), tt.node, tt.action); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("NodeAction(%s, %s) = %v, want %q in it", tt.node, tt.action, err, tt.want)
		}
	}
}
