package existing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"

	"github.com/kind-lab/lab/clusters"
)

// object is one that is there, by its metadata.
type object struct {
	metav1.PartialObjectMetadata
	resource schema.GroupVersionResource
}

func (o object) title() string { return o.resource.Resource + "/" + o.Name }

// clean removes from the named namespace what the run made there, with what
// controllers made of that, and returns once it is gone. Who manages an object's
// fields and when it was created say whether the run made it.
func (l *lock) clean(ctx context.Context, r *reach) error {
	b, err := l.read(ctx)
	if err != nil || b == nil || b.entries[l.id] == nil {
		return err
	}
	client, err := metadata.NewForConfig(r.config)
	if err != nil {
		return fmt.Errorf("%w: making a client: %w", ErrLeft, err)
	}
	resources, err := l.resources()
	if err != nil {
		return fmt.Errorf("%w: asking what there can be in namespace %s: %w", ErrLeft, l.namespace, err)
	}
	mine := func(o object) bool { return made(o, b.entries[l.id].Since, b.next(b.entries[l.id])) }
	asked := map[types.UID]bool{}
	var left []object
	for {
		all, err := l.objects(ctx, client, resources)
		if err != nil && ctx.Err() != nil && len(left) > 0 { // what was seen last says more
			return fmt.Errorf("%w: in namespace %s: %s: %w", ErrLeft, l.namespace, titles(left), ctx.Err())
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrLeft, err)
		}
		left = withDependents(all, mine)
		if len(left) == 0 {
			return nil
		}
		for _, o := range left {
			if !asked[o.UID] {
				asked[o.UID] = true
				err = errors.Join(err, remove(ctx, client, o))
			}
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrLeft, err)
		}
		if err := clusters.Pause(ctx, looksAgain); err != nil {
			return fmt.Errorf("%w: in namespace %s: %s: %w", ErrLeft, l.namespace, titles(left), err)
		}
	}
}

// titles name objects, and what finalizers keep them.
func titles(all []object) string {
	var names []string
	for _, o := range all {
		name := o.title()
		if len(o.Finalizers) > 0 {
			name += " (finalizers " + strings.Join(o.Finalizers, ", ") + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// made says whether a scenario created the object between two times; a next
// that is zero is never.
func made(o object, since, next time.Time) bool {
	created := o.CreationTimestamp.Time
	if created.Before(since) || !next.IsZero() && !created.Before(next) {
		return false
	}
	return slices.ContainsFunc(o.ManagedFields, func(f metav1.ManagedFieldsEntry) bool { return f.Manager == manager && f.Subresource == "" })
}

// withDependents are those of the objects that match, and those that they own,
// and so on.
func withDependents(all []object, match func(object) bool) []object {
	var found []object
	in := map[types.UID]bool{}
	for grown := true; grown; {
		grown = false
		for _, o := range all {
			owned := slices.ContainsFunc(o.OwnerReferences, func(ref metav1.OwnerReference) bool { return in[ref.UID] })
			if !in[o.UID] && (match(o) || owned) {
				in[o.UID], grown = true, true
				found = append(found, o)
			}
		}
	}
	return found
}

// resources are the kinds of objects that can be in a namespace and can be
// deleted, but events, which go by themselves, and Leases, of which the run's
// own is one.
func (l *lock) resources() ([]schema.GroupVersionResource, error) {
	lists, err := discovery.ServerPreferredNamespacedResources(l.client.Discovery())
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		return nil, err
	}
	var all []schema.GroupVersionResource
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, r := range list.APIResources {
			if slices.Contains(r.Verbs, "list") && slices.Contains(r.Verbs, "delete") && r.Name != "events" {
				all = append(all, version.WithResource(r.Name))
			}
		}
	}
	return all, nil
}

// objects are all that the account may see. What it may not see it cannot have
// made: that it may was checked for what the scenarios make.
func (l *lock) objects(ctx context.Context, client metadata.Interface, resources []schema.GroupVersionResource) ([]object, error) {
	var all []object
	for _, resource := range resources {
		list, err := client.Resource(resource).Namespace(l.namespace).List(ctx, metav1.ListOptions{})
		if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("listing %s of namespace %s: %w", resource.Resource, l.namespace, err)
		}
		for _, item := range list.Items {
			if resource.Resource == "leases" && item.Name == leaseName {
				continue
			}
			all = append(all, object{item, resource})
		}
	}
	return all, nil
}

// remove asks for an object's deletion, a pod's with little grace.
func remove(ctx context.Context, client metadata.Interface, o object) error {
	background := metav1.DeletePropagationBackground
	options := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &o.UID}, PropagationPolicy: &background}
	if o.resource.Group == "" && o.resource.Resource == "pods" {
		grace := quickly
		options.GracePeriodSeconds = &grace
	}
	err := client.Resource(o.resource).Namespace(o.Namespace).Delete(ctx, o.Name, options)
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) || apierrors.IsForbidden(err) && len(o.OwnerReferences) > 0 {
		return nil // what is owned goes with its owner
	}
	return fmt.Errorf("deleting %s in namespace %s: %w", o.title(), o.Namespace, err)
}
