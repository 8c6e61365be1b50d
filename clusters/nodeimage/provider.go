package nodeimage

import (
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/gotool"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/store"
	"github.com/kind-lab/lab/clusters/nodeimage/internal/kindbuild"
	"github.com/kind-lab/lab/clusters/nodeimage/internal/modules"
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
	// Kind is the version of the kind module whose base image is followed when
	// a node image is built from Go modules; empty means the one that this
	// program was built with.
	Kind string
	// Program is the path of a program that calls RunKindBuilder before anything
	// else; empty means that kind's own builder is not used.
	Program string
}

// Provider finds, pulls or builds node images. It may be used by several
// goroutines.
type Provider struct {
	engine     images.Engine
	store      store.Store
	repository string
	puller     *images.Puller
	kind       *kindbuild.Builder
	modules    *modules.Recipe
	now        func() time.Time
	beat       time.Duration
}

// New returns a Provider. It touches nothing but the cache's folder.
func New(o Options) (*Provider, error) {
	cache, err := store.Open(o.Cache)
	if err != nil {
		return nil, err
	}
	tool, err := gotool.New(o.Go, cache.Root)
	if err != nil {
		return nil, err
	}
	p := &Provider{
		engine: images.Engine{CLI: o.Engine}, store: cache, repository: o.Repository,
		puller: images.NewPuller(images.Engine{CLI: o.Engine}), now: time.Now, beat: build.Heartbeat,
	}
	p.kind = kindbuild.New(p.engine, cache, p.puller, o.Program)
	p.modules = modules.New(p.engine, cache, tool, o.Kind)
	if p.repository == "" {
		p.repository = DefaultRepository
	}
	return p, nil
}

// Puller pulls images for this provider. Who provides other images takes it
// too, so that a registry which does not answer is asked once.
func (p *Provider) Puller() *images.Puller { return p.puller }

// image is the name of the node image of a version.
func (p *Provider) image(v clusters.Version) string { return p.repository + ":v" + v.String() }
