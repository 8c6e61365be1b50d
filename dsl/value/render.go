package value

import (
	"io/fs"
	"slices"
)

// Renderer turns charts and kustomizations into manifests. It may be used by
// several goroutines.
type Renderer interface {
	// Chart renders the chart in a folder of files, or in a .tgz file.
	Chart(files fs.FS, name string, r Release) (Rendered, error)
	// Kustomization builds the kustomization in a folder of files. overlay is a
	// kustomization that is laid over it; nil for none.
	Kustomization(files fs.FS, dir string, overlay map[string]any) (Rendered, error)
}

// Release says how a chart is rendered.
type Release struct {
	// Name is the release's name; empty for that of the chart. Namespace is its
	// namespace.
	Name, Namespace string
	// Values are laid over those of the chart, a later one over an earlier one.
	// Each is a map[string]any, or a string of YAML.
	Values []any
	// Kubernetes is the version of the cluster, such as 1.29.3.
	Kubernetes string
	// APIVersions are served by the cluster beside those of Kubernetes itself:
	// group/version, and group/version/Kind.
	APIVersions []string
	// Hooks adds the hooks of an installation to the manifests: those before it
	// at the beginning, those after it at the end.
	Hooks bool
	// SkipCRDs leaves out what is in the folder crds.
	SkipCRDs bool
}

// Rendered is what a chart or a kustomization results in.
type Rendered struct {
	// Manifests are YAML documents, one object each, in the order in which they
	// are to be applied.
	Manifests []string
	// Warnings say what was left out, and what is deprecated.
	Warnings []string
}

// Rendering is what one call of helm() or kustomize() was rendered to.
type Rendering struct {
	// Call says what was rendered, with all arguments: the same for the same call.
	Call string `json:"call"`
	// Manifests are as in Rendered.
	Manifests []string `json:"manifests"`
}

// Renderings returns what was rendered so far, by the calls. It omits what was
// rendered with a sensitive value.
func (s *Shared) Renderings() []Rendering {
	s.rendering.mu.Lock()
	defer s.rendering.mu.Unlock()
	all := []Rendering{}
	for _, call := range sortedKeys(s.rendering.done) {
		if done := s.rendering.done[call]; done.err == nil && !done.secret {
			all = append(all, Rendering{Call: call, Manifests: slices.Clone(done.rendered)})
		}
	}
	return all
}

// Remember takes over what was rendered before: the same calls return it again.
func (s *Shared) Remember(all []Rendering) {
	s.rendering.mu.Lock()
	defer s.rendering.mu.Unlock()
	if s.rendering.done == nil {
		s.rendering.done = map[string]outcome{}
	}
	for _, r := range all {
		s.rendering.done[r.Call] = outcomeOf(Rendered{Manifests: r.Manifests}, nil)
	}
}
