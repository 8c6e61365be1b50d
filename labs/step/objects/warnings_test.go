package objects_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/kind-lab/lab/labs/step/internal/fakes"
	"github.com/kind-lab/lab/labs/step/objects"
)

// apiServer serves pods, with the warnings that a function returns.
func apiServer(t *testing.T, warnings func(*http.Request) []string) *objects.Client {
	t.Helper()
	write := func(w http.ResponseWriter, what any) {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(what); err != nil {
			t.Error(err)
		}
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, text := range warnings(r) {
			w.Header().Add("Warning", text)
		}
		switch r.URL.Path {
		case "/api":
			write(w, metav1.APIVersions{Versions: []string{"v1"}})
		case "/apis":
			write(w, metav1.APIGroupList{})
		case "/api/v1":
			write(w, metav1.APIResourceList{GroupVersion: "v1", APIResources: []metav1.APIResource{{Name: "pods", SingularName: "pod", Namespaced: true, Kind: "Pod"}}})
		default:
			write(w, map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "web", "uid": "u1"}})
		}
	}))
	t.Cleanup(s.Close)
	client, err := objects.New(&rest.Config{Host: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// TestWarningsAreThoseOfTheirRequests holds that each context has the warnings of
// its own requests, each once, and that those of nobody are dropped.
func TestWarningsAreThoseOfTheirRequests(t *testing.T) {
	client := apiServer(t, func(r *http.Request) []string {
		switch r.URL.Path {
		case "/api/v1/namespaces/one/pods/web":
			return []string{`299 - "unknown field \"spec.x\""`, `299 - "deprecated"`, `299 - "deprecated"`, `199 - "of a proxy"`}
		case "/api/v1/namespaces/two/pods/web":
			return []string{`299 - "deprecated"`}
		}
		return nil
	})
	get := func(namespace string) []string {
		ctx, warned := objects.Warned(t.Context())
		o, err := client.Named("pod/web", namespace)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := o.Get(ctx); err != nil {
				t.Fatal(err)
			}
		}
		return warned.List()
	}
	for namespace, want := range map[string][]string{"one": {`unknown field "spec.x"`, "deprecated"}, "two": {"deprecated"}, "three": nil} {
		if got := get(namespace); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", namespace, got, want)
		}
	}
	o, err := client.Named("pod/web", "one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Get(t.Context()); err != nil {
		t.Error("without anybody who listens:", err)
	}
}

func TestWarningsOfSeveralAtOnce(t *testing.T) {
	ctx, warned := objects.Warned(t.Context())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, text := range []string{"a", "", "b", "a"} {
				objects.Warn(ctx, text)
			}
		})
	}
	wg.Wait()
	got := warned.List()
	slices.Sort(got)
	if !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %q", got)
	}
	got[0] = "changed"
	if slices.Contains(warned.List(), "changed") {
		t.Error("the list is the one that is kept")
	}
	objects.Warn(t.Context(), "of nobody") // does nothing
}

// TestAnObjectIsWatchedAlone holds that neither the list nor the watch asks for
// others of its kind.
func TestAnObjectIsWatchedAlone(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	client := apiServer(t, func(r *http.Request) []string {
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/api/v1/namespaces/ns/pods" {
			asked = append(asked, r.URL.Query().Get("fieldSelector")+" "+r.URL.Query().Get("watch"))
		}
		return nil
	})
	o, err := client.Named("pod/web", "ns")
	if err != nil {
		t.Fatal(err)
	}
	source := o.Watching()
	if _, err := source.List(metav1.ListOptions{FieldSelector: "metadata.name=other"}); err != nil {
		t.Error(err)
	}
	w, err := source.Watch(metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.Stop()
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(asked, []string{"metadata.name=web ", "metadata.name=web true"}) {
		t.Errorf("asked for %q", asked)
	}
	var _ watch.Interface = w
}

func TestWhatIsAChange(t *testing.T) {
	object := func(generation int64, version string) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{}}
		o.SetGeneration(generation)
		o.SetResourceVersion(version)
		return o
	}
	for name, tt := range map[string]struct {
		before, after *unstructured.Unstructured
		want          bool
	}{
		"a status alone":          {object(3, "7"), object(3, "8"), false},
		"a specification":         {object(3, "7"), object(4, "8"), true},
		"of one that has none":    {object(0, "7"), object(0, "8"), true},
		"nothing of such a one":   {object(0, "7"), object(0, "7"), false},
		"it had none, and has it": {object(0, "7"), object(1, "7"), false},
	} {
		if got := objects.Changed(tt.before, tt.after); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestReferencesOfObjects(t *testing.T) {
	client, _ := fakes.Objects()
	o, err := client.Named("deploy/web", "ns")
	if err != nil {
		t.Fatal(err)
	}
	if got := o.Reference(nil); got.Kind != "Deployment" || got.Namespace != "ns" || got.Name != "web" || got.UID != "" {
		t.Errorf("of one that is not there: %+v", got)
	}
	there := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"uid": "u7"}}}
	if got := o.Reference(there); got.UID != "u7" {
		t.Errorf("of one that is there: %+v", got)
	}
}
