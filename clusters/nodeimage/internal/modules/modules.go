// Package modules builds node images from Go modules and Debian packages, where
// neither releases of Kubernetes nor images can be downloaded.
//
// recipe.go has the order of the steps. What a node image consists of is in
// versions.go (which versions of what), programs.go (how each is compiled),
// userland.go (the root file system), controlplane.go (the images in the image)
// and assemble.go (how it is put together). Releases that can be built are found
// in search.go.
package modules

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/debian"
	"github.com/kind-lab/lab/clusters/internal/gotool"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/store"
)

// Recipe makes node images out of Go modules and Debian packages.
type Recipe struct {
	engine images.Engine
	store  store.Store
	// kind is the version of the kind module whose base image is followed; empty
	// for the one that this program was built with.
	kind string

	// Tool compiles.
	Tool gotool.Tool
	// Debian has the packages of the userland.
	Debian debian.System
	// Can returns why this machine cannot build; nil if it can.
	Can func() error
	// Disks measures the disks before a build begins.
	Disks store.Disks
	// Now is the clock by which answers about releases age.
	Now func() time.Time
}

// New returns a recipe that works with the packages and disks of this machine.
// kind is the version of the kind module whose base image is followed; empty
// means the one that this program was built with.
func New(engine images.Engine, cache store.Store, tool gotool.Tool, kind string) *Recipe {
	return &Recipe{
		engine: engine, store: cache, kind: kind,
		Tool: tool, Debian: debian.Host(), Can: canBuild, Disks: store.HostDisks(), Now: time.Now,
	}
}

// canBuild says whether images can be built on this system at all.
func canBuild() error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("%w: it is no Linux; pull the node image where a registry can be reached", build.ErrCannotBuild)
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("%w: making a root file system takes root; run this once as root, or pull the node image where a registry can be reached", build.ErrCannotBuild)
	}
	return nil
}
