//go:build e2e

package logs

import (
	"context"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kind-lab/lab/collectors"
)

// TestARealLog needs a cluster: LAB_E2E_KUBECONFIG names its kubeconfig,
// LAB_E2E_IMAGE an image with sh that its nodes have. A pod is deleted while
// it is followed: what it writes upon SIGTERM is there, and nothing is a gap.
func TestARealLog(t *testing.T) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("LAB_E2E_KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	set, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // client-go keeps connections for the next who asks
		transport, err := rest.TransportFor(config)
		if err != nil {
			t.Fatal(err)
		}
		net.CloseIdleConnectionsFor(transport)
	})
	namespaces := set.CoreV1().Namespaces()
	ns, err := namespaces.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "lab-logs-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := namespaces.Delete(context.Background(), ns.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	s := newSink()
	r := start(t, config, s, Options{Namespace: ns.Name, Dir: t.TempDir()}).isReady(t)
	pods := set.CoreV1().Pods(ns.Name)
	_, err = pods.Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "myapp"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "main", Image: os.Getenv("LAB_E2E_IMAGE"),
			Command: []string{"sh", "-c", "trap 'echo TERM; exit 0' TERM; echo up; sleep 1000 & wait $!"},
		}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	waitForText(t, s, "up")
	if err := pods.Delete(t.Context(), "myapp", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	waitForText(t, s, "TERM")
	r.ended(t, "myapp", "main", 0)
	r.reconcile(t)
	r.end(t)
	if got := s.all(); len(got) != 2 {
		t.Errorf("records %q, want two lines", s.lines())
	}
}

func waitForText(t *testing.T, s *sink, text string) {
	t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	has := func(r collectors.Record) bool { return r.Log != nil && r.Log.Text == text }
	for {
		for _, r := range s.all() {
			if has(r) {
				return
			}
		}
		select {
		case <-s.added:
		case <-deadline.C:
			t.Fatalf("%q was not recorded in a minute; there is %q", text, s.lines())
		}
	}
}
