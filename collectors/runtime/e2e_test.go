//go:build e2e

package runtime

import (
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
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

// dockerExec reaches kind nodes, and keeps what it ran in them.
type dockerExec struct {
	mu  sync.Mutex
	ran []string
}

func (d *dockerExec) NodeExec(ctx context.Context, node string, stdin io.Reader, stdout, stderr io.Writer, cmd ...string) error {
	d.mu.Lock()
	d.ran = append(d.ran, strings.Join(cmd, " "))
	d.mu.Unlock()
	c := exec.CommandContext(ctx, "docker", append([]string{"exec", "-i", node}, cmd...)...)
	c.Stdin, c.Stdout, c.Stderr = stdin, stdout, stderr
	return c.Run()
}

// quickAndSlow makes a pod of which one container ends at once and the other
// after 4 s.
func quickAndSlow(t *testing.T, set kubernetes.Interface) *corev1.Pod {
	t.Helper()
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
	return p
}

// client reaches the cluster of LAB_E2E_KUBECONFIG.
func client(t *testing.T) *kubernetes.Clientset {
	t.Helper()
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
	return set
}

// TestARealNode needs a kind cluster: LAB_E2E_KUBECONFIG names its kubeconfig,
// LAB_E2E_NODE its only node, LAB_E2E_IMAGE an image with sh that the node has.
func TestARealNode(t *testing.T) {
	s, node, in := newSink(), os.Getenv("LAB_E2E_NODE"), &dockerExec{}
	c := New(in, s, Options{Nodes: []string{node}, Namespaces: []string{"default"}})
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{collector: c, stop: cancel, done: make(chan error, 1)}
	go func() { r.done <- c.Run(ctx) }()
	r.ready(t)
	p := quickAndSlow(t, client(t))
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
		if rec.Object.UID == string(p.UID) && slices.ContainsFunc(in.ran, func(cmd string) bool { return strings.Contains(cmd, rec.Task.ID) }) {
			t.Errorf("the node was asked about container %s, of which the stream tells", rec.Container)
		}
		if of(collectors.TypeTaskExit, "quick")(rec) && (rec.Task.ExitCode != 3 || time.Since(rec.Time) > time.Minute) {
			t.Errorf("record %+v of %+v", rec, rec.Task)
		}
	}
}
