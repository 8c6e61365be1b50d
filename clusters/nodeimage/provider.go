package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/kind-lab/lab/clusters"
)

// DefaultRepository is where kind publishes node images.
const DefaultRepository = "kindest/node"

// Options say where a Provider finds and makes images.
type Options struct {
	// Engine holds the images.
	Engine clusters.Engine
	// Cache is the folder for what was built; empty means $LAB_CACHE/nodeimage,
	// or lab/nodeimage in the user's cache folder.
	Cache string
	// Repository is where node images are looked for, in the engine and in the
	// registry; empty means DefaultRepository.
	Repository string
	// Go is the Go command; empty means "go" on the PATH.
	Go string
	// Kind is the version of the kind module whose base image is followed;
	// empty means the one that this program was built with.
	Kind string
}

// Provider has, pulls or builds images. It may be used by several goroutines.
type Provider struct {
	engine     engine
	store      store
	repository string
	tool       goTool
	debian     debian
	kind       string
	now        func() time.Time
	beat       time.Duration
	patience   time.Duration
	free       func(path string) (int64, error)
	device     func(path string) (uint64, error)
	can        func() error
	registry   *registry
	nodes      nodeRecipe
}

// nodeRecipe builds node images.
type nodeRecipe interface {
	nodeImage(ctx context.Context, b *builder, v clusters.Version) error
}

// New returns a Provider. It touches nothing but the cache's folder.
func New(o Options) (*Provider, error) {
	cache, err := cacheDir(o.Cache)
	if err != nil {
		return nil, err
	}
	empty := filepath.Join(cache, "empty")
	if err := os.MkdirAll(empty, 0o755); err != nil {
		return nil, fmt.Errorf("making the cache for images: %w", spaceError(err))
	}
	p := &Provider{
		engine: engine{cli: o.Engine}, store: store{root: cache}, repository: o.Repository, kind: o.Kind,
		tool: goTool{path: o.Go, dir: empty}, debian: debian{osRelease: "/etc/os-release", alone: true},
		now: time.Now, beat: heartbeat, patience: pullPatience, free: freeBytes, device: deviceOf, can: buildable,
		registry: newRegistry(),
	}
	if p.repository == "" {
		p.repository = DefaultRepository
	}
	if p.tool.path == "" {
		p.tool.path = "go"
	}
	p.nodes = &recipe{engine: p.engine, store: p.store, tool: p.tool, debian: p.debian, kind: p.kind, modules: p.modules()}
	return p, nil
}

// cacheDir is the absolute path of the cache's folder.
func cacheDir(option string) (string, error) {
	dir := option
	if dir == "" && os.Getenv("LAB_CACHE") != "" {
		dir = filepath.Join(os.Getenv("LAB_CACHE"), "nodeimage")
	}
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("finding the user's cache folder (LAB_CACHE names another): %w", err)
		}
		dir = filepath.Join(user, "lab", "nodeimage")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("finding the cache folder: %w", err)
	}
	return dir, nil
}

// modules finds what can be had as Go modules.
func (p *Provider) modules() moduleSource { return moduleSource{tool: p.tool} }

// image is the name of the node image of a version.
func (p *Provider) image(v clusters.Version) string { return p.repository + ":v" + v.String() }

// Ensure makes the engine have the node image that a Resolution names: it is
// there, or it is pulled, or it is built. It returns the image's reference.
//
// Builds are cached by what goes into them, so that one which was interrupted
// goes on where it was, and of a second version only Kubernetes itself is
// built. One build runs at a time for each cache: another waits, and says so.
func (p *Provider) Ensure(ctx context.Context, want Resolution, progress Progress) (string, error) {
	ref := want.Image
	if ref == "" {
		ref = p.image(want.Version)
	}
	if ok, err := p.engine.has(ctx, ref); ok || err != nil {
		return ref, err
	}
	pullErr := p.pull(ctx, ref, progress)
	if pullErr == nil {
		return ref, nil
	}
	if ctx.Err() != nil {
		return "", pullErr
	}
	if ref != p.image(want.Version) {
		return "", &NoImageError{Image: ref, Registry: reason(pullErr), Build: "it is no image of " + p.repository}
	}
	if err := p.build(ctx, want.Version, progress, false); err != nil {
		return "", err
	}
	return ref, nil
}

// Build builds the node image of a version out of Go modules and Debian
// packages, also where the engine or the registry has one, and returns its
// reference. What the cache holds is not built again; so this is quick where
// the recipe has not changed.
func (p *Provider) Build(ctx context.Context, v clusters.Version, progress Progress) (string, error) {
	if err := p.build(ctx, v, progress, true); err != nil {
		return "", err
	}
	return p.image(v), nil
}

// build makes the node image of a version; unless it is forced, not where
// another process has done so meanwhile.
func (p *Provider) build(ctx context.Context, v clusters.Version, progress Progress, force bool) (err error) {
	ref := p.image(v)
	if err := p.can(); err != nil {
		return err
	}
	unlock, err := p.locked(ctx, nodeLock, ref, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if ok, err := p.engine.has(ctx, ref); err != nil || ok && !force {
		return err
	}
	if err := p.checkSpace(ctx, v); err != nil {
		return err
	}
	b := &builder{store: p.store, progress: progress, beat: p.beat, image: ref}
	if err := p.nodes.nodeImage(ctx, b, v); err != nil {
		return fmt.Errorf("building %s: %w", ref, err)
	}
	return nil
}

// locked takes a lock, and says while it waits for whom.
func (p *Provider) locked(ctx context.Context, lock, ref string, progress Progress) (func() error, error) {
	var said time.Time
	begun := p.now()
	return p.store.lock(ctx, lock, "building "+ref, func(holder string) {
		if now := p.now(); progress != nil && now.Sub(said) >= p.beat {
			said = now
			progress(Event{Image: ref, Stage: "waiting for another build", State: Waiting, Text: holder, Elapsed: now.Sub(begun)})
		}
	})
}
