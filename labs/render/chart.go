package render

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	"helm.sh/helm/v4/pkg/ignore"
	releasev1 "helm.sh/helm/v4/pkg/release/v1"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"

	"github.com/kind-lab/lab/dsl/value"
)

// maxFileSize is the size, in bytes, of the largest file of a chart or of a
// kustomization that is read.
const maxFileSize = 8 << 20

// Renderer is value.Renderer by Helm and Kustomize.
type Renderer struct{}

// Chart renders the chart in a folder of files, or in a .tgz file, as `helm
// template` does, with the
// objects in the order in which Helm installs them: CustomResourceDefinitions of
// the folder crds are the first. Functions that need a cluster, such as lookup,
// return nothing. Subcharts must be in the folder charts.
func (Renderer) Chart(files fs.FS, name string, given value.Release) (value.Rendered, error) {
	r := release{given}
	c, err := load(files, name)
	if err != nil {
		return value.Rendered{}, err
	}
	if r.Name == "" {
		r.Name = c.Name()
	}
	if err := chartutil.ValidateReleaseName(r.Name); err != nil {
		return value.Rendered{}, fmt.Errorf("the release's name %q: %w", r.Name, err)
	}
	capabilities, err := r.capabilities()
	if err != nil {
		return value.Rendered{}, err
	}
	if want := c.Metadata.KubeVersion; want != "" && !chartutil.IsCompatibleRange(want, capabilities.KubeVersion.String()) {
		return value.Rendered{}, fmt.Errorf("chart %s is for Kubernetes %s, and the cluster has %s", c.Name(), want, r.Kubernetes)
	}
	if err := schemas(c); err != nil {
		return value.Rendered{}, err
	}
	rendered, err := r.templates(c, capabilities)
	if err != nil {
		return value.Rendered{}, err
	}
	hooks, manifests, err := releaseutil.SortManifests(rendered, nil, releaseutil.InstallOrder)
	if err != nil {
		return value.Rendered{}, fmt.Errorf("chart %s: a template renders to what is not YAML: %w", c.Name(), err)
	}
	var out value.Rendered
	if c.Metadata.Deprecated {
		out.Warnings = append(out.Warnings, fmt.Sprintf("chart %s is deprecated", c.Name()))
	}
	out.Manifests = r.documents(c, manifests, hooks)
	if left := r.leftOut(hooks); len(left) > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("chart %s: hooks are left out, as hooks is not true: %s", c.Name(), strings.Join(left, ", ")))
	}
	return out, nil
}

// release is how a chart is rendered.
type release struct{ value.Release }

// templates evaluates the chart's templates, by their paths.
func (r release) templates(c *chart.Chart, capabilities *common.Capabilities) (map[string]string, error) {
	values, err := r.values()
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", c.Name(), err)
	}
	if err := dependencies(c); err != nil {
		return nil, err
	}
	if err := chartutil.ProcessDependencies(c, values); err != nil {
		return nil, fmt.Errorf("chart %s: its dependencies: %w", c.Name(), err)
	}
	options := common.ReleaseOptions{Name: r.Name, Namespace: r.Namespace, Revision: 1, IsInstall: true}
	all, err := commonutil.ToRenderValues(c, values, options, capabilities)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", c.Name(), err)
	}
	rendered, err := engine.Render(c, all)
	if err != nil {
		return nil, err
	}
	for name := range rendered {
		if strings.HasSuffix(name, "NOTES.txt") {
			delete(rendered, name)
		}
	}
	return rendered, nil
}

// values are all values that were given, as one.
func (r release) values() (map[string]any, error) {
	all := map[string]any{}
	for i, given := range r.Values {
		over, ok := given.(map[string]any)
		if text, is := given.(string); is {
			read, err := common.ReadValues([]byte(text))
			if err != nil {
				return nil, fmt.Errorf("number %d of the values that it is given: %w", i+1, err)
			}
			over, ok = read, true
		}
		if !ok {
			return nil, fmt.Errorf("number %d of the values that it is given is a %T", i+1, given)
		}
		all = loader.MergeMaps(all, over)
	}
	return all, nil
}

