// Package podimage makes the container engine have the images of a scenario's pods,
// and of the containers that kind starts beside nodes.
//
// An image comes from the first of three places that has it: the engine, the
// registry, or a build on this machine. Two images can be built: busybox from
// Debian's package, and the load balancer of several control planes, for which
// kind takes Envoy's image. What is built under that name is a program of ours
// (see guest/envoy) that reads the configuration as kind writes it; a pod that
// asks for this very version of Envoy gets it too.
package podimage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/debian"
	"github.com/kind-lab/lab/clusters/internal/gotool"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/oci"
	"github.com/kind-lab/lab/clusters/internal/store"
)

// Options say where images of pods are found and made.
type Options struct {
	// Engine holds the images.
	Engine clusters.Engine
	// Cache is the folder for what was built; empty means $LAB_CACHE/nodeimage,
	// or lab/nodeimage in the user's cache folder.
	Cache string
	// Go is the Go command; empty means "go" on the PATH.
	Go string
	// Puller pulls images, and remembers which registries do not answer; nil
	// means one that knows nothing yet. See nodeimage.Provider.Puller.
	Puller *images.Puller
}

// Provider finds, pulls or builds images of pods.
type Provider struct {
	engine images.Engine
	store  store.Store
	tool   gotool.Tool
	debian debian.System
	puller *images.Puller
	beat   time.Duration
}

// New returns what provides images of pods.
func New(o Options) (*Provider, error) {
	cache, err := store.Open(o.Cache)
	if err != nil {
		return nil, err
	}
	tool, err := gotool.New(o.Go, cache.Root)
	if err != nil {
		return nil, err
	}
	e := images.Engine{CLI: o.Engine}
	if o.Puller == nil {
		o.Puller = images.NewPuller(e)
	}
	return &Provider{engine: e, store: cache, tool: tool, debian: debian.Host(), puller: o.Puller, beat: build.Heartbeat}, nil
}

// archiveFile is an image as "docker load" reads it, in its stage's folder.
const archiveFile = "image.tar"

// podImage is an image of one stage to build.
type podImage struct {
	ref      string
	stage    build.Stage
	versions map[string]string // of what is inside
}

// buildPodImage makes an image of the files that gather finds, or puts into the
// folder dir, and loads it into the engine.
func (p *Provider) buildPodImage(ctx context.Context, image podImage, progress build.Progress,
	gather func(ctx context.Context, dir string, say func(string)) ([]oci.File, v1.Config, error),
) (err error) {
	b := &build.Builder{Store: p.store, Area: store.PodImages, Progress: progress, Beat: p.beat, Image: image.ref, Steps: 2}
	unlock, err := b.Lock(ctx, "building "+image.ref)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	made := image.stage
	labels := map[string]string{images.BuiltLabel: images.RolePod, images.StagesLabel: made.Kind + "-" + made.Key()}
	for what, version := range image.versions {
		labels[images.VersionLabel+what] = version
	}
	made.Make = func(ctx context.Context, dir string, say func(string)) error {
		work := filepath.Join(dir, "work")
		if err := os.MkdirAll(work, 0o755); err != nil {
			return fmt.Errorf("making the image: %w", err)
		}
		files, config, err := gather(ctx, work, say)
		if err != nil {
			return err
		}
		config.Env, config.Labels = []string{oci.DefaultPath}, labels
		if err := writeImage(dir, image.ref, config, files); err != nil {
			return err
		}
		return store.RemoveTree(work)
	}
	dir, err := b.Stage(ctx, made)
	if err != nil {
		return err
	}
	return b.Step(ctx, "loading "+image.ref, func(ctx context.Context, _ func(string)) error {
		f, err := os.Open(filepath.Join(dir, archiveFile))
		if err != nil {
			return fmt.Errorf("reading the image: %w", err)
		}
		defer f.Close()
		return p.engine.Load(ctx, f)
	})
}

// writeImage writes an image of files to the archive in the folder dir.
func writeImage(dir, ref string, config v1.Config, files []oci.File) error {
	a := &oci.Archive{Dir: filepath.Join(dir, "blobs")}
	if err := os.MkdirAll(a.Dir, 0o755); err != nil {
		return fmt.Errorf("making the image: %w", err)
	}
	if err := a.Add([]string{ref}, config, files); err != nil {
		return err
	}
	if err := oci.WriteFile(filepath.Join(dir, archiveFile), a.Save); err != nil {
		return err
	}
	return store.RemoveTree(a.Dir)
}
