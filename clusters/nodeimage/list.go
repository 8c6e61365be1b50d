package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
)

// The roles of an Image.
const (
	// RoleNode is an image that nodes are made of.
	RoleNode = "node"
	// RoleBase is what node images built here are layered on.
	RoleBase = "base"
	// RolePod is an image of pods that was built here.
	RolePod = "pod"
)

// Image is an image in the engine: a node image, or one that was built here.
type Image struct {
	// Ref is its name with its tag; the ID where a newer image has taken that.
	Ref string `json:"ref"`
	// ID is the engine's name for its content.
	ID string `json:"id"`
	// Role is RoleNode, RoleBase or RolePod.
	Role string `json:"role"`
	// Version is the Kubernetes version of a node image, such as "1.28.15";
	// empty where its tag is none.
	Version string `json:"version,omitempty"`
	// Size is in bytes; images that share layers count them each.
	Size int64 `json:"size"`
	// Created is when it was built, here or wherever it is from; zero where that
	// is not known.
	Created time.Time `json:"created,omitzero"`
	// Built says that it was built here.
	Built bool `json:"built"`
	// Contains are the versions of what is inside, where it was built here.
	Contains map[string]string `json:"contains,omitempty"`
	// UsedBy are the containers, or the images, that were made of it.
	UsedBy []string `json:"used_by,omitempty"`

	stages []string
	base   string
}

// CacheEntry is a part of images in the cache.
type CacheEntry struct {
	// Name says what it is, such as "etcd v3.5.24".
	Name string `json:"name"`
	// Folder is where it is.
	Folder string `json:"folder"`
	// Size is in bytes.
	Size int64 `json:"size"`
	// Built is when it was built, Took how long that took.
	Built time.Time     `json:"built"`
	Took  time.Duration `json:"took_ns"`
	// UsedBy are the images in the engine that it is part of.
	UsedBy []string `json:"used_by,omitempty"`
}

// Inventory is what there is of images.
type Inventory struct {
	// Cache is the cache's folder.
	Cache string `json:"cache"`
	// Images are the node images in the engine and what was built here, by
	// role and name.
	Images []Image `json:"images"`
	// Entries are the parts in the cache, by name.
	Entries []CacheEntry `json:"entries"`
}

// List says which images and parts of images there are.
func (p *Provider) List(ctx context.Context) (Inventory, error) {
	inv := Inventory{Cache: p.store.root, Images: []Image{}, Entries: []CacheEntry{}}
	images, err := p.images(ctx)
	if err != nil {
		return inv, err
	}
	inv.Images = append(inv.Images, images...)
	metas, err := p.store.list()
	if err != nil {
		return inv, err
	}
	for _, m := range metas {
		e := CacheEntry{Name: m.Name, Folder: p.store.stagePath(m.Kind, m.Key), Size: m.Bytes, Built: m.Built, Took: time.Duration(m.Seconds * float64(time.Second))}
		for i, image := range inv.Images {
			if !slices.Contains(image.stages, filepath.Base(e.Folder)) {
				continue
			}
			e.UsedBy = append(e.UsedBy, image.Ref)
			if image.Created.IsZero() {
				inv.Images[i].Created = m.Built
			}
		}
		inv.Entries = append(inv.Entries, e)
	}
	sort.SliceStable(inv.Entries, func(i, j int) bool { return inv.Entries[i].Name < inv.Entries[j].Name })
	return inv, nil
}

