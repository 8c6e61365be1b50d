package wiring

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/step"
)

// bare is a Backend that has nodes and no namespaces; keeping is one that keeps
// to a namespace on a cluster that others use.
type bare struct{ run.Provisioner }

func (b *bare) Nodes(clusters.Handle) clusters.Nodes { return b }

func (b *bare) NodeExec(context.Context, string, io.Reader, io.Writer, io.Writer, ...string) error {
	return nil
}
func (b *bare) NodeState(context.Context, string) (string, error) { return "running", nil }
func (b *bare) NodeAction(context.Context, string, string) error  { return nil }

type keeping struct {
	bare
	claimed, left []string
	lost          error
}

func (k *keeping) Claim(_ context.Context, _, namespace string) error {
	k.claimed = append(k.claimed, namespace)
	return nil
}

func (k *keeping) Leave(_ context.Context, _, namespace string) error {
	k.left = append(k.left, namespace)
	return nil
}
func (k *keeping) Held(string) error { return k.lost }

// handle is a cluster that nobody answers for.
func handleOf(t *testing.T, can clusters.Capabilities) clusters.Handle {
	t.Helper()
	kubeconfig := filepath.Join(t.TempDir(), "config")
	const text = "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: \"http://127.0.0.1:1\"}}]\n"
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return clusters.Handle{Name: "c", Kubeconfig: kubeconfig, Capabilities: can, Nodes: []clusters.Node{{Name: "n", Role: "worker"}}}
}

func provider() *clusters.Provider {
	return &clusters.Provider{Name: "some", Capabilities: func(clusters.Spec) clusters.Capabilities { return clusters.Capabilities{} }}
}

// TestStepsNeedCapabilities asks what steps may do on a cluster that has a
// capability, and on one that does not.
func TestStepsNeedCapabilities(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reach step.Reach
		needs clusters.Capability
		can   clusters.Capabilities
	}{
		{"on nodes", step.OnNodes, clusters.ExecOnNodes, clusters.Capabilities{CanExecOnNodes: true}},
		{"its own nodes", step.OwnNodes, clusters.OperateNodes, clusters.Capabilities{CanOperateNodes: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, can := range []clusters.Capabilities{{}, tt.can} {
				can.OwnsCluster = true
				c, err := connect(handleOf(t, can), provider(), &bare{})
				if err != nil {
					t.Fatal(err)
				}
				err = c.Allows(step.Forecast{Reach: tt.reach})
				if errors.Is(err, &clusters.CapabilityError{Missing: tt.needs}) == can.Can(tt.needs) {
					t.Errorf("can %t: %v", can.Can(tt.needs), err)
				}
			}
		})
	}
}

func TestClustersOfOthersAreKeptTo(t *testing.T) {
	if _, err := connect(handleOf(t, clusters.Capabilities{}), provider(), &bare{}); err == nil {
		t.Error("a provider that cannot keep to a namespace was let onto a cluster of others")
	}
	k := &keeping{}
	c, err := connect(handleOf(t, clusters.Capabilities{GivenNamespace: "team"}), provider(), k)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.Namespace(t.Context(), "team"), c.DeleteNamespace(t.Context(), "team")); err != nil || len(k.claimed) != 1 || len(k.left) != 1 {
		t.Errorf("%v, claimed %v, left %v", err, k.claimed, k.left)
	}
	k.lost = errors.New("the Lease is another run's")
	for _, reach := range []step.Reach{step.NoNodes, step.OnNodes, step.OwnNodes} {
		if err := c.Allows(step.Forecast{Reach: reach}); !errors.Is(err, k.lost) {
			t.Errorf("reach %d on a cluster that is another run's: %v", reach, err)
		}
	}
}

// TestCollectorsFollowTheCapabilities counts what observes a cluster.
func TestCollectorsFollowTheCapabilities(t *testing.T) {
	for _, tt := range []struct {
		name string
		can  clusters.Capabilities
		want int
	}{
		{"the API alone", clusters.Capabilities{OwnsCluster: true}, 3},
		{"the nodes as well", clusters.Capabilities{OwnsCluster: true, CanExecOnNodes: true}, 5},
		{"our own", clusters.OwnCluster(), 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := connect(handleOf(t, tt.can), provider(), &bare{})
			if err != nil {
				t.Fatal(err)
			}
			all, err := c.Collectors("s", t.TempDir(), nil, nil, nil, func(string) {})
			if err != nil || len(all) != tt.want {
				t.Errorf("%d collectors, want %d: %v", len(all), tt.want, err)
			}
		})
	}
}
