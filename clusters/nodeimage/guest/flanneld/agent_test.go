package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
)

// testNetwork is a network that does nothing but what flannel does to others:
// it marks the node's object.
type testNetwork struct {
	client   kubernetes.Interface
	node     string
	conflist string
	fails    int // how often join fails first
	broken   bool

	mu   sync.Mutex
	done []string // in order
}

func (n *testNetwork) note(what string) {
	if _, err := os.Stat(n.conflist); err == nil {
		what += " after the CNI configuration"
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.done = append(n.done, what)
}

func (n *testNetwork) log() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.done)
}

func (n *testNetwork) masquerade(_ context.Context, cidrs []string) error {
	n.note("masquerade " + strings.Join(cidrs, ","))
	return nil
}

func (n *testNetwork) join(ctx context.Context) (func(context.Context), error) {
	if n.broken {
		return nil, errBroken
	}
	if n.fails > 0 {
		n.fails--
		return nil, errors.New("pod cidr not assigned")
	}
	node, err := n.client.CoreV1().Nodes().Get(ctx, n.node, metav1.GetOptions{})
	if err == nil {
		node.Annotations = map[string]string{annotationPrefix + "/kube-subnet-manager": "true"}
		_, err = n.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	}
	n.note("join")
	return func(ctx context.Context) {
		<-ctx.Done()
		n.note("left")
	}, err
}

// world is a node with its API server, and the agent that runs on it.
type world struct {
	t       *testing.T
	client  *fake.Clientset
	network *testNetwork
	ended   chan error
	stop    context.CancelFunc
}

func newNode(name string, cidrs ...string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	n.Spec.PodCIDRs = cidrs
	return n
}

// begin starts an agent on a node called "own".
func begin(t *testing.T, fails int, nodes ...*corev1.Node) *world {
	t.Helper()
	client := fake.NewClientset()
	for _, n := range nodes {
		if err := client.Tracker().Add(n); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	w := &world{t: t, client: client, ended: make(chan error, 1), stop: stop}
	w.network = &testNetwork{client: client, node: "own", conflist: filepath.Join(t.TempDir(), "10-flannel.conflist"), fails: fails}
	refused := 3
	a := &agent{
		node: "own", conflist: w.network.conflist, again: time.Millisecond, say: func(text string) { t.Log(text) },
		connect: func() (kubernetes.Interface, error) {
			if refused--; refused > 0 {
				return nil, errors.New("waiting for kubeadm")
			}
			return client, nil
		},
		network: func(_ context.Context, s settings) (network, error) {
			w.network.note("start " + s.v4)
			return w.network, nil
		},
	}
	go func() { w.ended <- a.run(ctx) }()
	t.Cleanup(func() {
		stop()
		<-w.ended
	})
	return w
}

// apply makes the ConfigMap that kind's default CNI manifest has.
func (w *world) apply() {
	w.t.Helper()
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "flannel", Namespace: "kube-system"}, Data: map[string]string{"podSubnet": "10.244.0.0/16"}}
	if _, err := w.client.CoreV1().ConfigMaps("kube-system").Create(w.t.Context(), config, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) update(n *corev1.Node) {
	w.t.Helper()
	if _, err := w.client.CoreV1().Nodes().Update(w.t.Context(), n, metav1.UpdateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

// expect waits until the network was used so.
func (w *world) expect(want ...string) {
	w.t.Helper()
	for range 1000 {
		if slices.Equal(w.network.log(), want) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	w.t.Fatalf("flannel did %q, want %q", w.network.log(), want)
}

func (w *world) hasConflist() bool {
	data, err := os.ReadFile(w.network.conflist)
	return err == nil && strings.Contains(string(data), "10.244.0.0/24")
}

// The pod CIDR comes whenever it comes, and the first node has not to wait for
// what flannel tells others.
func TestFirstNode(t *testing.T) {
	w := begin(t, 2, newNode("own"))
	time.Sleep(30 * time.Millisecond)
	w.expect()
	w.apply()
	w.expect("start 10.244.0.0/16")
	time.Sleep(30 * time.Millisecond)
	w.expect("start 10.244.0.0/16")
	w.update(newNode("own", "10.244.0.0/24"))
	w.expect("start 10.244.0.0/16", "masquerade 10.244.0.0/24", "join after the CNI configuration")
	if !w.hasConflist() {
		t.Error("the CNI configuration has not the node's pod CIDR")
	}
	w.stop()
	w.expect("start 10.244.0.0/16", "masquerade 10.244.0.0/24", "join after the CNI configuration", "left after the CNI configuration")
}

// A node that joins starts pods once the others can know of it.
func TestNodeThatJoins(t *testing.T) {
	w := begin(t, 2, newNode("first", "10.244.1.0/24"), newNode("own", "10.244.0.0/24"))
	w.apply()
	w.expect("start 10.244.0.0/16", "masquerade 10.244.0.0/24", "join")
	for range 1000 {
		if w.hasConflist() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error("there is no CNI configuration")
}

// What flannel cannot mend is left to the service manager.
func TestFlannelIsBroken(t *testing.T) {
	w := begin(t, 0, newNode("own", "10.244.0.0/24"))
	w.network.broken = true
	w.apply()
	select {
	case err := <-w.ended:
		if !errors.Is(err, errBroken) {
			t.Errorf("run: %v", err)
		}
		w.ended <- err
	case <-time.After(5 * time.Second):
		t.Error("it goes on")
	}
}

// Without kind's default CNI manifest nothing is done, whatever the node has.
func TestAnotherNetwork(t *testing.T) {
	w := begin(t, 0, newNode("own", "10.244.0.0/24"))
	time.Sleep(50 * time.Millisecond)
	w.expect()
	if _, err := os.Stat(w.network.conflist); err == nil {
		t.Error("there is a CNI configuration")
	}
}

// Flannel does not see that its node became another one.
func TestNodeIsRegisteredAnew(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*corev1.Node)
		begins bool
	}{
		{"a label", func(n *corev1.Node) { n.Labels = map[string]string{"a": "b"} }, false},
		{"flannel's mark is gone", func(n *corev1.Node) { n.Annotations = nil }, true},
		{"another pod CIDR", func(n *corev1.Node) { n.Spec.PodCIDRs = []string{"10.244.7.0/24"} }, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := begin(t, 0, newNode("own", "10.244.0.0/24"))
			w.apply()
			done := []string{"start 10.244.0.0/16", "masquerade 10.244.0.0/24", "join after the CNI configuration"}
			w.expect(done...)
			time.Sleep(20 * time.Millisecond) // until the mark was seen
			n, err := w.client.CoreV1().Nodes().Get(t.Context(), "own", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			tc.change(n)
			w.update(n)
			if !tc.begins {
				time.Sleep(30 * time.Millisecond)
				w.expect(done...)
				return
			}
			select {
			case err := <-w.ended:
				if !errors.Is(err, errChanged) {
					t.Errorf("run: %v", err)
				}
				w.ended <- err
			case <-time.After(5 * time.Second):
				t.Fatal("it goes on")
			}
			w.expect(append(done, "left after the CNI configuration")...)
		})
	}
}
