package nodeimage

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/store"
)

// PruneOptions say what goes. The zero value removes what nothing uses: parts
// in the cache that no image in the engine is made of, base images that no node
// image is layered on, and images that were built again since.
type PruneOptions struct {
	// All removes the images that were built here and the whole cache too,
	// but nothing that a container uses, and nothing that was pulled.
	All bool
	// OlderThan spares what is younger; 0 spares nothing.
	OlderThan time.Duration
	// DryRun removes nothing.
	DryRun bool
}

// Pruned is one thing that was removed, or would be.
type Pruned struct {
	// Name is an image's reference or what a part of the cache is called.
	Name string `json:"name"`
	// Image says that it is an image.
	Image bool `json:"image"`
	// Size is in bytes.
	Size int64 `json:"size"`
}

// PruneResult says what was removed, or would be.
type PruneResult struct {
	Removed []Pruned `json:"removed"`
	// Freed is the size of all parts of the cache that were removed, in bytes.
	// Images share layers, so what they free is not known.
	Freed int64 `json:"freed"`
}

// Prune removes images that were built here, and parts of images from the
// cache. It waits for a build that is under way. An image that the engine does
// not let go is an error, after all the rest was removed.
func (p *Provider) Prune(ctx context.Context, o PruneOptions, progress build.Progress) (_ PruneResult, err error) {
	result := PruneResult{Removed: []Pruned{}}
	for _, in := range store.Areas() {
		b := &build.Builder{Store: p.store, Area: in, Progress: progress, Beat: p.beat, Image: "removing images"}
		unlock, err2 := b.Lock(ctx, "removing images")
		if err2 != nil {
			return result, err2
		}
		defer func() { err = errors.Join(err, unlock()) }()
	}
	inv, err := p.List(ctx)
	if err != nil {
		return result, err
	}
	var failed []error
	if !o.DryRun {
		failed = append(failed, p.engine.Sweep(ctx, p.store.WorkName()), p.store.Clear(store.NodeImages), p.store.Clear(store.PodImages))
	}
	gone := map[string]bool{}
	for _, image := range inv.Images {
		if !o.wantsImage(image, gone, p.now()) {
			continue
		}
		if !o.DryRun {
			if err := p.engine.Untag(ctx, image.Ref); err != nil {
				failed = append(failed, err)
				continue
			}
		}
		gone[image.Ref] = true
		result.Removed = append(result.Removed, Pruned{Name: image.Ref, Image: true, Size: image.Size})
	}
	for _, e := range inv.Entries {
		if !o.wantsEntry(e, gone, p.now()) {
			continue
		}
		if !o.DryRun {
			if err := store.RemoveTree(e.Folder); err != nil {
				failed = append(failed, err)
				continue
			}
		}
		result.Removed = append(result.Removed, Pruned{Name: e.Name, Size: e.Size})
		result.Freed += e.Size
	}
	return result, errors.Join(failed...)
}

// wantsImage says whether an image goes, where those in gone go too. Node
// images come before the base images that they are layered on.
func (o PruneOptions) wantsImage(image Image, gone map[string]bool, now time.Time) bool {
	used := slices.ContainsFunc(image.UsedBy, func(by string) bool { return !gone[by] })
	unwanted := o.All || image.Role == images.RoleBase || image.Ref == image.ID
	return image.Built && !used && unwanted && now.Sub(image.Created) >= o.OlderThan
}

// wantsEntry says whether a part of the cache goes.
func (o PruneOptions) wantsEntry(e CacheEntry, gone map[string]bool, now time.Time) bool {
	used := slices.ContainsFunc(e.UsedBy, func(by string) bool { return !gone[by] })
	return (o.All || !used) && now.Sub(e.Built) >= o.OlderThan
}
