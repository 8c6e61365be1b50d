// Package debian gets packages and makes root file systems with the package sources
// of this machine, and gathers programs of a root file system with the libraries
// that they need.
package debian

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kind-lab/lab/clusters/internal/build"
)

// System makes root file systems and gets packages with this machine's own
// package sources.
type System struct {
	// OSRelease is the file that names the system, /etc/os-release.
	OSRelease string
	// alone gives what makes root file systems mounts of its own.
	alone bool
}

// Host are the package sources of this machine.
func Host() System { return System{OSRelease: "/etc/os-release", alone: true} }

// Source is a package archive.
type Source struct {
	mirror, Suite string
	components    []string
}

// Source is the archive that this machine's own packages are from.
func (d System) Source(ctx context.Context) (Source, error) {
	data, err := os.ReadFile(d.OSRelease)
	if err != nil {
		return Source{}, fmt.Errorf("%w: reading which system this is: %w", build.ErrCannotBuild, err)
	}
	codename := ""
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "VERSION_CODENAME="); ok {
			codename = strings.Trim(value, `"'`)
		}
	}
	if codename == "" {
		return Source{}, fmt.Errorf("%w: %s names no release of Debian or Ubuntu; pull the node image where a registry can be reached", build.ErrCannotBuild, d.OSRelease)
	}
	out, err := build.Child{}.Output(ctx, "apt-get", "indextargets", "--format", "$(SITE) $(CODENAME) $(COMPONENT)", "Created-By: Packages")
	if err != nil {
		return Source{}, fmt.Errorf("asking apt for its package sources: %w", err)
	}
	s := Source{Suite: codename}
	for _, line := range build.OutputLines(out) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[1] != codename || s.mirror != "" && s.mirror != fields[0] {
			continue
		}
		s.mirror = fields[0]
		if !slices.Contains(s.components, fields[2]) {
			s.components = append(s.components, fields[2])
		}
	}
	if s.mirror == "" {
		return Source{}, fmt.Errorf("%w: apt has no package source for %q; add one, and run apt-get update", build.ErrCannotBuild, codename)
	}
	return s, nil
}

// Candidate is the version of a package that this machine's apt would get.
func (d System) Candidate(ctx context.Context, name string) (string, error) {
	out, err := build.Child{}.Output(ctx, "apt-cache", "show", "--no-all-versions", name)
	if err != nil {
		return "", fmt.Errorf("%w: asking apt for %s: %w", build.ErrCannotBuild, name, err)
	}
	for _, line := range build.OutputLines(out) {
		if v, ok := strings.CutPrefix(line, "Version: "); ok {
			return v, nil
		}
	}
	return "", fmt.Errorf("%w: apt knows no package %s", build.ErrCannotBuild, name)
}

// Fetch gets a package that this machine's apt knows, as a file in dir.
func (d System) Fetch(ctx context.Context, dir, name string) (string, error) {
	if err := (build.Child{Dir: dir}).Stream(ctx, "apt-get", "download", name); err != nil {
		return "", fmt.Errorf("getting the package %s: %w", name, err)
	}
	found, err := filepath.Glob(filepath.Join(dir, name+"_*.deb"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("getting the package %s: %d files came", name, len(found))
	}
	return found[0], nil
}

// proxy is what apt's own configuration says about a proxy, as an environment.
func (d System) proxy(ctx context.Context) []string {
	out, err := build.Child{}.Output(ctx, "apt-config", "dump", "--format", "%v%n", "Acquire::http::Proxy")
	if lines := build.OutputLines(out); err == nil && len(lines) == 1 {
		return []string{"http_proxy=" + lines[0]}
	}
	return nil
}
