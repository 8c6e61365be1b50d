package apply

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kind-lab/lab/labs/step/failure"
	"github.com/kind-lab/lab/labs/step/objects"
)

// again is how long to wait before the API server is asked once more whether it
// serves a kind.
const again = 100 * time.Millisecond

// definitions are the CustomResourceDefinitions that a step has applied, by the
// kinds that they define. The API server serves a kind a moment after its definition
// is there.
type definitions map[schema.GroupKind]*objects.Object

// add notes the kind that a manifest defines, if it is a definition.
func (d definitions) add(manifest *unstructured.Unstructured, at *objects.Object) {
	kind := manifest.GroupVersionKind()
	if kind.Group != "apiextensions.k8s.io" || kind.Kind != "CustomResourceDefinition" {
		return
	}
	group, _, _ := unstructured.NestedString(manifest.Object, "spec", "group") // empty if it is invalid
	defines, _, _ := unstructured.NestedString(manifest.Object, "spec", "names", "kind")
	d[schema.GroupKind{Group: group, Kind: defines}] = at
}

// await waits until the kind of a manifest is served, if the step has applied its
// definition. It is a failure if another definition has its names.
func (a *Applier) await(ctx context.Context, manifest *unstructured.Unstructured, d definitions) error {
	kind := manifest.GroupVersionKind().GroupKind()
	definition := d[kind]
	if definition == nil {
		return nil
	}
	why := "nothing is known of it"
	err := wait.PollUntilContextCancel(ctx, again, true, func(ctx context.Context) (bool, error) {
		there, err := definition.Get(ctx)
		if err != nil {
			return false, err
		}
		if condition(there, "Established").is("True") {
			why = "it is Established, and there is no answer for it"
			return a.served(ctx, manifest), nil
		}
		names := condition(there, "NamesAccepted")
		if names.is("False") {
			return false, failure.New("the API server does not serve %s: %s", kind, names.message)
		}
		why = "it is not Established"
		return false, nil
	})
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("waiting until the API server serves %s: %w: %s", kind, ctx.Err(), why)
	}
	if err == nil {
		delete(d, kind) // it is served from now on
	}
	return err
}

// served says whether the API server answers for the kind of a manifest: discovery
// and the handlers learn of a definition one after the other.
func (a *Applier) served(ctx context.Context, manifest *unstructured.Unstructured) bool {
	object, err := a.objects.Of(manifest, metav1.NamespaceDefault)
	if err != nil {
		return !objects.NotFound(err)
	}
	_, err = object.List(ctx, metav1.ListOptions{Limit: 1})
	return !apierrors.IsNotFound(err)
}

// state is a condition of an object.
type state struct{ status, message string }

func (s state) is(status string) bool { return s.status == status }

// condition returns a condition of an object; empty if it has none of that type.
func condition(object *unstructured.Unstructured, kind string) state {
	all, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions") // none if it is not a list
	for _, one := range all {
		if c, ok := one.(map[string]any); ok && c["type"] == kind {
			status, _ := c["status"].(string)
			message, _ := c["message"].(string)
			return state{status, message}
		}
	}
	return state{}
}
