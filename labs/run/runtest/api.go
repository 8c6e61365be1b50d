package runtest

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/dynamic"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/step/objects"
)

// kinds are those that the cluster has.
func kinds() *fakediscovery.FakeDiscovery {
	all := map[string][]string{
		"v1":                           {"Pod", "ConfigMap", "Service", "Secret", "ServiceAccount", "PersistentVolumeClaim"},
		"batch/v1":                     {"Job", "CronJob"},
		"apps/v1":                      {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"},
		"rbac.authorization.k8s.io/v1": {"Role", "RoleBinding"},
		"policy/v1":                    {"PodDisruptionBudget"},
	}
	short := map[string]string{"Pod": "po", "ConfigMap": "cm", "Service": "svc", "Deployment": "deploy"}
	fake := &clienttesting.Fake{}
	for version, kinds := range all {
		list := &metav1.APIResourceList{GroupVersion: version}
		for _, kind := range kinds {
			singular := strings.ToLower(kind)
			r := metav1.APIResource{Name: singular + "s", SingularName: singular, Namespaced: true, Kind: kind}
			if s := short[kind]; s != "" {
				r.ShortNames = []string{s}
			}
			list.APIResources = append(list.APIResources, r)
		}
		fake.Resources = append(fake.Resources, list)
	}
	return &fakediscovery.FakeDiscovery{Fake: fake}
}

// api is the cluster's API: what steps use of it.
type api struct {
	// What steps do not use is not there.
	dynamic.Interface
	cluster *Cluster
}

// Resource is the API of a kind.
func (a api) Resource(r schema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	return resource{cluster: a.cluster, of: r}
}

// IsWatchListSemanticsUnSupported says that a watch begins without a list.
func (a api) IsWatchListSemanticsUnSupported() bool { return true }

// resource is the API of a kind in a namespace.
type resource struct {
	dynamic.ResourceInterface
	cluster   *Cluster
	of        schema.GroupVersionResource
	namespace string
}

// Namespace is the API of the kind in a namespace.
func (r resource) Namespace(name string) dynamic.ResourceInterface {
	r.namespace = name
	return r
}

func (r resource) key(name string) string {
	return keyOf(r.namespace, strings.TrimSuffix(r.of.Resource, "s"), name)
}

func (r resource) notFound(name string) error {
	return apierrors.NewNotFound(schema.GroupResource{Resource: r.of.Resource}, name)
}

// Create starts Jobs and pods and takes everything else as it is.
func (r resource) Create(ctx context.Context, o *unstructured.Unstructured, options metav1.CreateOptions, _ ...string) (*unstructured.Unstructured, error) {
	c := r.cluster
	if path := firstSidecar(o); path != "" && !c.known {
		problem := fmt.Sprintf("unknown field %q", path)
		if options.FieldValidation == "Strict" {
			return nil, &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusBadRequest, Reason: metav1.StatusReasonBadRequest,
				Message: fmt.Sprintf("%s in version %q cannot be handled as a %s: strict decoding error: %s", o.GetKind(), "v1", o.GetKind(), problem)}}
		}
		objects.Warn(ctx, problem)
	}
	object := collectors.Object{Kind: o.GetKind(), Namespace: r.namespace, Name: o.GetName(), UID: "uid-" + o.GetName()}
	made := o.DeepCopy()
	made.SetNamespace(object.Namespace)
	made.SetUID(types.UID(object.UID))
	made.SetResourceVersion("1")
	key := r.key(o.GetName())
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.things[key] != nil {
		return nil, apierrors.NewAlreadyExists(r.of.GroupResource(), o.GetName())
	}
	c.things[key] = made
	if o.GetKind() == "Job" || o.GetKind() == "Pod" {
		c.jobs[key] = startJob(c, o, object)
	}
	return made.DeepCopy(), nil
}

// Get is an object that was created, or the pod of a Job.
func (r resource) Get(_ context.Context, name string, _ metav1.GetOptions, _ ...string) (*unstructured.Unstructured, error) {
	object, j, there := r.cluster.find(r.key(name))
	if !there {
		return nil, r.notFound(name)
	}
	r.cluster.mu.Lock()
	o := r.cluster.things[r.key(name)]
	r.cluster.mu.Unlock()
	if o == nil {
		o = &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": object.Kind}}
		o.SetName(object.Name)
		o.SetNamespace(object.Namespace)
		o.SetUID(types.UID(object.UID))
	}
	o = o.DeepCopy()
	if j != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		if !j.deleted.IsZero() {
			o.SetDeletionTimestamp(&metav1.Time{Time: j.deleted})
		}
	}
	return o, nil
}

// Patch notes that what was applied is patched. One that is applied again is not
// changed.
func (r resource) Patch(ctx context.Context, name string, kind types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*unstructured.Unstructured, error) {
	if kind == types.ApplyPatchType {
		return r.Get(ctx, name, metav1.GetOptions{})
	}
	object, _, there := r.cluster.find(r.key(name))
	if !there {
		return nil, r.notFound(name)
	}
	if err := r.cluster.world.act(ctx, fmt.Sprintf("%s: patch %s/%s %s", r.cluster.spec.Name, strings.ToLower(object.Kind), name, data)); err != nil {
		return nil, err
	}
	r.cluster.mu.Lock()
	if o := r.cluster.things[r.key(name)]; o != nil {
		r.cluster.changes++
		o.SetResourceVersion(strconv.Itoa(r.cluster.changes + 1))
	}
	r.cluster.mu.Unlock()
	return r.Get(ctx, name, metav1.GetOptions{})
}

// Delete deletes what was applied, and the pods of Jobs.
func (r resource) Delete(_ context.Context, name string, options metav1.DeleteOptions, _ ...string) error {
	_, j, there := r.cluster.find(r.key(name))
	switch {
	case !there:
		return r.notFound(name)
	case j == nil:
		r.cluster.forget(r.key(name))
		return nil
	}
	var grace *time.Duration
	if s := options.GracePeriodSeconds; s != nil {
		d := time.Duration(*s) * time.Second
		grace = &d
	}
	j.remove(grace)
	return nil
}

// List is the object of the name that the options select, if it is there.
func (r resource) List(ctx context.Context, options metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	list := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": "List"}}
	list.SetResourceVersion("1")
	if o, err := r.Get(ctx, r.selected(options), metav1.GetOptions{}); err == nil {
		list.Items = append(list.Items, *o)
	}
	return list, nil
}

func (r resource) selected(options metav1.ListOptions) string {
	selector, err := fields.ParseSelector(options.FieldSelector)
	if err != nil {
		return ""
	}
	name, _ := selector.RequiresExactMatch("metadata.name")
	return name
}

// Watch tells when the selected object is gone.
func (r resource) Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	name := r.selected(options)
	o, err := r.Get(ctx, name, metav1.GetOptions{})
	_, j, there := r.cluster.find(r.key(name))
	events := watch.NewRaceFreeFake()
	switch {
	case err != nil || !there || j == nil:
		if o != nil {
			events.Delete(o)
		}
	default:
		go func() {
			select {
			case <-j.gone:
				events.Delete(o)
			case <-ctx.Done():
			}
		}()
	}
	return events, nil
}
