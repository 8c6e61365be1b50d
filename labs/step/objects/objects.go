// Package objects finds the objects of a cluster by what people call them:
// "pod/web", "deploy/web", "deployments.apps/web", or a manifest of them.
package objects

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/collectors"
)

// FieldManager owns the fields that a scenario applies.
const FieldManager = "lab"

// Client reaches the objects of one cluster. It may be used by several
// goroutines.
type Client struct {
	dynamic dynamic.Interface
	mapper  meta.ResettableRESTMapper
	// confined is why objects outside of the scenario's namespace are refused; nil
	// if they are not.
	confined *clusters.CapabilityError
	// expanding is the mapper that knows short names, too.
	expanding meta.RESTMapper
}

// New returns a Client for the cluster of config. What the API server warns of
// is collected by the context's Warnings (see Warned).
func New(config *rest.Config) (*Client, error) {
	config = rest.CopyConfig(config)
	config.WarningHandlerWithContext = toContext{}
	discover, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making a discovery client: %w", err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	return NewWith(client, memory.NewMemCacheClient(discover)), nil
}

// NewWith returns a Client of which the parts are there already.
func NewWith(client dynamic.Interface, discover discovery.CachedDiscoveryInterface) *Client {
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(discover)
	return &Client{
		dynamic: client, mapper: mapper,
		expanding: restmapper.NewShortcutExpander(mapper, discover, nil),
	}
}

// Confine lets the Client refuse, with the error, every object that is not in the
// namespace that it is asked in.
func (c *Client) Confine(lacks *clusters.CapabilityError) *Client {
	c.confined = lacks
	return c
}

// outside says why an object is refused; nil where it is not.
func (c *Client) outside(mapping *meta.RESTMapping, own, namespace, name string) error {
	kind := mapping.GroupVersionKind.Kind
	switch {
	case c.confined == nil:
		return nil
	case mapping.Scope.Name() == meta.RESTScopeNameRoot:
		return fmt.Errorf("%s %q belongs to no namespace: %w", kind, name, c.confined)
	case own != "" && own != namespace:
		return fmt.Errorf("%s %q is in namespace %q, and the scenario's is %q: %w", kind, name, own, namespace, c.confined)
	}
	return nil
}

// Object is an object's place in the API; it need not be there.
type Object struct {
	// ResourceInterface is the API of its kind, in its namespace.
	dynamic.ResourceInterface
	Kind schema.GroupVersionKind
	// Namespace is empty for an object that belongs to none.
	Namespace, Name string
	client          dynamic.Interface
}

// Reference is the object for people and records. there is what the API server
// has of it; nil where that is not known.
func (o *Object) Reference(there *unstructured.Unstructured) collectors.Object {
	ref := collectors.Object{Kind: o.Kind.Kind, Namespace: o.Namespace, Name: o.Name}
	if there != nil {
		ref.UID = string(there.GetUID())
	}
	return ref
}

// Named finds an object as kubectl writes it, KIND/NAME, where the kind may be
// in the singular or plural, short, and with its version and group. An object
// that belongs to a namespace is that of the one given. A kind that the cluster
// has not is a *failure.Rejection.
func (c *Client) Named(text, namespace string) (*Object, error) {
	kind, name, ok := strings.Cut(text, "/")
	if !ok || kind == "" || name == "" || strings.Contains(name, "/") {
		return nil, fmt.Errorf("%q does not name an object: write KIND/NAME, such as \"pod/web\"", text)
	}
	mapping, err := c.mapping(func() (*meta.RESTMapping, error) { return c.resolve(kind) })
	if err != nil {
		return nil, Rejection(collectors.Object{Kind: kind, Name: name}, "finding", err)
	}
	if err := c.outside(mapping, "", namespace, name); err != nil {
		return nil, err
	}
	return c.place(mapping, namespace, name), nil
}

// Of finds the object of a manifest: in the manifest's namespace or, where it
// names none, in the one given. A kind that the cluster has not is a
// *failure.Rejection.
func (c *Client) Of(manifest *unstructured.Unstructured, namespace string) (*Object, error) {
	kind := manifest.GroupVersionKind()
	mapping, err := c.mapping(func() (*meta.RESTMapping, error) {
		return c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	})
	if err != nil {
		return nil, Rejection(collectors.Object{Kind: kind.Kind, Namespace: namespace, Name: manifest.GetName()}, "finding", err)
	}
	if err := c.outside(mapping, manifest.GetNamespace(), namespace, manifest.GetName()); err != nil {
		return nil, err
	}
	if own := manifest.GetNamespace(); own != "" {
		namespace = own
	}
	return c.place(mapping, namespace, manifest.GetName()), nil
}

func (c *Client) place(mapping *meta.RESTMapping, namespace, name string) *Object {
	o := &Object{Kind: mapping.GroupVersionKind, Name: name, client: c.dynamic}
	all := c.dynamic.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		o.ResourceInterface = all
		return o
	}
	o.Namespace, o.ResourceInterface = namespace, all.Namespace(namespace)
	return o
}

// mapping looks once more for a kind that is not known, since a definition may
// just have been applied.
func (c *Client) mapping(find func() (*meta.RESTMapping, error)) (*meta.RESTMapping, error) {
	mapping, err := find()
	if meta.IsNoMatchError(err) {
		c.mapper.Reset()
		mapping, err = find()
	}
	return mapping, err
}

// resolve finds the kind that people mean, by the rules of kubectl: first as a
// resource, then as a kind.
func (c *Client) resolve(text string) (*meta.RESTMapping, error) {
	whole, resource := schema.ParseResourceArg(strings.ToLower(text))
	if whole != nil {
		if kind, err := c.expanding.KindFor(*whole); err == nil {
			return c.expanding.RESTMapping(kind.GroupKind(), kind.Version)
		}
	}
	kind, err := c.expanding.KindFor(resource.WithVersion(""))
	if err == nil {
		return c.expanding.RESTMapping(kind.GroupKind(), kind.Version)
	}
	if !meta.IsNoMatchError(err) {
		return nil, err
	}
	exact, group := schema.ParseKindArg(text)
	if exact != nil {
		if mapping, err := c.expanding.RESTMapping(exact.GroupKind(), exact.Version); err == nil {
			return mapping, nil
		}
	}
	return c.expanding.RESTMapping(group)
}

// Get returns what the API server has of the object; one that it has not is a
// *failure.Rejection.
func (o *Object) Get(ctx context.Context) (*unstructured.Unstructured, error) {
	there, err := o.ResourceInterface.Get(ctx, o.Name, metav1.GetOptions{})
	if err != nil {
		return nil, Rejection(o.Reference(nil), "looking at", err)
	}
	return there, nil
}

// Changed says whether an object's specification, or where it has none
// anything, differs between two answers of the API server.
func Changed(before, after *unstructured.Unstructured) bool {
	if before.GetGeneration() != 0 {
		return before.GetGeneration() != after.GetGeneration()
	}
	return before.GetResourceVersion() != after.GetResourceVersion()
}
