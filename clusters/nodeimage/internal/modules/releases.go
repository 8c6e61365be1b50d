package modules

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/gotool"
)

// whole gets and verifies all the modules of a release: Kubernetes itself and
// its staging modules. It fails with the first that is not available.
func (r *Recipe) whole(ctx context.Context, v clusters.Version) (gotool.Module, []string, error) {
	name := KubernetesModule + "@v" + v.String()
	mods, err := r.Tool.Download(ctx, name)
	if err != nil {
		return gotool.Module{}, nil, err
	}
	if len(mods) != 1 || mods[0].Err != "" {
		return gotool.Module{}, nil, fmt.Errorf("downloading %s: %s", name, gotool.FirstError(mods))
	}
	found, err := r.Tool.Find(ctx, name) // says when it was released, and of which commit
	if err != nil {
		return gotool.Module{}, nil, err
	}
	goMod, err := os.ReadFile(mods[0].GoMod)
	if err != nil {
		return gotool.Module{}, nil, fmt.Errorf("reading the go.mod of %s: %w", name, err)
	}
	modules, err := staging(goMod)
	if err != nil {
		return gotool.Module{}, nil, err
	}
	versioned := make([]string, len(modules))
	for i, m := range modules {
		versioned[i] = m + "@" + StagingVersion(v)
	}
	parts, err := r.Tool.Download(ctx, versioned...)
	if err != nil {
		return gotool.Module{}, nil, err
	}
	var missing []string
	for _, m := range parts {
		if m.Err != "" {
			missing = append(missing, m.Path)
		}
	}
	if len(missing) > 0 || len(parts) < len(modules) {
		return gotool.Module{}, nil, fmt.Errorf("modules are not available (%d of %d), such as %s (%s)",
			max(len(missing), len(modules)-len(parts)), len(modules), strings.Join(missing[:min(len(missing), 1)], ""), gotool.FirstError(parts))
	}
	return found, modules, nil
}

// released are the releases of Kubernetes that are listed, newest first.
func (r *Recipe) released(ctx context.Context) ([]clusters.Version, error) {
	listed, err := r.Tool.Versions(ctx, KubernetesModule)
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

// staging are the modules that a release of Kubernetes keeps in its own
// repository and publishes beside it, without the samples, which nothing
// imports.
func staging(goMod []byte) ([]string, error) {
	f, err := modfile.Parse("go.mod", goMod, nil)
	if err != nil {
		return nil, fmt.Errorf("reading the go.mod of %s: %w", KubernetesModule, err)
	}
	var modules []string
	for _, r := range f.Replace {
		if strings.HasPrefix(r.New.Path, "./staging/") && !strings.HasPrefix(r.Old.Path, "k8s.io/sample-") {
			modules = append(modules, r.Old.Path)
		}
	}
	slices.Sort(modules)
	return slices.Compact(modules), nil
}

// StagingVersion is the version of the staging modules of a release.
func StagingVersion(v clusters.Version) string { return fmt.Sprintf("v0.%d.%d", v.Minor, v.Patch) }
