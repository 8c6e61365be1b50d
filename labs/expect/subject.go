package expect

import (
	"slices"
	"strings"

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
	// container is the container's name; empty where it is about all or none.
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

// byRuntime says whether the container runtime tells of the attribute first.
func (s subject) byRuntime() bool {
	switch s.attr {
	case "", "started_at", "finished_at", "exit_code", "signal", "oom_killed", "runs", "start_order", "exit_order":
		return s.root == rootPod || s.pods
	}
	return false
}

// from says whether what a source did not see could have changed the value.
func (s subject) from(source collectors.Source, logs bool) bool {
	switch {
	case s.root == rootStep:
		return false
	case source == collectors.SourceLog:
		return s.attr == attrLog || s.attr == "" && logs
	case s.attr == attrLog:
		return false
	case source == collectors.SourceRuntime:
		return s.byRuntime()
	default:
		return source == collectors.SourceAPI
	}
}

// has says whether a pod is the one meant, or one of those meant.
func (s subject) has(p *collectors.PodState) bool {
	switch s.root {
	case rootPod:
		return s.is(p.Object.Name)
	case rootJob:
		owner := p.Pod().Owner
		return owner != nil && owner.Kind == "Job" && s.is(owner.Name)
	}
	return false
}

// is says whether a name is the one meant.
func (s subject) is(name string) bool { return s.name == "" || s.name == name }

// named says whether an object is meant, where known are the pods that it has.
// A pod that the API never showed belongs to a Job by its name.
func (s subject) named(o collectors.Object, known []*collectors.PodState) bool {
	if kind, ofKind := value.KindOf(s.root); ofKind {
		return o.Kind == kind.Kind && s.is(o.Name)
	}
	switch o.Kind {
	case "Job":
		return s.root == rootJob && s.is(o.Name)
	case "Pod":
		if s.root == rootJob {
			return s.name == "" || strings.HasPrefix(o.Name, s.name+"-") || contains(known, o.Name)
		}
		return s.root == rootPod && s.is(o.Name)
	}
	return false
}

func contains(pods []*collectors.PodState, name string) bool {
	return slices.ContainsFunc(pods, func(p *collectors.PodState) bool { return p.Object.Name == name })
}
