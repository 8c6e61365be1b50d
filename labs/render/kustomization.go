package render

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"github.com/kind-lab/lab/dsl/value"
)

// overlayDir is the folder of the kustomization that is laid over another. No
// scenario has a folder with this name.
const overlayDir = ".lab-overlay"

// Kustomization builds the kustomization in a folder of files as `kubectl
// kustomize` does. An overlay that is not nil is a kustomization that is laid over
// it, without its resources: images, patches, namePrefix and so on. Files are read
// only below the root of files. Plugins and Helm charts of a kustomization are
// not available, and an address of another machine is an error: nothing is
// fetched.
func (Renderer) Kustomization(files fs.FS, dir string, overlay map[string]any) (value.Rendered, error) {
	tree := &tree{files: files, extra: map[string][]byte{}}
	w := walker{files: files, tree: tree, seen: map[string]bool{}}
	if err := w.folder(dir); err != nil {
		return value.Rendered{}, err
	}
	from := dir
	if overlay != nil {
		text, err := laidOver(overlay, dir)
		if err != nil {
			return value.Rendered{}, err
		}
		if err := w.kustomization(overlayDir, "the overlay", text); err != nil {
			return value.Rendered{}, err
		}
		tree.extra[path.Join(overlayDir, "kustomization.yaml")] = text
		from = overlayDir
	}
	for name, text := range w.rewritten {
		tree.extra[name] = text
	}
	options := krusty.MakeDefaultOptions()
	options.Reorder = krusty.ReorderOptionUnspecified
	options.LoadRestrictions = types.LoadRestrictionsRootOnly
	options.PluginConfig = types.DisabledPluginConfig()
	built, err := krusty.MakeKustomizer(options).Run(tree, "/"+from)
	if err != nil {
		return value.Rendered{}, fmt.Errorf("kustomization %q: %s", dir, plain(err))
	}
	out := value.Rendered{Warnings: w.warnings}
	for _, object := range built.Resources() {
		text, err := object.AsYAML()
		if err != nil {
			return value.Rendered{}, fmt.Errorf("kustomization %q: %w", dir, err)
		}
		out.Manifests = append(out.Manifests, string(text))
	}
	return out, nil
}

// laidOver is a kustomization over the one in a folder.
func laidOver(overlay map[string]any, dir string) ([]byte, error) {
	if _, ok := overlay["resources"]; ok {
		return nil, fmt.Errorf("the overlay has resources: it changes what kustomization %q has, and adds components or generators at the most", dir)
	}
	whole := map[string]any{"apiVersion": types.KustomizationVersion, "kind": types.KustomizationKind}
	for key, v := range overlay {
		whole[key] = v
	}
	whole["resources"] = []any{path.Join("..", dir)}
	text, err := yaml.Marshal(whole)
	if err != nil {
		return nil, fmt.Errorf("the overlay: %w", err)
	}
	return text, nil
}

// plain is the message of an error of Kustomize, in which paths begin at the root
// of its file system, and which repeats itself for each folder on the way.
func plain(err error) string {
	text := strings.ReplaceAll(err.Error(), "'/", "'")
	return strings.ReplaceAll(text, "\"/", "\"")
}
