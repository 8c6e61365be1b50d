package kindbuild

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/store"
)

// Build makes the node image of a source, of version v if that is a release, and
// returns its name. The builder's area must be locked.
func (k *Builder) Build(ctx context.Context, b *build.Builder, v clusters.Version, from Source, name Name) (_ string, err error) {
	err = k.Disks.Check("building a node image",
		store.Need{Path: k.store.Root, What: "lab's cache", Bytes: cacheNeed},
		store.Need{Path: k.engine.DataDir(ctx), What: "the container engine's images", Bytes: engineNeed})
	if err != nil {
		return "", err
	}
	b.Steps = 3
	if from.Kind == Release || from.Kind == URL {
		b.Steps = 4
	}
	where, label, err := k.fetch(ctx, b, v, from)
	if err != nil {
		return "", err
	}
	if err := k.sweep(ctx); err != nil {
		return "", err
	}
	err = b.Step(ctx, "base image "+k.Base, func(ctx context.Context, say func(string)) error {
		err := k.puller.Have(ctx, k.Base, func(e build.Event) { say(e.Text) })
		var failed *images.PullError
		if errors.As(err, &failed) {
			return fmt.Errorf("kind's builder needs %s, which is not in the engine and cannot be pulled (%s); load it into the engine, or build from Go modules", k.Base, failed.Why)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	defer func() {
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
		defer cancel()
		err = errors.Join(err, k.sweep(clean), k.engine.Untag(clean, k.part()))
	}()
	err = b.Step(ctx, "kind's builder", func(ctx context.Context, say func(string)) error { return k.make(ctx, from, where, say) })
	if err != nil {
		return "", err
	}
	var ref string
	err = b.Step(ctx, "node image", func(ctx context.Context, _ func(string)) error {
		ref, err = k.finish(ctx, label, name)
		return err
	})
	if err == nil && where != from.Where { // the download has served its purpose
		err = store.RemoveTree(filepath.Dir(where))
	}
	return ref, err
}

// fetch gets the archive of a release or at a URL into the cache. It returns the
// path of what to build from, and what the image's label says of that.
func (k *Builder) fetch(ctx context.Context, b *build.Builder, v clusters.Version, from Source) (where, label string, err error) {
	address, name := from.Where, "download of "+from.Where
	switch from.Kind {
	case Release:
		address, name = k.Downloads.archive(v), "download of Kubernetes "+v.String()
	case File, Tree:
		return from.Where, from.Kind, nil
	}
	s, err := stage(ctx, address, name)
	if err != nil {
		return "", "", err
	}
	dir, err := b.Stage(ctx, s)
	if err != nil {
		return "", "", err
	}
	return filepath.Join(dir, archiveName), address, nil
}

// make runs the builder in a process of its own.
func (k *Builder) make(ctx context.Context, from Source, where string, say func(string)) (err error) {
	r := request{Image: k.part(), Base: k.Base, Type: "file", Param: where}
	if from.Kind == Tree {
		r.Type = "source"
	}
	asked, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("asking for kind's builder: %w", err)
	}
	// The builder unpacks archives into its folder for temporary files, and
	// leaves them there.
	work, err := k.store.Begin(store.NodeImages, "kind", "work")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.RemoveTree(work)) }()
	child := build.Child{
		Env: append(k.environment(os.LookupEnv), "TMPDIR="+work, Variable+"="+string(asked)),
		Line: func(line string) bool {
			say(line)
			return true
		},
	}
	return child.Stream(ctx, k.Program)
}
