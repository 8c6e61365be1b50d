// Package gotool gets Go modules and compiles programs from them, with the Go
// command and the user's own settings of where modules come from.
package gotool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/store"
)

// Tool runs the Go command outside of any module, with the user's own
// settings of where modules come from.
type Tool struct {
	Path string
	// dir is an empty folder.
	dir string
}

// New returns the Go command at path; empty means "go" on the PATH. It
// makes the folder empty in the cache.
func New(path, cache string) (Tool, error) {
	empty := filepath.Join(cache, "empty")
	if err := os.MkdirAll(empty, 0o755); err != nil {
		return Tool{}, fmt.Errorf("making the cache for images: %w", store.SpaceError(err))
	}
	return Tool{Path: cmp.Or(path, "go"), dir: empty}, nil
}

// Origin says in one line where the user's settings have modules from.
func (g Tool) Origin(ctx context.Context) (string, error) {
	out, err := build.Child{Dir: g.dir, Env: g.env()}.Output(ctx, g.Path, "env", "GOPROXY", "GOPRIVATE", "GONOSUMDB", "GOFLAGS")
	if err != nil {
		return "", fmt.Errorf("asking where Go modules come from: %w", err)
	}
	return build.OneLine(string(out)), nil
}

// env is what the Go command runs with beside the user's own environment.
func (g Tool) env() []string {
	return []string{"GOWORK=off", "GO111MODULE=on", "CGO_ENABLED=0"}
}

// Version is the toolchain's version, such as "go1.26.8".
func (g Tool) Version(ctx context.Context) (string, error) {
	out, err := build.Child{Dir: g.dir, Env: g.env()}.Output(ctx, g.Path, "env", "GOVERSION")
	if err != nil {
		return "", fmt.Errorf("asking for the Go version: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// CacheDir is where the toolchain keeps what it compiled.
func (g Tool) CacheDir(ctx context.Context) (string, error) {
	out, err := build.Child{Dir: g.dir, Env: g.env()}.Output(ctx, g.Path, "env", "GOCACHE")
	if err != nil {
		return "", fmt.Errorf("asking for the Go build cache: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Versions are the released versions of a module that are listed, oldest
// first. The list may lack versions that are available.
func (g Tool) Versions(ctx context.Context, module string) ([]string, error) {
	mods, err := g.modules(ctx, "list", "-m", "-e", "-versions", "-json", module)
	if err != nil {
		return nil, fmt.Errorf("listing the versions of %s: %w", module, err)
	}
	if len(mods) != 1 || mods[0].Err != "" {
		return nil, fmt.Errorf("listing the versions of %s: %s", module, FirstError(mods))
	}
	return mods[0].Versions, nil
}

// Find asks whether one module version ("path@version") is there, without
// getting it.
func (g Tool) Find(ctx context.Context, module string) (Module, error) {
	mods, err := g.modules(ctx, "list", "-m", "-e", "-json", module)
	if err != nil {
		return Module{}, fmt.Errorf("looking for %s: %w", module, err)
	}
	if len(mods) != 1 || mods[0].Err != "" {
		return Module{}, fmt.Errorf("looking for %s: %s", module, FirstError(mods))
	}
	return mods[0], nil
}

// Get downloads and verifies one module ("path@version").
func (g Tool) Get(ctx context.Context, module string) (Module, error) {
	mods, err := g.Download(ctx, module)
	if err != nil {
		return Module{}, err
	}
	if len(mods) != 1 || mods[0].Err != "" {
		return Module{}, fmt.Errorf("downloading %s: %s", module, FirstError(mods))
	}
	return mods[0], nil
}

// Download gets modules ("path@version") and verifies them. Those that cannot
// be had are in the answer with their Err.
func (g Tool) Download(ctx context.Context, modules ...string) ([]Module, error) {
	mods, err := g.modules(ctx, append([]string{"mod", "download", "-json"}, modules...)...)
	if err != nil {
		return nil, fmt.Errorf("downloading modules: %w", err)
	}
	return mods, nil
}

// modules runs the Go command and reads the modules that it writes. Modules
// that are in error are no failure of the command.
func (g Tool) modules(ctx context.Context, args ...string) ([]Module, error) {
	out, err := build.Child{Dir: g.dir, Env: g.env()}.Output(ctx, g.Path, args...)
	if err != nil && (ctx.Err() != nil || len(bytes.TrimSpace(out)) == 0 || errors.Is(err, store.ErrNoSpace)) {
		return nil, err
	}
	var mods []Module
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var m Module
		switch err := decoder.Decode(&m); {
		case errors.Is(err, io.EOF):
			return mods, nil
		case err != nil:
			return nil, fmt.Errorf("reading what go %s wrote: %w", args[0], err)
		}
		mods = append(mods, m)
	}
}

// Pick finds the version wanted of a module, or if that is not available, the
// newest that is listed of the same minor line.
func (g Tool) Pick(ctx context.Context, module, wanted string) (Module, error) {
	m, err := g.Find(ctx, module+"@"+wanted)
	if err == nil {
		return m, nil
	}
	listed, listErr := g.Versions(ctx, module)
	if listErr != nil {
		return Module{}, err
	}
	for _, v := range slices.Backward(listed) {
		if semver.MajorMinor(v) != semver.MajorMinor(wanted) || semver.Prerelease(v) != "" {
			continue
		}
		if m, findErr := g.Find(ctx, module+"@"+v); findErr == nil {
			return m, nil
		}
	}
	return Module{}, err
}
