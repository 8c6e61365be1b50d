package kind

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// proxyPod is a pod that the DaemonSet made for a node.
func proxyPod(name, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceSystem, Labels: map[string]string{"k8s-app": "kube-proxy"}},
		Spec: corev1.PodSpec{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}},
			}}},
		}}},
	}
}

// TestTheProxyComesToItsNode has an API server that fails at times and a pod that
// comes late; another node's is left to the scheduler.
func TestTheProxyComesToItsNode(t *testing.T) {
	f := newFakeControllers(t, 10)
	f.moody, f.ready, f.proxied = true, true, true
	time.AfterFunc(2*soon, func() {
		for _, pod := range []*corev1.Pod{proxyPod("kube-proxy-1", "a"), proxyPod("kube-proxy-2", "b")} {
			if err := f.Tracker().Add(pod); err != nil {
				t.Error(err)
			}
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	placeProxy(ctx, f, "a")
	if ctx.Err() != nil {
		t.Fatal("the pod had no node in 20 s")
	}
	for _, pod := range f.list() {
		if want := map[string]string{"kube-proxy-1": "a", "kube-proxy-2": ""}[pod.Name]; pod.Spec.NodeName != want {
			t.Errorf("pod %s has node %q, want %q", pod.Name, pod.Spec.NodeName, want)
		}
	}
}

func TestAProxyThatNeverComesIsNotWaitedForLongerThanTheRest(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*soon)
	defer cancel()
	placeProxy(ctx, newFakeControllers(t, 10), "a")
	if ctx.Err() == nil {
		t.Error("it ended before its context")
	}
}
