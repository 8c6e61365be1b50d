// Package remove deletes objects of a cluster and waits until they are gone.
package remove

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/apply"
	"github.com/kind-lab/lab/labs/step/objects"
)

// Remover deletes objects of one cluster. It may be used by several
// goroutines.
type Remover struct{ objects *objects.Client }

// New returns a Remover whose objects are reached by the client.
func New(client *objects.Client) *Remover { return &Remover{objects: client} }

// The actions in a result.
const (
	// Deleted is an object that is gone.
	Deleted = "deleted"
	// Deleting is one whose deletion was asked for and not waited for.
	Deleting = "is being deleted"
	// Absent is one that was not there.
	Absent = "was not there"
)

// target is an object to delete.
type target struct {
	*objects.Object
	ref collectors.Object
	uid types.UID
}

// Do deletes the objects in order and then, where that is asked for, waits for
// each. A refusal of the API server is a *failure.Rejection and ends it; an
// object that is still there when the context's deadline is over is a
// *failure.FailedError that says what it waits for; a manifest that cannot be read
// is a *failure.ManifestError, before anything is deleted.
func (r *Remover) Do(ctx context.Context, in Request) (step.Result, error) {
	began := time.Now()
	all, err := r.targets(in)
	if err != nil {
		return step.Result{}, err
	}
	ctx, warnings := objects.Warned(ctx)
	var out step.Result
	var asked []target
	for _, object := range all {
		t, err := ask(ctx, object, in)
		out.Warnings = warnings.List()
		switch {
		case err != nil && in.IgnoreNotFound && objects.NotFound(err):
			out.Did(object.Reference(nil), Absent)
		case err != nil:
			return out, err
		case in.Wait:
			asked = append(asked, t)
		default:
			out.Did(t.ref, Deleting)
		}
	}
	for _, t := range asked {
		if err := t.gone(ctx, began); err != nil {
			return out, err
		}
		out.Did(t.ref, Deleted)
	}
	return out, nil
}

// targets finds the places of all objects before any is deleted.
func (r *Remover) targets(in Request) ([]*objects.Object, error) {
	var all []*objects.Object
	for _, text := range in.Objects {
		o, err := r.objects.Named(text, in.Namespace)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	manifests, err := apply.DecodeAll(in.Manifests)
	if err != nil {
		return nil, err
	}
	for _, m := range manifests {
		o, err := r.objects.Of(m, in.Namespace)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

// ask asks for an object's deletion.
func ask(ctx context.Context, object *objects.Object, in Request) (target, error) {
	there, err := object.Get(ctx)
	if err != nil {
		return target{}, err
	}
	t := target{Object: object, ref: object.Reference(there), uid: there.GetUID()}
	policy := metav1.DeletionPropagation(in.Propagation)
	options := metav1.DeleteOptions{PropagationPolicy: &policy}
	if in.GracePeriod != nil {
		// Whole seconds, and never 0 for less than one: that would be at once.
		seconds := int64((*in.GracePeriod + time.Second - 1) / time.Second)
		options.GracePeriodSeconds = &seconds
	}
	if err := object.Delete(ctx, object.Name, options); err != nil {
		return t, objects.Rejection(t.ref, "deleting", err)
	}
	return t, nil
}
