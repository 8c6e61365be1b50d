package expect

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/value"
)

// The roots of references that matter here, and attributes with a meaning of
// their own.
const (
	rootPod   = "pod"
	rootJob   = "job"
	rootStep  = "step"
	rootLocal = "local"
	attrLog   = "log"
)

// subject is what a reference is about, read off its path.
type subject struct {
	// root is rootPod, rootJob, rootStep or that of another kind; name is the object's, empty where
	// it is computed and so may be any.
	root, name string
	// pods says that a Job's pods are meant, and not the Job itself.
	pods bool
	// container is the container's name; empty if it is about all or none.
	container string
	// attr is the attribute; empty for a whole pod, Job or container.
	attr string
}

// isObserved says whether a path's root is something observed.
func isObserved(path []string) bool {
	if len(path) == 0 {
		return false
	}
	_, ofKind := value.KindOf(path[0])
	return path[0] == rootPod || path[0] == rootJob || path[0] == rootStep || ofKind
}

// OfCluster says whether a reference as it is written, such as pod.myapp.phase, is
// to an object of a cluster.
func OfCluster(reference string) bool {
	root := reference[:strings.IndexAny(reference+".", ".[")]
	return root != rootStep && isObserved([]string{root})
}

// parse reads a path whose root is observed.
func parse(path []string) subject {
	s := subject{root: path[0]}
	if len(path) > 1 {
		s.name = path[1]
	}
	rest := path[min(2, len(path)):]
	if _, ofKind := value.KindOf(s.root); ofKind {
		if len(rest) > 0 {
			s.attr = rest[0]
		}
		return s
	}
	if s.root == rootJob && len(rest) > 0 && (rest[0] == "pod" || rest[0] == "pods") {
		s.pods = true
		list := rest[0] == "pods"
		rest = rest[1:]
		if list && len(rest) > 0 {
			rest = rest[1:]
		}
	}
	if len(rest) > 0 && (rest[0] == "container" || rest[0] == "containers") {
		if rest[0] == "container" && len(rest) > 1 {
			s.container = rest[1]
		}
		rest = rest[min(2, len(rest)):]
	}
	if len(rest) > 0 {
		s.attr = rest[0]
	}
	return s
}

// has says whether a pod is the one meant, or one of those meant.
func (s subject) has(p *collectors.PodState) bool {
	switch s.root {
	case rootPod:
		return s.is(p.Object.Name)
	case rootJob:
		owner := p.Pod().Owner
		return owner != nil && owner.Kind == jobKind && s.is(owner.Name)
	}
	return false
}

// is says whether a name is the one meant.
func (s subject) is(name string) bool { return s.name == "" || s.name == name }

// steps are the names and keys of a traversal; "" for a splat.
func steps(t hcl.Traversal) []string {
	path := make([]string, 0, len(t))
	for _, step := range t {
		switch step := step.(type) {
		case hcl.TraverseRoot:
			path = append(path, step.Name)
		case hcl.TraverseAttr:
			path = append(path, step.Name)
		default:
			path = append(path, keyText(step))
		}
	}
	return path
}

// keyText is an index's key as text; empty for what is no index.
func keyText(step hcl.Traverser) string {
	key, ok := value.IndexKey(step)
	switch {
	case !ok:
		return ""
	case key.Type() == cty.String && key.IsKnown() && !key.IsNull():
		return key.AsString()
	}
	return value.Format(key)
}
