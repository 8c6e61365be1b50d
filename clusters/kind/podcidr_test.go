package kind

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kind-lab/lab/clusters"
)

// TestEveryNodeGetsItsPodCIDR lets the second node join late, and the API server
// fail meanwhile.
func TestEveryNodeGetsItsPodCIDR(t *testing.T) {
	f := newFakeControllers(t, 10)
	f.moody = true
	join := func(name string) {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if err := f.Tracker().Add(node); err != nil {
			t.Error(err)
		}
	}
	join("a")
	time.AfterFunc(3*soon, func() { join("b") })
	nodes := []clusters.Node{{Name: "a"}, {Name: "b"}}
	if err := givePodCIDRs(t.Context(), f, nodes); err != nil {
		t.Fatal(err)
	}
	f.moody = false
	for i, n := range nodes {
		node, err := f.CoreV1().Nodes().Get(t.Context(), n.Name, metav1.GetOptions{})
		if err != nil || node.Spec.PodCIDR != podCIDR(i) || len(node.Spec.PodCIDRs) != 1 {
			t.Errorf("node %s: %+v, %v", n.Name, node.Spec, err)
		}
	}
}

func TestANodeThatNeverJoinsIsWaitedForUntilTheEnd(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*soon)
	defer cancel()
	if err := givePodCIDRs(ctx, newFakeControllers(t, 10), []clusters.Node{{Name: "a"}}); err == nil {
		t.Error("a node that is not there got a podCIDR")
	}
}
