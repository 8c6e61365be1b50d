package pool

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// API is what a pool does to a cluster through its API server.
type API interface {
	// Ready says whether the API server is; the error says why it is not.
	Ready(ctx context.Context) error
	// Unready are the nodes that are not ready, with the reasons.
	Unready(ctx context.Context) (map[string]string, error)
	// Renewed is when each node's kubelet last renewed its lease.
	Renewed(ctx context.Context) (map[string]time.Time, error)
	// MarkPodsReady says of the pods that they are ready whose containers all are,
	// by their kubelets.
	MarkPodsReady(ctx context.Context) error
	// MarkReady says of a node that it is ready, before its kubelet does.
	MarkReady(ctx context.Context, node string) error
	// Objects are all objects that people make or change, with a sum of what
	// they ask for: not their status, and not what Kubernetes itself renews all
	// the time.
	Objects(ctx context.Context) (Objects, error)
	// Delete asks for an object's deletion, its own finalizers kept, and with a
	// namespace for that of all in it, pods with the shortest grace; it does not
	// wait. One that is not there is no error.
	Delete(ctx context.Context, o Object) error
	// Finish ends a namespace that is being deleted and in which Objects finds
	// nothing more, with what Kubernetes itself keeps in it. The namespace
	// controller would begin 5 seconds after its deletion was asked for.
	Finish(ctx context.Context, namespace string) error
	// Stuck says why an object that is being deleted is still there; "" if
	// that is unknown.
	Stuck(ctx context.Context, o Object) string
}

// Object names an object of a cluster.
type Object struct {
	Group     string `json:"group,omitempty"`
	Version   string `json:"version"`
	Resource  string `json:"resource"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// String is the object for a person, such as "deployments.apps kube-system/coredns".
func (o Object) String() string {
	text := o.Resource
	if o.Group != "" {
		text += "." + o.Group
	}
	if o.Namespace != "" {
		return text + " " + o.Namespace + "/" + o.Name
	}
	return text + " " + o.Name
}

func (o Object) compare(other Object) int {
	return cmp.Or(cmp.Compare(o.Group, other.Group), cmp.Compare(o.Resource, other.Resource),
		cmp.Compare(o.Namespace, other.Namespace), cmp.Compare(o.Name, other.Name))
}

// Objects are sums by object.
type Objects map[Object]string

// noted is one of them as it is kept.
type noted struct {
	Object
	Sum string `json:"sum"`
}

func (o Objects) list() []noted {
	list := make([]noted, 0, len(o))
	for object, sum := range o {
		list = append(list, noted{object, sum})
	}
	slices.SortFunc(list, func(a, b noted) int { return a.Object.compare(b.Object) })
	return list
}

func objectsOf(list []noted) Objects {
	o := Objects{}
	for _, n := range list {
		o[n.Object] = n.Sum
	}
	return o
}

// difference is what became of a cluster's objects.
type difference struct {
	// added are those that were not there, changed those that are other than
	// they were, and missing those that are gone; each sorted.
	added, changed, missing []Object
}

// since compares what is there with what was.
func (o Objects) since(before Objects) difference {
	var d difference
	for object, sum := range o {
		switch was, there := before[object]; {
		case !there:
			d.added = append(d.added, object)
		case was != sum:
			d.changed = append(d.changed, object)
		}
	}
	for object := range before {
		if _, there := o[object]; !there {
			d.missing = append(d.missing, object)
		}
	}
	for _, list := range [][]Object{d.added, d.changed, d.missing} {
		slices.SortFunc(list, Object.compare)
	}
	return d
}

// beyond says what cannot be undone by deleting; "" where there is nothing.
func (d difference) beyond() string {
	var parts []string
	for _, part := range []struct {
		text string
		list []Object
	}{{"changed: ", d.changed}, {"gone: ", d.missing}} {
		if len(part.list) > 0 {
			parts = append(parts, part.text+few(part.list))
		}
	}
	return strings.Join(parts, "; ")
}

// few names the first of the objects, and says how many there are beside.
func few(objects []Object) string {
	const most = 5
	var names []string
	for _, o := range objects[:min(most, len(objects))] {
		names = append(names, o.String())
	}
	if more := len(objects) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