// images are the node images and what was built here.
func (p *Provider) images(ctx context.Context) ([]Image, error) {
	refs, err := p.engine.tags(ctx, p.repository)
	if err != nil {
		return nil, err
	}
	built, err := p.engine.built(ctx)
	if err != nil {
		return nil, err
	}
	for _, ref := range built {
		if !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	slices.Sort(refs)
	users, err := p.engine.users(ctx)
	if err != nil {
		return nil, err
	}
	var images []Image
	for _, ref := range refs {
		// One at a time: an image that goes meanwhile is left out.
		found, err := p.engine.inspect(ctx, ref)
		if err != nil {
			return nil, err
		}
		if len(found) == 1 {
			images = append(images, p.describe(ref, found[0], users))
		}
	}
	for i := range images {
		for _, other := range images {
			if images[i].Role == RoleBase && other.base == images[i].Ref {
				images[i].UsedBy = append(images[i].UsedBy, other.Ref)
			}
		}
	}
	sort.SliceStable(images, func(i, j int) bool { return images[i].Role > images[j].Role })
	return images, nil
}

// describe reads what an image says of itself.
func (p *Provider) describe(ref string, found engineImage, users map[string][]string) Image {
	image := Image{Ref: ref, ID: found.ID, Role: RolePod, Size: found.Size, Created: found.created(), UsedBy: users[found.ID]}
	name, err := splitImage(ref)
	switch {
	case found.Config.Labels[builtLabel] == RolePod:
	case found.Config.Labels[builtLabel] == RoleBase:
		image.Role = RoleBase
	case found.Config.Labels[stagesLabel] != "", err == nil && name.repository == p.repository:
		image.Role = RoleNode
		for _, text := range []string{name.tag, found.Config.Labels[versionLabel+"kubernetes"]} {
			if v, err := clusters.ParseVersion(text); err == nil && image.Version == "" {
				image.Version = v.String()
			}
		}
	}
	image.Built = found.Config.Labels[builtLabel] != ""
	image.base = found.Config.Labels[baseLabel]
	if stages := found.Config.Labels[stagesLabel]; stages != "" {
		image.stages = strings.Split(stages, ",")
	}
	for label, value := range found.Config.Labels {
		if what, ok := strings.CutPrefix(label, versionLabel); ok {
			if image.Contains == nil {
				image.Contains = map[string]string{}
			}
			image.Contains[what] = value
		}
	}
	return image
}

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
func (p *Provider) Prune(ctx context.Context, o PruneOptions, progress Progress) (_ PruneResult, err error) {
	result := PruneResult{Removed: []Pruned{}}
	for _, lock := range []string{nodeLock, podLock} {
		unlock, err2 := p.locked(ctx, lock, "removing images", progress)
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
		failed = append(failed, p.engine.sweep(ctx, p.store.workName()), removeTree(filepath.Join(p.store.root, partDir)), removeTree(filepath.Join(p.store.root, podPartDir)))
	}
	gone := map[string]bool{}
	for _, image := range inv.Images {
		if !o.wantsImage(image, gone, p.now()) {
			continue
		}
		if !o.DryRun {
			if err := p.engine.untag(ctx, image.Ref); err != nil {
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
			if err := removeTree(e.Folder); err != nil {
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
	unwanted := o.All || image.Role == RoleBase || image.Ref == image.ID
	return image.Built && !used && unwanted && now.Sub(image.Created) >= o.OlderThan
}

// wantsEntry says whether a part of the cache goes.
func (o PruneOptions) wantsEntry(e CacheEntry, gone map[string]bool, now time.Time) bool {
	used := slices.ContainsFunc(e.UsedBy, func(by string) bool { return !gone[by] })
	return (o.All || !used) && now.Sub(e.Built) >= o.OlderThan
}

// built are the names of the images that were built here; of those that have
// lost their name to a newer one, the IDs.
func (e engine) built(ctx context.Context) ([]string, error) {
	out, err := e.run(ctx, nil, "image", "ls", "--no-trunc", "--format", "{{.ID}} {{.Repository}}:{{.Tag}}", "--filter", "label="+builtLabel)
	if err != nil {
		return nil, fmt.Errorf("listing the engine's images: %w", err)
	}
	var refs []string
	for _, line := range outputLines([]byte(out)) {
		id, ref, _ := strings.Cut(line, " ")
		if strings.Contains(ref, "<none>") {
			ref = id
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// users are the containers by the ID of the image that they were made of.
func (e engine) users(ctx context.Context) (map[string][]string, error) {
	out, err := e.run(ctx, nil, "ps", "--all", "--quiet", "--no-trunc")
	if err != nil {
		return nil, fmt.Errorf("listing the engine's containers: %w", err)
	}
	ids := strings.Fields(out)
	if len(ids) == 0 {
		return nil, nil
	}
	out, err = e.run(ctx, nil, append([]string{"container", "inspect", "--format", "{{.Image}} {{.Name}}"}, ids...)...)
	var failed *clusters.CommandError
	if errors.As(err, &failed) && missing(failed.Output) {
		err = nil // one went meanwhile; the others are in the output
	}
	if err != nil {
		return nil, fmt.Errorf("asking the engine for its containers: %w", err)
	}
	users := map[string][]string{}
	for _, line := range outputLines([]byte(out)) {
		if id, name, ok := strings.Cut(line, " "); ok {
			users[id] = append(users[id], strings.TrimPrefix(name, "/"))
		}
	}
	return users, nil
}

// untag removes an image's name, and the image where it has no other.
func (e engine) untag(ctx context.Context, ref string) error {
	_, err := e.run(ctx, nil, "image", "rm", ref)
	var failed *clusters.CommandError
	if errors.As(err, &failed) && missing(failed.Output) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("removing image %s: %w", ref, err)
	}
	return nil
}
