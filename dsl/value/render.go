package value

import "io/fs"

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
