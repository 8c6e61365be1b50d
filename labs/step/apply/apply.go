// Package apply creates or changes objects in a cluster.
//
// An object that is not there is created by a POST, so that an unknown field
// is refused in the words that kubectl shows; one that is there is changed by
// server-side apply.
package apply

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/objects"
)

// Applier applies objects to one cluster. It may be used by several
// goroutines.
type Applier struct{ objects *objects.Client }

// New returns an Applier for the cluster whose objects are reached by the
// client.
func New(client *objects.Client) *Applier { return &Applier{objects: client} }

// Do applies the manifests in order. Before the first object of a kind that one of
// the manifests defines, it waits until the API server serves that kind. It stops at
// the first failure: a
// *failure.ManifestError before anything is sent, a *failure.Rejection where the
// API server says no, any other error where it could not be asked. What was
// done until then is in the result.
func (a *Applier) Do(ctx context.Context, in Request) (step.Result, error) {
	manifests, err := DecodeAll(in.Manifests)
	if err != nil {
		return step.Result{}, err
	}
	ctx, warnings := objects.Warned(ctx)
	var out step.Result
	defined := definitions{}
	for _, manifest := range manifests {
		action, err := a.one(ctx, manifest, in, defined)
		out.Warnings = warnings.List()
		if err != nil {
			return out, err
		}
		out.Did(reference(manifest), action)
	}
	return out, nil
}

// one applies a manifest. It waits for its kind if the step has defined that.
func (a *Applier) one(ctx context.Context, manifest *unstructured.Unstructured, in Request, defined definitions) (string, error) {
	if err := a.await(ctx, manifest, defined); err != nil {
		return "", err
	}
	object, err := a.objects.Of(manifest, in.Namespace)
	if err != nil {
		return "", err
	}
	defined.add(manifest, object)
	created, err := object.Create(ctx, manifest, metav1.CreateOptions{FieldManager: objects.FieldManager, FieldValidation: in.FieldValidation})
	if err == nil {
		manifest.SetName(created.GetName())
		manifest.SetNamespace(created.GetNamespace())
		manifest.SetUID(created.GetUID())
		return "created", nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return "", objects.Rejection(reference(manifest), "applying", err)
	}
	before, err := object.Get(ctx)
	if err != nil {
		return "", err
	}
	return a.change(ctx, object, before, manifest, in.FieldValidation)
}

// change applies a manifest to an object that is there.
func (a *Applier) change(ctx context.Context, object *objects.Object, before, manifest *unstructured.Unstructured, validation string) (string, error) {
	body, err := json.Marshal(manifest)
	if err != nil {
		return "", fmt.Errorf("encoding: %w", err)
	}
	force := true
	after, err := object.Patch(ctx, manifest.GetName(), types.ApplyPatchType, body,
		metav1.PatchOptions{FieldManager: objects.FieldManager, FieldValidation: validation, Force: &force})
	if err != nil {
		return "", objects.Rejection(reference(manifest), "applying", err)
	}
	manifest.SetNamespace(after.GetNamespace())
	manifest.SetUID(after.GetUID())
	if objects.Changed(before, after) {
		return "configured", nil
	}
	return "unchanged", nil
}

func reference(o *unstructured.Unstructured) collectors.Object {
	return collectors.Object{Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName(), UID: string(o.GetUID())}
}