// dependencies returns an error if a subchart that Chart.yaml names is missing.
func dependencies(c *chart.Chart) error {
	var missing []string
	for _, d := range c.Metadata.Dependencies {
		has := func(sub *chart.Chart) bool { return sub.Name() == d.Name }
		if !slices.ContainsFunc(c.Dependencies(), has) {
			missing = append(missing, d.Name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("chart %s: %s in Chart.yaml, but not in its folder charts: run `helm dependency build`",
		c.Name(), dependenciesAre(missing))
}

func dependenciesAre(names []string) string {
	if len(names) == 1 {
		return "the dependency " + names[0] + " is"
	}
	return "the dependencies " + strings.Join(names, ", ") + " are"
}

func (r release) capabilities() (*common.Capabilities, error) {
	version, err := common.ParseKubeVersion(r.Kubernetes)
	if err != nil {
		return nil, fmt.Errorf("the version of Kubernetes %q: %w", r.Kubernetes, err)
	}
	minor, err := strconv.Atoi(version.Minor)
	if err != nil {
		return nil, fmt.Errorf("the version of Kubernetes %q: %w", r.Kubernetes, err)
	}
	c := common.DefaultCapabilities.Copy()
	c.KubeVersion = *version
	c.APIVersions = append(served(minor), r.APIVersions...)
	return c, nil
}

// documents are the YAML documents in the order in which they are to be applied.
func (r release) documents(c *chart.Chart, manifests []releaseutil.Manifest, hooks []*releasev1.Hook) []string {
	var all []string
	add := func(source, text string) {
		all = append(all, fmt.Sprintf("# Source: %s\n%s\n", source, strings.Trim(text, "\n")))
	}
	if !r.SkipCRDs {
		for _, crd := range c.CRDObjects() {
			for _, text := range split(string(crd.File.Data)) {
				add(crd.Filename, text)
			}
		}
	}
	for _, h := range r.hooks(hooks, releasev1.HookPreInstall) {
		add(h.Path, h.Manifest)
	}
	for _, m := range manifests {
		add(m.Name, m.Content)
	}
	for _, h := range r.hooks(hooks, releasev1.HookPostInstall) {
		add(h.Path, h.Manifest)
	}
	return all
}

// split returns the YAML documents of a text in their order.
func split(text string) []string {
	parts := releaseutil.SplitManifests(text)
	keys := slices.Collect(maps.Keys(parts))
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }) // manifest-9 before manifest-10
	all := make([]string, 0, len(keys))
	for _, key := range keys {
		all = append(all, parts[key])
	}
	return all
}

// hooks returns those of an event, by their weights.
func (r release) hooks(all []*releasev1.Hook, event releasev1.HookEvent) []*releasev1.Hook {
	var hooks []*releasev1.Hook
	if r.Hooks {
		for _, h := range all {
			if slices.Contains(h.Events, event) {
				hooks = append(hooks, h)
			}
		}
	}
	slices.SortStableFunc(hooks, func(a, b *releasev1.Hook) int { return a.Weight - b.Weight })
	return hooks
}

// leftOut names the hooks of an installation that are not rendered. Hooks of other
// events, such as tests, are no part of an installation.
func (r release) leftOut(all []*releasev1.Hook) []string {
	if r.Hooks {
		return nil
	}
	var names []string
	for _, h := range all {
		for _, event := range []releasev1.HookEvent{releasev1.HookPreInstall, releasev1.HookPostInstall} {
			if slices.Contains(h.Events, event) {
				names = append(names, fmt.Sprintf("%s %s (%s)", h.Kind, h.Name, event))
				break
			}
		}
	}
	return names
}

// load reads a chart as Helm reads a folder: without what .helmignore names.
func load(files fs.FS, dir string) (*chart.Chart, error) {
	info, err := fs.Stat(files, dir)
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading chart %q: %w", dir, cause(err))
	case !info.IsDir():
		return archived(files, dir)
	}
	if _, err := fs.Stat(files, path.Join(dir, "Chart.yaml")); err != nil {
		return nil, fmt.Errorf("folder %q is not a chart: it has no Chart.yaml", dir)
	}
	parts, err := read(files, dir)
	if err != nil {
		return nil, err
	}
	c, err := loader.LoadFiles(parts)
	if err != nil {
		return nil, fmt.Errorf("chart %q: %w", dir, err)
	}
	return c, nil
}

// archived reads a chart that is packed in a .tgz file.
func archived(files fs.FS, name string) (*chart.Chart, error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, fmt.Errorf("reading chart %q: %w", name, cause(err))
	}
	c, err := loader.LoadArchive(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("chart %q: %w", name, err)
	}
	return c, nil
}

func read(files fs.FS, dir string) ([]*archive.BufferedFile, error) {
	rules, err := ignored(files, dir)
	if err != nil {
		return nil, err
	}
	var parts []*archive.BufferedFile
	err = fs.WalkDir(files, dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		below := strings.TrimPrefix(name, dir+"/")
		if dir == "." {
			below = name
		}
		switch {
		case rules.Ignore(below, info) && entry.IsDir():
			return fs.SkipDir
		case rules.Ignore(below, info), entry.IsDir():
			return nil
		case !info.Mode().IsRegular():
			return fmt.Errorf("%q is not a regular file", name)
		case info.Size() > maxFileSize:
			return fmt.Errorf("%q is larger than %d MiB", name, maxFileSize>>20)
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return fmt.Errorf("%q: %w", name, cause(err))
		}
		parts = append(parts, &archive.BufferedFile{Name: below, ModTime: info.ModTime(), Data: bytes.TrimPrefix(data, []byte("\ufeff"))})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading chart %q: %w", dir, err)
	}
	return parts, nil
}

func ignored(files fs.FS, dir string) (*ignore.Rules, error) {
	rules := ignore.Empty()
	data, err := fs.ReadFile(files, path.Join(dir, ignore.HelmIgnore))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("reading chart %q: %s: %w", dir, ignore.HelmIgnore, cause(err))
	default:
		if rules, err = ignore.Parse(bytes.NewReader(data)); err != nil {
			return nil, fmt.Errorf("chart %q: %s: %w", dir, ignore.HelmIgnore, err)
		}
	}
	rules.AddDefaults()
	return rules, nil
}

// cause takes the path off an error of a file system, since the message names it
// already.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
