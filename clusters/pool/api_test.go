package pool

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// answers is an API server that answers GETs by their paths, and notes the rest.
type answers struct {
	byPath map[string]string

	mu  sync.Mutex
	did []string
}

func (a *answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if text, ok := a.byPath[r.URL.Path]; ok && r.Method == http.MethodGet {
		_, _ = io.WriteString(w, text)
		return
	}
	if r.Method == http.MethodGet {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.did = append(a.did, r.Method+" "+r.URL.Path)
	_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Success"}`)
}

// connected is the API of a server with some answers.
func connected(t *testing.T, byPath map[string]string) (API, *answers) {
	t.Helper()
	a := &answers{byPath: byPath}
	s := httptest.NewServer(a)
	t.Cleanup(s.Close)
	kubeconfig := filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: %q}}]\ncontexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {}}]\n", s.URL)
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	api, err := connect(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	return api, a
}

func TestUnreadyNodes(t *testing.T) {
	api, _ := connected(t, map[string]string{"/readyz": "ok", "/api/v1/nodes": `{"kind":"NodeList","apiVersion":"v1","items":[
		{"metadata":{"name":"good"},"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"DiskPressure","status":"False"}]}},
		{"metadata":{"name":"lost"},"status":{"conditions":[{"type":"Ready","status":"Unknown","message":"no status"}]}},
		{"metadata":{"name":"tainted"},"spec":{"taints":[{"key":"node.kubernetes.io/unreachable"},{"key":"mine"}]},"status":{"conditions":[{"type":"Ready","status":"True"}]}},
		{"metadata":{"name":"both"},"spec":{"taints":[{"key":"node.kubernetes.io/not-ready"}]},"status":{"conditions":[{"type":"Ready","status":"False","message":"no network"}]}}]}`})
	if err := api.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	got, err := api.Unready(t.Context())
	want := map[string]string{"lost": "no status", "tainted": "it has the taint node.kubernetes.io/unreachable", "both": "no network"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
}

func TestRenewedLeavesOutLeasesWithoutATime(t *testing.T) {
	api, _ := connected(t, map[string]string{"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases": `{"kind":"LeaseList","apiVersion":"coordination.k8s.io/v1","items":[
		{"metadata":{"name":"a"},"spec":{"renewTime":"2026-01-02T03:04:05.000006Z"}},{"metadata":{"name":"b"},"spec":{}}]}`})
	got, err := api.Renewed(t.Context())
	if want := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC); err != nil || len(got) != 1 || !got["a"].Equal(want) {
		t.Errorf("Renewed = %v, %v", got, err)
	}
}

func TestAServerThatIsNotReady(t *testing.T) {
	api, _ := connected(t, nil)
	if err := api.Ready(t.Context()); err == nil {
		t.Error("a server without /readyz is ready")
	}
	if got, err := api.Unready(t.Context()); err == nil {
		t.Errorf("its nodes are %v", got)
	}
}

func TestDeletingANamespaceEmptiesIt(t *testing.T) {
	api, a := connected(t, map[string]string{
		"/api":  `{"kind":"APIVersions","versions":["v1"]}`,
		"/apis": `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`,
		"/api/v1": `{"kind":"APIResourceList","groupVersion":"v1","resources":[
			{"name":"pods","namespaced":true,"kind":"Pod","verbs":["deletecollection"]},
			{"name":"pods/log","namespaced":true,"kind":"Pod","verbs":["deletecollection"]},
			{"name":"bindings","namespaced":true,"kind":"Binding","verbs":["create"]},
			{"name":"nodes","namespaced":false,"kind":"Node","verbs":["deletecollection"]}]}`,
	})
	if err := api.Delete(t.Context(), Object{Version: "v1", Resource: "namespaces", Name: "one"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"DELETE /api/v1/namespaces/one", "DELETE /api/v1/namespaces/one/pods"}, a.did); diff != "" {
		t.Error(diff)
	}
}

func TestStuckSaysWhy(t *testing.T) {
	object := func(rest string) map[string]string {
		return map[string]string{"/api/v1/namespaces/one": `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"one"` + rest + `}`}
	}
	for _, tc := range []struct {
		name    string
		answers map[string]string
		want    string
	}{
		{name: "finalizers", answers: object(`,"finalizers":["a/b","c"]}`), want: "finalizers a/b, c"},
		{name: "a condition that holds", answers: object(`},"status":{"conditions":[{"status":"False","message":"fine"},{"status":"True"},{"status":"True","message":"held"}]}`), want: "held"},
		{name: "nothing is known", answers: object(`}`)},
		{name: "it went", answers: map[string]string{}},
	} {
		api, _ := connected(t, tc.answers)
		if got := api.Stuck(t.Context(), Object{Version: "v1", Resource: "namespaces", Name: "one"}); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestCalled(t *testing.T) {
	pod := func(change func(*corev1.Pod)) corev1.Pod {
		p := corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Ready: true}},
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}}}
		change(&p)
		return p
	}
	for name, tc := range map[string]struct {
		change func(*corev1.Pod)
		want   bool
	}{
		"not ready though its containers are": {func(*corev1.Pod) {}, true},
		"ready":                               {func(p *corev1.Pod) { p.Status.Conditions[0].Status = corev1.ConditionTrue }, false},
		"a container that is not":             {func(p *corev1.Pod) { p.Status.ContainerStatuses[0].Ready = false }, false},
		"one that goes":                       {func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{} }, false},
		"one that waits for others":           {func(p *corev1.Pod) { p.Spec.ReadinessGates = []corev1.PodReadinessGate{{}} }, false},
		"one that has ended":                  {func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }, false},
		"one of which nothing is said":        {func(p *corev1.Pod) { p.Status.Conditions = nil }, false},
	} {
		if got := called(pod(tc.change)); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestSummed changes objects: the sum changes with what somebody asked for, and
// not with what the cluster notes.
func TestSummed(t *testing.T) {
	sum := func(resource string, fields ...string) string {
		o := unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "a"}}}
		for i := 0; i < len(fields); i += 2 {
			path := []string{"metadata", fields[i]}
			if slices.Contains([]string{"spec", "status"}, fields[i]) {
				path = []string{fields[i]}
			}
			if err := unstructured.SetNestedField(o.Object, fields[i+1], path...); err != nil {
				t.Fatal(err)
			}
		}
		_, got, err := summed(schema.GroupVersionResource{Version: "v1", Resource: resource}, o)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for _, field := range []string{"resourceVersion", "generation", "creationTimestamp", "managedFields", "status"} {
		if sum("nodes", field, "x") != sum("nodes") {
			t.Errorf("%s is in the sum", field)
		}
	}
	for _, field := range []string{"uid", "labels", "spec", "deletionTimestamp"} {
		if sum("nodes", field, "x") == sum("nodes") {
			t.Errorf("%s is not in the sum", field)
		}
	}
	if sum("nodes", "annotations", "x") != sum("nodes") || sum("pods", "annotations", "x") == sum("pods") {
		t.Error("annotations are in the sums of all but nodes")
	}
}
