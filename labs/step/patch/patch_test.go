package patch

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/internal/fakes"
)

func configMap() *corev1.ConfigMap {
	return &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "ns", UID: "uid-1", ResourceVersion: "1"}, Data: map[string]string{"k": "v", "l": "w"}}
}

func TestPatch(t *testing.T) {
	tests := []struct {
		name string
		in   Request
		want map[string]any
	}{
		{"merge", Request{Type: Merge, Patch: `{"data": {"k": "new", "l": null}}`}, map[string]any{"k": "new"}},
		{"merge in YAML", Request{Type: Merge, Patch: "data:\n  k: new\n"}, map[string]any{"k": "new", "l": "w"}},
		{"json", Request{Type: JSON, Patch: `[{op: replace, path: /data/k, value: new}]`}, map[string]any{"k": "new", "l": "w"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			objects, client := fakes.Objects(configMap())
			tt.in.Object, tt.in.Namespace = "cm/a", "ns"
			out, err := New(objects).Do(t.Context(), tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if len(out.Objects) != 1 || out.Objects[0].UID != "uid-1" {
				t.Errorf("objects = %v", out.Objects)
			}
			now, err := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace("ns").Get(t.Context(), "a", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, now.Object["data"]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// answering makes the API server take every patch, note it and answer with a
// resource version.
func answering(t *testing.T, version string) (func(Request) (step.Result, error), *clienttesting.PatchActionImpl) {
	t.Helper()
	objects, client := fakes.Objects(configMap())
	var seen clienttesting.PatchActionImpl
	client.PrependReactor("patch", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		seen = a.(clienttesting.PatchActionImpl)
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
		o.SetResourceVersion(version)
		return true, o, nil
	})
	return func(in Request) (step.Result, error) {
		in.Object, in.Namespace = "cm/a", "ns"
		return New(objects).Do(t.Context(), in)
	}, &seen
}

func TestWhatIsSent(t *testing.T) {
	do, seen := answering(t, "2")
	out, err := do(Request{Type: Apply, Patch: "data: {k: new}", FieldValidation: "Warn", Subresource: "status"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"patched"}, out.Actions); diff != "" {
		t.Error(diff)
	}
	var body map[string]any
	if err := json.Unmarshal(seen.Patch, &body); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}, "data": map[string]any{"k": "new"}}
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("an apply does not say what object it is: %s", diff)
	}
	if seen.Subresource != "status" || seen.PatchOptions.FieldValidation != "Warn" || !*seen.PatchOptions.Force {
		t.Errorf("sent to %q with %v", seen.Subresource, seen.PatchOptions)
	}
	do, seen = answering(t, "1")
	out, err = do(Request{Type: Strategic, Patch: "{}"})
	if err != nil || len(out.Actions) != 1 || out.Actions[0] != "unchanged" || seen.PatchOptions.Force != nil {
		t.Errorf("actions = %v, %v, options %v", out.Actions, err, seen.PatchOptions)
	}
}

func TestWhatIsNoPatch(t *testing.T) {
	tests := []struct{ name, kind, patch, want string }{
		{"a list", Merge, "[]", `of type "json" and not "merge"`},
		{"an object", JSON, "{}", "is a list of operations"},
		{"a text", Strategic, "abc", "neither an object nor a list"},
		{"nothing", Strategic, "", "neither an object nor a list"},
		{"not YAML", Strategic, "\t{", "reading the patch"},
		{"a key twice", Merge, "a: 1\na: 2", "reading the patch"},
		{"no type", "other", "{}", "is no type of patch"},
		{"metadata", Apply, "metadata: 3", "metadata is no object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			objects, client := fakes.Objects(configMap())
			_, err := New(objects).Do(t.Context(), Request{Namespace: "ns", Object: "cm/a", Type: tt.kind, Patch: tt.patch})
			fakes.WantError(t, err, tt.want)
			if len(client.Actions()) > 0 {
				t.Errorf("the API server was asked: %v", client.Actions())
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	objects, client := fakes.Objects(configMap())
	patcher := New(objects)
	_, err := patcher.Do(t.Context(), Request{Namespace: "ns", Object: "cm/b", Type: Merge, Patch: "{}"})
	fakes.WantFailure(t, err, `configmaps "b" not found`)
	client.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewBadRequest(`strict decoding error: unknown field "dat"`)
	})
	_, err = patcher.Do(t.Context(), Request{Namespace: "ns", Object: "cm/a", Type: Merge, Patch: "dat: 1"})
	fakes.WantFailure(t, err, `unknown field "dat"`)
}

func TestNeedsOfAPatch(t *testing.T) {
	tests := []struct {
		name, patch string
		want        []string
	}{
		{"template", "spec: {template: {spec: {containers: [{name: a, image: 'busybox:1.36'}]}}}", []string{"busybox:1.36"}},
		{"operations", "[{op: add, path: /spec, value: {initContainers: [{image: a}], containers: [{image: b}, {image: a}]}}]", []string{"a", "b"}},
		{"none", "metadata: {labels: {image: a}}", nil},
		{"a text", "abc", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Needs(Request{Patch: tt.patch})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Images); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzPatch(f *testing.F) {
	f.Add("merge", "data: {k: v}")
	f.Add("json", "[{op: remove, path: /data}]")
	f.Add("apply", "metadata: [1]")
	f.Add("apply", "metadata:\n  ? [a]\n  : b")
	objects, _ := fakes.Objects()
	object, err := objects.Named("cm/a", "ns")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, kind, text string) {
		body, err := encode(Request{Type: kind, Patch: text}, object)
		if err == nil && !json.Valid(body) {
			t.Errorf("%s of %q is not JSON: %s", kind, text, body)
		}
	})
}
