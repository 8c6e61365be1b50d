// Package apply creates or changes objects in a cluster.
//
// An object that is not there is created by a POST, so that an unknown field
// is refused in the words that kubectl shows; one that is there is changed by
// server-side apply.
package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/step"
)

// fieldManager owns the fields that a scenario applies.
const fieldManager = "lab"

// Applier applies objects to one cluster. It may be used by several
// goroutines.
type Applier struct {
	config *rest.Config
	mapper *restmapper.DeferredDiscoveryRESTMapper
}

// New returns an Applier for the cluster of config.
func New(config *rest.Config) (*Applier, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making a discovery client: %w", err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
	return &Applier{config: config, mapper: mapper}, nil
}

// Do applies the manifests in order and stops at the first failure: a
// *step.ManifestError before anything is sent, a *step.RefusedError where the
// API server says no, any other error where it could not be asked. What was
// done until then is in the result.
func (a *Applier) Do(ctx context.Context, in step.Apply) (step.Applied, error) {
	var objects []*unstructured.Unstructured
	for _, m := range in.Manifests {
		decoded, err := Decode(m)
		if err != nil {
			return step.Applied{}, err
		}
		objects = append(objects, decoded...)
	}
	warnings := &warnings{}
	config := rest.CopyConfig(a.config)
	config.WarningHandlerWithContext = warnings
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return step.Applied{}, fmt.Errorf("making a client: %w", err)
	}
	var out step.Applied
	for _, object := range objects {
		action, err := a.one(ctx, client, object, in)
		out.Warnings = warnings.list()
		if err != nil {
			return out, refusal(object, err)
		}
		out.Objects = append(out.Objects, reference(object))
		out.Actions = append(out.Actions, action)
	}
	return out, nil
}

func (a *Applier) one(ctx context.Context, client dynamic.Interface, object *unstructured.Unstructured, in step.Apply) (string, error) {
	resource, err := a.resource(client, object, in.Namespace)
	if err != nil {
		return "", err
	}
	created, err := resource.Create(ctx, object, metav1.CreateOptions{FieldManager: fieldManager, FieldValidation: in.FieldValidation})
	if err == nil {
		object.SetName(created.GetName())
		object.SetNamespace(created.GetNamespace())
		object.SetUID(created.GetUID())
		return "created", nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return "", err
	}
	before, err := resource.Get(ctx, object.GetName(), metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(object)
	if err != nil {
		return "", fmt.Errorf("encoding: %w", err)
	}
	force := true
	after, err := resource.Patch(ctx, object.GetName(), types.ApplyPatchType, body,
		metav1.PatchOptions{FieldManager: fieldManager, FieldValidation: in.FieldValidation, Force: &force})
	if err != nil {
		return "", err
	}
	object.SetNamespace(after.GetNamespace())
	object.SetUID(after.GetUID())
	if before.GetGeneration() != after.GetGeneration() || before.GetGeneration() == 0 && before.GetResourceVersion() != after.GetResourceVersion() {
		return "configured", nil
	}
	return "unchanged", nil
}

// resource finds the API for the object; a kind that was not known is looked
// up once more, since a definition may just have been applied.
func (a *Applier) resource(client dynamic.Interface, object *unstructured.Unstructured, namespace string) (dynamic.ResourceInterface, error) {
	kind := object.GroupVersionKind()
	mapping, err := a.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		a.mapper.Reset()
		mapping, err = a.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	}
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		return client.Resource(mapping.Resource), nil
	}
	if own := object.GetNamespace(); own != "" {
		namespace = own
	}
	return client.Resource(mapping.Resource).Namespace(namespace), nil
}

// refusal tells what the API server refused from what could not be asked. A
// kind that it does not have is a refusal too.
func refusal(object *unstructured.Unstructured, err error) error {
	refused := &step.RefusedError{Object: reference(object)}
	var status apierrors.APIStatus
	switch {
	case meta.IsNoMatchError(err):
		refused.Code, refused.Reason, refused.Message = 404, "NotFound", err.Error()
		return refused
	case errors.As(err, &status) && status.Status().Code >= 400 && status.Status().Code < 500 && status.Status().Code != 429:
		s := status.Status()
		refused.Code, refused.Reason, refused.Message = int(s.Code), string(s.Reason), s.Message
		return refused
	}
	return fmt.Errorf("applying %s %q: %w", object.GetKind(), object.GetName(), err)
}

func reference(o *unstructured.Unstructured) collectors.Object {
	return collectors.Object{Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName(), UID: string(o.GetUID())}
}

// warnings collects what the API server warns of, each text once.
type warnings struct {
	mu   sync.Mutex
	text []string
}

// HandleWarningHeaderWithContext keeps a warning of the API server.
func (w *warnings) HandleWarningHeaderWithContext(_ context.Context, code int, _ string, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if code == 299 && text != "" && !slices.Contains(w.text, text) {
		w.text = append(w.text, text)
	}
}

func (w *warnings) list() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.text)
}

var _ rest.WarningHandlerWithContext = (*warnings)(nil)
