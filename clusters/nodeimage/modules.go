package nodeimage

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/kind-lab/lab/clusters"
)

// moduleSource finds out what can be had as Go modules.
type moduleSource struct {
	tool goTool
}

// knownWhole are releases whose modules have all been had, newest first. They
// are tried before what is listed, because lists are incomplete; each is
// verified all the same.
func knownWhole() []clusters.Version {
	return []clusters.Version{
		{Major: 1, Minor: 37, Patch: 0}, {Major: 1, Minor: 36, Patch: 3}, {Major: 1, Minor: 35, Patch: 4},
		{Major: 1, Minor: 34, Patch: 2}, {Major: 1, Minor: 33, Patch: 13}, {Major: 1, Minor: 33, Patch: 0},
		{Major: 1, Minor: 30, Patch: 14}, {Major: 1, Minor: 29, Patch: 15}, {Major: 1, Minor: 28, Patch: 15},
		{Major: 1, Minor: 27, Patch: 3},
	}
}

// whole gets and verifies all the modules of a release: Kubernetes itself and
// its staging modules. It fails with the first that cannot be had.
func (s moduleSource) whole(ctx context.Context, v clusters.Version) (goModule, []string, error) {
	name := kubernetesModule + "@v" + v.String()
	mods, err := s.tool.download(ctx, name)
	if err != nil {
		return goModule{}, nil, err
	}
	if len(mods) != 1 || mods[0].Err != "" {
		return goModule{}, nil, fmt.Errorf("downloading %s: %s", name, firstError(mods))
	}
	found, err := s.tool.find(ctx, name) // says when it was released, and of which commit
	if err != nil {
		return goModule{}, nil, err
	}
	goMod, err := os.ReadFile(mods[0].GoMod)
	if err != nil {
		return goModule{}, nil, fmt.Errorf("reading the go.mod of %s: %w", name, err)
	}
	modules, err := staging(goMod)
	if err != nil {
		return goModule{}, nil, err
	}
	versioned := make([]string, len(modules))
	for i, m := range modules {
		versioned[i] = m + "@" + stagingVersion(v)
	}
	parts, err := s.tool.download(ctx, versioned...)
	if err != nil {
		return goModule{}, nil, err
	}
	var missing []string
	for _, m := range parts {
		if m.Err != "" {
			missing = append(missing, m.Path)
		}
	}
	if len(missing) > 0 || len(parts) < len(modules) {
		return goModule{}, nil, fmt.Errorf("%d of its %d modules cannot be had, such as %s (%s)",
			max(len(missing), len(modules)-len(parts)), len(modules), strings.Join(missing[:min(len(missing), 1)], ""), firstError(parts))
	}
	return found, modules, nil
}

// released are the releases of Kubernetes that are listed, newest first.
func (s moduleSource) released(ctx context.Context) ([]clusters.Version, error) {
	listed, err := s.tool.versions(ctx, kubernetesModule)
	if err != nil {
		return nil, err
	}
	var versions []clusters.Version
	for _, text := range listed {
		if v, err := clusters.ParseVersion(text); err == nil && !strings.Contains(text, "-") {
			versions = append(versions, v)
		}
	}
	slices.SortFunc(versions, func(a, b clusters.Version) int { return b.Compare(a) })
	return versions, nil
}

// pick finds the version wanted of a module, or where that cannot be had the
// newest that is listed of the same minor line.
func (s moduleSource) pick(ctx context.Context, module, wanted string) (goModule, error) {
	m, err := s.tool.find(ctx, module+"@"+wanted)
	if err == nil {
		return m, nil
	}
	listed, listErr := s.tool.versions(ctx, module)
	if listErr != nil {
		return goModule{}, err
	}
	for _, v := range slices.Backward(listed) {
		if semver.MajorMinor(v) != semver.MajorMinor(wanted) || semver.Prerelease(v) != "" {
			continue
		}
		if m, findErr := s.tool.find(ctx, module+"@"+v); findErr == nil {
			return m, nil
		}
	}
	return goModule{}, err
}
