package objects_test

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/step/failure"
	"github.com/kind-lab/lab/labs/step/internal/fakes"
	"github.com/kind-lab/lab/labs/step/objects"
)

func TestObjectsAreFoundAsPeopleWriteThem(t *testing.T) {
	client, _ := fakes.Objects()
	tests := []struct{ text, kind, namespace, wantErr string }{
		{"pod/web", "Pod", "ns", ""},
		{"pods/web", "Pod", "ns", ""},
		{"po/web", "Pod", "ns", ""},
		{"Pod/web", "Pod", "ns", ""},
		{"cm/web", "ConfigMap", "ns", ""},
		{"node/web", "Node", "", ""},
		{"deploy/web", "Deployment", "ns", ""},
		{"deployment/web", "Deployment", "ns", ""},
		{"deployments.apps/web", "Deployment", "ns", ""},
		{"deployment.v1.apps/web", "Deployment", "ns", ""},
		{"Deployment.apps/web", "Deployment", "ns", ""},
		{"deployments.batch/web", "", "", `no matches for`},
		{"thing/web", "", "", `no matches for`},
		{"web", "", "", "KIND/NAME"},
		{"pod/", "", "", "KIND/NAME"},
		{"/web", "", "", "KIND/NAME"},
		{"pod/a/b", "", "", "KIND/NAME"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			o, err := client.Named(tt.text, "ns")
			if tt.wantErr != "" {
				fakes.WantError(t, err, tt.wantErr)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if o.Kind.Kind != tt.kind || o.Namespace != tt.namespace || o.Name != "web" {
				t.Errorf("found %s %q in %q, want %s \"web\" in %q", o.Kind.Kind, o.Name, o.Namespace, tt.kind, tt.namespace)
			}
		})
	}
}

func TestAKindThatIsNotThereIsARefusal(t *testing.T) {
	client, _ := fakes.Objects()
	_, err := client.Named("thing/web", "ns")
	var refused *failure.Rejection
	if !errors.As(err, &refused) || refused.Code != 404 || !objects.NotFound(err) {
		t.Errorf("error = %#v, want a refusal with 404", err)
	}
	manifest := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "a"}}}
	if _, err := client.Of(manifest, "ns"); !errors.As(err, &refused) {
		t.Errorf("error = %v, want a refusal", err)
	}
}

func TestManifestsKeepTheirNamespace(t *testing.T) {
	client, _ := fakes.Objects(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "own", UID: "u1"}})
	manifest := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": "web", "namespace": "own"}}}
	o, err := client.Of(manifest, "other")
	if err != nil {
		t.Fatal(err)
	}
	there, err := o.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := o.Reference(there), (collectors.Object{Kind: "Pod", Namespace: "own", Name: "web", UID: "u1"}); got != want {
		t.Errorf("reference = %v, want %v", got, want)
	}
	o.Name = "other"
	if _, err := o.Get(t.Context()); !objects.NotFound(err) {
		t.Errorf("error = %v, want that it is not there", err)
	}
}

func TestWhatIsARefusal(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	answer := func(code int32, message string) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Message: message}}
	}
	webhook := `admission webhook "w.example.com" denied the request: no`
	tests := []struct {
		name    string
		err     error
		refused bool
	}{
		{"forbidden", apierrors.NewForbidden(pods, "web", errors.New("violates PodSecurity")), true},
		{"forbidden to whom asks", apierrors.NewForbidden(pods, "web", errors.New(`User "me" cannot create resource "pods" in API group "" in the namespace "ns"`)), false},
		{"bad request", apierrors.NewBadRequest("no"), true},
		{"invalid", apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "web", nil), true},
		{"not found", apierrors.NewNotFound(pods, "web"), true},
		{"not served", apierrors.NewGenericServerResponse(404, "POST", pods, "", "404 page not found", 0, true), true},
		{"a method that is not there", apierrors.NewMethodNotSupported(pods, "patch"), true},
		{"too large", apierrors.NewRequestEntityTooLargeError("no"), true},
		{"an unknown type of patch", answer(415, "the body of the request was in an unknown format"), true},
		{"denied by a webhook", answer(403, webhook), true},
		{"denied by a webhook with 409", answer(409, webhook), true},
		{"denied by a webhook with 500", answer(500, webhook), true},
		{"denied by a policy with 401", answer(401, `pods "web" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`), true},
		{"no such field of an applied patch", answer(500, "failed to create typed patch object (ns/web; /v1, Kind=Pod): .spec.x: field not declared in schema"), true},
		{"a webhook that does not answer", apierrors.NewInternalError(errors.New(`failed calling webhook "w.example.com": connection refused`)), false},
		{"unauthorized", apierrors.NewUnauthorized("who are you"), false},
		{"conflict", apierrors.NewConflict(pods, "web", errors.New("changed")), false},
		{"exists already", apierrors.NewAlreadyExists(pods, "web"), false},
		{"request timeout", answer(408, "late"), false},
		{"gone", apierrors.NewResourceExpired("too old"), false},
		{"too many requests", apierrors.NewTooManyRequestsError("later"), false},
		{"broken", apierrors.NewInternalError(errors.New("etcd")), false},
		{"unavailable", apierrors.NewServiceUnavailable("later"), false},
		{"gateway timeout", apierrors.NewTimeoutError("late", 1), false},
		{"away", errors.New("connection refused"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := objects.Rejection(collectors.Object{Kind: "Pod", Name: "web"}, "patching", tt.err)
			var refused failure.Failure
			if errors.As(err, &refused) != tt.refused {
				t.Errorf("refusal = %t, want %t: %v", !tt.refused, tt.refused, err)
			}
			if !errors.Is(err, tt.err) && !tt.refused {
				t.Errorf("%v does not hold what the server said", err)
			}
		})
	}
}

func TestAConfinedClientKeepsToItsNamespace(t *testing.T) {
	client, _ := fakes.Objects()
	client.Confine(&clusters.CapabilityError{Cluster: "stage", Missing: clusters.WriteClusterWide})
	if _, err := client.Named("pod/web", "ns"); err != nil {
		t.Error(err)
	}
	_, err := client.Named("node/n1", "ns")
	fakes.WantError(t, err, `Node "n1" belongs to no namespace: cluster stage cannot change objects outside of the scenario's namespace`)
	manifest := func(kind, namespace string) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": "a"}}}
		o.SetNamespace(namespace)
		return o
	}
	for _, tt := range []struct{ kind, namespace, wantErr string }{
		{"ConfigMap", "", ""}, {"ConfigMap", "ns", ""},
		{"ConfigMap", "kube-system", `is in namespace "kube-system"`}, {"Node", "", "belongs to no namespace"},
	} {
		_, err := client.Of(manifest(tt.kind, tt.namespace), "ns")
		if tt.wantErr == "" && err != nil {
			t.Errorf("%s in %q: %v", tt.kind, tt.namespace, err)
		}
		if tt.wantErr != "" {
			fakes.WantError(t, err, tt.wantErr)
			if r := (failure.Failure)(nil); errors.As(err, &r) {
				t.Errorf("%v is a refusal, which expect_error would take for the API server's", err)
			}
		}
	}
}
