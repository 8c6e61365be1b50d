//go:build e2e

package runtime

import (
	"context"
	"io"
	"os"
	"os/exec"
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

// dockerExec reaches kind nodes.
type dockerExec struct{}

func (dockerExec) NodeExec(ctx context.Context, node string, stdin io.Reader, stdout, stderr io.Writer, cmd ...string) error {
	c := exec.CommandContext(ctx, "docker", append([]string{"exec", "-i", node}, cmd...)...)
	c.Stdin, c.Stdout, c.Stderr = stdin, stdout, stderr
	return c.Run()
}

// TestARealNode needs a kind cluster: LAB_E2E_KUBECONFIG names its kubeconfig,
// LAB_E2E_NODE its only node, LAB_E2E_IMAGE an image with sh that the node has.
func TestARealNode(t *testing.T) {
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
	s, node := newSink(), os.Getenv("LAB_E2E_NODE")
	c := New(dockerExec{}, s, Options{Nodes: []string{node}, Namespaces: []string{"default"}})
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{collector: c, stop: cancel, done: make(chan error, 1)}
	go func() { r.done <- c.Run(ctx) }()
	r.ready(t)
	pods := set.CoreV1().Pods("default")
	p, err := pods.Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "lab-runtime-"},
		Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{
			{Name: "quick", Image: os.Getenv("LAB_E2E_IMAGE"), Command: []string{"sh", "-c", "exit 3"}},
			{Name: "slow", Image: os.Getenv("LAB_E2E_IMAGE"), Command: []string{"sh", "-c", "sleep 4; exit 4"}},
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pods.Delete(context.Background(), p.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	of := func(kind collectors.Type, container string) func(collectors.Record) bool {
		return func(r collectors.Record) bool {
			return r.Type == kind && r.Object.UID == string(p.UID) && r.Container == container
		}
	}
	s.waitFor(t, "the start of slow", of(collectors.TypeTaskStart, "slow"))
	if err := c.Sync(t.Context()); err != nil {
		t.Error(err)
	}
	if err := exec.Command("docker", "exec", node, "pkill", "-9", "-x", "ctr").Run(); err != nil {
		t.Fatal(err)
	}
	s.waitFor(t, "a gap", isGap)
	s.waitFor(t, "the end of slow", of(collectors.TypeTaskExit, "slow"))
	if err := c.Reconcile(t.Context()); err != nil {
		t.Error(err)
	}
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	for _, rec := range s.all() {
		if of(collectors.TypeTaskExit, "quick")(rec) && (rec.Task.ExitCode != 3 || time.Since(rec.Time) > time.Minute) {
			t.Errorf("record %+v of %+v", rec, rec.Task)
		}
	}
}
