package kind

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kind-lab/lab/clusters"
)

// manifest is the one of the node images that are built here.
func manifest(t *testing.T) []unstructured.Unstructured {
	t.Helper()
	text, err := os.ReadFile("../nodeimage/guest/files/kind/manifests/default-cni.yaml")
	if err != nil {
		t.Fatal(err)
	}
	objects, err := networkObjects(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func titles(objects []unstructured.Unstructured) []string {
	var list []string
	for _, o := range objects {
		list = append(list, o.GetKind()+" "+o.GetNamespace()+"/"+o.GetName())
	}
	return list
}

func TestNetworkObjects(t *testing.T) {
	objects := manifest(t)
	want := []string{"ConfigMap kube-system/flannel", "Role kube-system/flannel", "RoleBinding kube-system/flannel", "ClusterRole /flannel", "ClusterRoleBinding /flannel"}
	if diff := cmp.Diff(want, titles(objects)); diff != "" {
		t.Fatal(diff)
	}
	if got, _, _ := unstructured.NestedString(objects[0].Object, "data", "podSubnet"); got != podSubnet {
		t.Errorf("the pod network is %q, want %q", got, podSubnet)
	}
}

func TestNetworkObjectsRefuses(t *testing.T) {
	for text, want := range map[string]string{"{{ .Nope": "template", "{{ .Nope }}": "Nope", "a: [": "did not find"} {
		if _, err := networkObjects(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestTheNetworkIsMadeOnceTheAPIServerTakesIt has an API server that first does
// not let the administrator do anything, and has one of the objects already.
func TestTheNetworkIsMadeOnceTheAPIServerTakesIt(t *testing.T) {
	objects := manifest(t)
	client := dynamicfake.NewSimpleDynamicClient(runtime.NewScheme())
	roles := schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"}
	if _, err := client.Resource(roles).Namespace("kube-system").Create(t.Context(), &objects[1], metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	asked := 0
	client.PrependReactor("create", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if asked++; asked < 3 {
			return true, nil, apierrors.NewForbidden(a.GetResource().GroupResource(), "flannel", errors.New("no role yet"))
		}
		return false, nil, nil
	})
	if err := createAll(t.Context(), client, objects); err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		plural, _ := meta.UnsafeGuessKindToResource(o.GroupVersionKind())
		if _, err := client.Resource(plural).Namespace(o.GetNamespace()).Get(t.Context(), o.GetName(), metav1.GetOptions{}); err != nil {
			t.Error(err)
		}
	}
}

func TestANetworkThatIsNeverTakenNamesTheObject(t *testing.T) {
	client := dynamicfake.NewSimpleDynamicClient(runtime.NewScheme())
	client.PrependReactor("create", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("no")
	})
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Millisecond)
	defer cancel()
	err := createAll(ctx, client, manifest(t))
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "configmap flannel: no") {
		t.Error(err)
	}
}

func TestWhoseNetworkIsMadeHere(t *testing.T) {
	own := clusters.Spec{Version: "1.29.15", KubeadmPatches: []string{"networking: {podSubnet: 10.1.0.0/16}"}}
	for _, tt := range []struct {
		spec clusters.Spec
		node image
		want bool
	}{
		{clusters.Spec{Version: "1.29.15"}, image{flannel: true}, true},
		{clusters.Spec{Version: "1.29.15"}, image{}, false},
		{own, image{flannel: true}, false},
	} {
		if got := bringsNetwork(tt.spec, tt.node); got != tt.want {
			t.Errorf("%+v of %+v: %t", tt.spec, tt.node, got)
		}
	}
}
