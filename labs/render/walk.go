package render

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"
)

// walker reads all kustomizations that one consists of before Kustomize does.
// Kustomize fetches what it does not find on disk, and prints deprecations: here
// the first is an error and the second a warning.
type walker struct {
	files    fs.FS
	tree     *tree
	seen     map[string]bool
	warnings []string
	// rewritten are kustomizations without deprecated fields, by their paths.
	rewritten map[string][]byte
}

// folder reads the kustomization of a folder.
func (w *walker) folder(dir string) error {
	if w.seen[dir] {
		return nil
	}
	w.seen[dir] = true
	info, err := fs.Stat(w.files, dir)
	switch {
	case err != nil:
		return fmt.Errorf("reading kustomization %q: %w", dir, cause(err))
	case !info.IsDir():
		return fmt.Errorf("%q is not a folder: the path of a kustomization is that of its folder", dir)
	}
	for _, base := range konfig.RecognizedKustomizationFileNames() {
		name := path.Join(dir, base)
		text, err := fs.ReadFile(w.files, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return fmt.Errorf("reading %q: %w", name, cause(err))
		}
		return w.kustomization(dir, name, text)
	}
	return fmt.Errorf("folder %q has no kustomization: no %s", dir, strings.Join(konfig.RecognizedKustomizationFileNames(), ", "))
}

// kustomization looks through one, whose name is for messages.
func (w *walker) kustomization(dir, name string, text []byte) error {
	var k types.Kustomization
	if err := k.Unmarshal(text); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(k.HelmCharts)+len(k.HelmChartInflationGenerator) > 0 {
		return fmt.Errorf("%s: it has helmCharts, which needs the helm program: use helm() beside kustomize()", name)
	}
	if deprecated := k.CheckDeprecatedFields(); deprecated != nil {
		for _, message := range *deprecated {
			w.warnings = append(w.warnings, name+": "+strings.TrimPrefix(strings.TrimSpace(message), "# Warning: "))
		}
		if err := w.rewrite(dir, name, k); err != nil {
			return err
		}
	}
	var fields map[string]any
	if err := yaml.Unmarshal(text, &fields); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if address := remoteIn(fields, ""); address != "" {
		return fmt.Errorf("%s: %q is on another machine: a kustomization is built from what is on disk alone: copy it into the folder of the scenario", name, address)
	}
	k.FixKustomization()
	folders := slices.Concat(k.Resources, k.Components, k.Generators, k.Transformers, k.Validators)
	for _, entry := range folders {
		if err := w.entry(dir, name, entry); err != nil {
			return err
		}
	}
	return nil
}

// rewrite keeps the kustomization in the form of now, since Kustomize prints a
// warning otherwise.
func (w *walker) rewrite(dir, name string, k types.Kustomization) error {
	if err := k.FixKustomizationPreMarshalling(w.tree); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	text, err := yaml.Marshal(k)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if w.rewritten == nil {
		w.rewritten = map[string][]byte{}
	}
	w.rewritten[path.Join(dir, path.Base(name))] = text
	return nil
}

// entry is a file, a folder, or YAML itself.
func (w *walker) entry(dir, name, entry string) error {
	if strings.Contains(entry, "\n") {
		return nil
	}
	at := path.Join(dir, entry)
	if path.IsAbs(entry) || !fs.ValidPath(at) {
		return fmt.Errorf("%s: %q is not below the folder that may be read", name, entry)
	}
	info, err := fs.Stat(w.files, at)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %q: %w", name, entry, cause(err))
	case info.IsDir():
		return w.folder(at)
	default:
		return w.document(at)
	}
}

// document looks through a file that may configure a generator or transformer:
// these name files, too.
func (w *walker) document(name string) error {
	text, err := fs.ReadFile(w.files, name)
	if err != nil {
		return fmt.Errorf("reading %q: %w", name, cause(err))
	}
	for _, one := range strings.Split(string(text), "\n---") {
		var fields map[string]any
		if yaml.Unmarshal([]byte(one), &fields) != nil {
			continue // Kustomize says what is the matter with it
		}
		if version, _ := fields["apiVersion"].(string); version != "builtin" {
			continue
		}
		if address := remoteIn(fields, ""); address != "" {
			return fmt.Errorf("%s: %q is on another machine: a kustomization is built from what is on disk alone", name, address)
		}
	}
	return nil
}

// pathFields are the fields of kustomizations that name files or folders.
var pathFields = []string{
	"resources", "bases", "components", "crds", "configurations", "generators", "transformers", "validators",
	"patchesStrategicMerge", "path", "paths", "files", "env", "envs", "chartHome",
}

// remoteIn finds an address of another machine among what a kustomization names.
func remoteIn(v any, field string) string {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range sorted(v) {
			if found := remoteIn(v[key], key); found != "" {
				return found
			}
		}
	case []any:
		for _, element := range v {
			if found := remoteIn(element, field); found != "" {
				return found
			}
		}
	case string:
		// files of a generator may be NAME=PATH.
		_, value, _ := strings.Cut(v, "=")
		for _, s := range []string{v, value} {
			if slices.Contains(pathFields, field) && !strings.Contains(v, "\n") && isRemote(s) {
				return v
			}
		}
	}
	return ""
}

// isRemote says whether Kustomize would fetch it, as far as its form shows: what
// has no such form, and is not on disk, is an error of its own.
func isRemote(s string) bool {
	lower := strings.ToLower(s)
	for _, prefix := range []string{"http:", "https:", "git:", "ssh:", "file:", "git::", "git@", "gh:"} {
		if strings.HasPrefix(lower, prefix) {
			return true
		}
	}
	return strings.Contains(s, "//") || strings.Contains(s, "?ref=") || strings.Contains(s, "?version=")
}

func sorted(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
