package kindbuild

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sigs.k8s.io/kind/pkg/build/nodeimage"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/store"
)

const (
	// Estimate is how long a build takes on a usual line: most of it is the
	// download of half a gigabyte.
	Estimate = 4 * time.Minute
	// cleanupTime bounds the removal of what a build has made, also after it
	// was cancelled.
	cleanupTime = 30 * time.Second
	// cacheNeed and engineNeed are what a build takes in lab's cache (the
	// archive and what is in it) and in the engine, in bytes, with some room.
	cacheNeed, engineNeed = 3 * store.GiB, 2 * store.GiB
)

// Builder makes node images with kind's builder.
type Builder struct {
	engine images.Engine
	store  store.Store
	puller *images.Puller

	// Program is the path of a program that calls Main first; empty if there is
	// none, and nothing can be built.
	Program string
	// Base is the image that node images are layered on.
	Base string
	// Downloads are where releases come from.
	Downloads Downloads
	// Disks measures the disks before a build begins.
	Disks store.Disks
}

// New returns a Builder that layers on the base image of the kind module that
// this program was built with.
func New(engine images.Engine, cache store.Store, puller *images.Puller, program string) *Builder {
	return &Builder{
		engine: engine, store: cache, puller: puller, Program: program, Base: nodeimage.DefaultBaseImage,
		Downloads: Downloads{Base: releases, Patience: askTime}, Disks: store.HostDisks(),
	}
}

// Able returns in one line why the builder cannot run here, whatever can be
// reached; nil if it can.
func (k *Builder) Able() error {
	if k.Program == "" {
		return errors.New("this program cannot run it")
	}
	if client := k.client(); filepath.Base(client) != "docker" {
		return fmt.Errorf("it works with docker alone, and the container engine is %s", client)
	}
	return nil
}

// Ready returns in one line why the builder cannot run here; nil if it can. It
// asks the engine, and if the engine does not have the base image, its
// registry.
func (k *Builder) Ready(ctx context.Context) error {
	if err := k.Able(); err != nil {
		return err
	}
	if ok, err := k.engine.Has(ctx, k.Base); ok || err != nil {
		return err
	}
	if err := k.puller.Registry.Serves(ctx, k.Base); err != nil {
		return fmt.Errorf("its base image %s is not in the engine and cannot be pulled: %w", k.Base, err)
	}
	return nil
}

// client is the engine's executable.
func (k *Builder) client() string {
	if k.engine.CLI.Path != "" {
		return k.engine.CLI.Path
	}
	return k.engine.CLI.Name
}

// Newest is the newest release that a constraint allows and that can be
// downloaded. The error says in one line why there is none; a server that does
// not answer is asked once in a process.
func (k *Builder) Newest(ctx context.Context, c clusters.Constraint) (clusters.Version, error) {
	from := "downloads of " + host(k.Downloads.Base)
	if why := k.puller.Registry.Silence(from); why != "" {
		return clusters.Version{}, errors.New(why)
	}
	v, err := k.Downloads.newest(ctx, c)
	if err != nil && ctx.Err() == nil && strings.Contains(err.Error(), "does not answer") {
		k.puller.Registry.Note(from, err.Error())
	}
	return v, err
}

// Host is the server that releases are downloaded from.
func (k *Builder) Host() string { return host(k.Downloads.Base) }

// environment lets the builder find the engine's client, and marks its
// container: the builder hands the settings of proxies on to it, and clears
// them in the image.
func (k *Builder) environment(lookup func(string) (string, bool)) []string {
	noProxy, ok := lookup("NO_PROXY")
	if !ok || noProxy == "" {
		noProxy, _ = lookup("no_proxy")
	}
	env := []string{"NO_PROXY=" + strings.TrimPrefix(noProxy+","+k.mark(), ",")}
	if filepath.IsAbs(k.engine.CLI.Path) {
		search, _ := lookup("PATH")
		env = append(env, "PATH="+filepath.Dir(k.engine.CLI.Path)+string(os.PathListSeparator)+search)
	}
	return env
}

// mark is a host name that no proxy ever sees, and that only the containers of
// this cache's builds have among their settings.
func (k *Builder) mark() string { return k.store.WorkName() + "kind.invalid" }

// part is the name of an image that is not finished.
func (k *Builder) part() string { return k.store.WorkName() + "kind:latest" }

// sweep removes the containers in which builds of this cache have worked.
func (k *Builder) sweep(ctx context.Context) error {
	return k.engine.SweepMarked(ctx, "kind-build-", k.mark())
}
