//go:build e2e

package pods

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// TestARealServersStatuses needs a cluster: LAB_E2E_KUBECONFIG names its
// kubeconfig, LAB_E2E_IMAGE an image with sh that its nodes have.
func TestARealServersStatuses(t *testing.T) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("LAB_E2E_KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	set, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	namespaces := set.CoreV1().Namespaces()
	ns, err := namespaces.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "lab-pods-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := namespaces.Delete(context.Background(), ns.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	s := newSink()
	c, err := New(config, s, Options{Namespace: ns.Name, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	r := &running{collector: c, done: make(chan error, 1)}
	r.run(t)
	r.ready(t)
	image := os.Getenv("LAB_E2E_IMAGE")
	_, err = set.CoreV1().Pods(ns.Name).Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "two"},
		Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{
			{Name: "main", Image: image, Command: []string{"sh", "-c", "sleep 3"}},
			{Name: "side", Image: image, Command: []string{"sh", "-c", "sleep 1000"}},
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.waitFor(t, "pod two 1/2 NotReady")
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	// The same status comes more than once where the object changed otherwise.
	got := strings.Join(slices.Compact(s.lines()), ", ")
	if want := "pod two 0/2 Pending, pod two 0/2 ContainerCreating, pod two 2/2 Running, pod two 1/2 NotReady"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
