package node

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kind-lab/lab/labs/step/internal/fakes"
)

// server is an API server that is ready when it is asked for the n-th time.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	n, at int
}

func newServer(t *testing.T, at int) *server {
	s := &server{at: at}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.n++
		if r.URL.Path != "/readyz" || s.n < s.at {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) config() *rest.Config { return &rest.Config{Host: s.URL} }

func (s *server) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

func podOn(node, name string, change func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", UID: types.UID("uid-" + name)}, Spec: corev1.PodSpec{NodeName: node}}
	if change != nil {
		change(p)
	}
	return p
}

// evicting makes the API server evict pods: at once, or never those of the
// names, which a budget protects.
func evicting(client *fake.Clientset, protected ...string) {
	client.Resources = append(client.Resources, &metav1.APIResourceList{GroupVersion: "v1", APIResources: []metav1.APIResource{
		{Name: "pods/eviction", Kind: "Eviction", Group: "policy", Version: "v1"}}})
	client.PrependReactor("create", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		eviction, ok := a.(clienttesting.CreateAction).GetObject().(*policyv1.Eviction)
		if !ok {
			return false, nil, nil
		}
		if slices.Contains(protected, eviction.Name) {
			return true, nil, apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0)
		}
		return true, nil, client.Tracker().Delete(corev1.SchemeGroupVersion.WithResource("pods"), eviction.Namespace, eviction.Name)
	})
}

func onNode(t *testing.T) (*Operator, *fake.Clientset) {
	t.Helper()
	o, client := operator(&machines{})
	controlled := true
	if err := client.Tracker().Add(&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "d", Namespace: "ns"}}); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*corev1.Pod{
		podOn("w1", "bare", nil),
		podOn("w1", "kept", func(p *corev1.Pod) {
			p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
		}),
		podOn("w1", "static", func(p *corev1.Pod) { p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"} }),
		podOn("w1", "daemon", func(p *corev1.Pod) {
			p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "d", Controller: &controlled}}
		}),
	} {
		if err := client.Tracker().Add(p); err != nil {
			t.Fatal(err)
		}
	}
	return o, client
}

func TestDrain(t *testing.T) {
	o, client := onNode(t)
	evicting(client)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	out, err := o.Do(ctx, Request{Node: "w1", Action: Drain})
	if err != nil {
		t.Fatal(err)
	}
	var evicted []string
	for i, ref := range out.Objects {
		if out.Actions[i] == "evicted" {
			evicted = append(evicted, ref.Name)
		}
	}
	slices.Sort(evicted)
	if diff := cmp.Diff([]string{"bare", "kept"}, evicted); diff != "" {
		t.Error(diff)
	}
	if out.Actions[0] != "cordoned" || out.Actions[len(out.Actions)-1] != "drained" {
		t.Errorf("actions = %q", out.Actions)
	}
	left, err := client.CoreV1().Pods("ns").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(left.Items) != 2 {
		t.Errorf("%d pods are left, want those of the DaemonSet and of the kubelet: %v", len(left.Items), err)
	}
}

func TestADisruptionBudgetHoldsUpADrain(t *testing.T) {
	o, client := onNode(t)
	evicting(client, "kept")
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	_, err := o.Do(ctx, Request{Node: "w1", Action: Drain})
	fakes.WantFailure(t, err, "it still has the pods ns/kept: Cannot evict pod as it would violate the pod's disruption budget.")
}
