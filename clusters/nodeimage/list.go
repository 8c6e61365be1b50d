package nodeimage

import (
	"context"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/oci"
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
	inv := Inventory{Cache: p.store.Root, Images: []Image{}, Entries: []CacheEntry{}}
	images, err := p.images(ctx)
	if err != nil {
		return inv, err
	}
	inv.Images = append(inv.Images, images...)
	metas, err := p.store.List()
	if err != nil {
		return inv, err
	}
	for _, m := range metas {
		e := CacheEntry{Name: m.Name, Folder: p.store.Path(m.Kind, m.Key), Size: m.Bytes, Built: m.Built, Took: time.Duration(m.Seconds * float64(time.Second))}
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
	refs, err := p.engine.Tags(ctx, p.repository)
	if err != nil {
		return nil, err
	}
	built, err := p.engine.Built(ctx)
	if err != nil {
		return nil, err
	}
	for _, ref := range built {
		if !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	slices.Sort(refs)
	users, err := p.engine.Users(ctx)
	if err != nil {
		return nil, err
	}
	var found []Image
	for _, ref := range refs {
		// One at a time: an image that goes meanwhile is left out.
		inspected, err := p.engine.Inspect(ctx, ref)
		if err != nil {
			return nil, err
		}
		if len(inspected) == 1 {
			found = append(found, p.describe(ref, inspected[0], users))
		}
	}
	for i := range found {
		for _, other := range found {
			if found[i].Role == images.RoleBase && other.base == found[i].Ref {
				found[i].UsedBy = append(found[i].UsedBy, other.Ref)
			}
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].Role > found[j].Role })
	return found, nil
}

// describe reads what an image says of itself.
func (p *Provider) describe(ref string, found images.Image, users map[string][]string) Image {
	image := Image{Ref: ref, ID: found.ID, Role: images.RolePod, Size: found.Size, Created: found.BuiltAt(), UsedBy: users[found.ID]}
	name, err := oci.SplitName(ref)
	switch {
	case found.Config.Labels[images.BuiltLabel] == images.RolePod:
	case found.Config.Labels[images.BuiltLabel] == images.RoleBase:
		image.Role = images.RoleBase
	case found.Config.Labels[images.StagesLabel] != "", found.Config.Labels[images.SourceLabel] != "", err == nil && name.Repository == p.repository:
		image.Role = images.RoleNode
		for _, text := range []string{name.Tag, found.Config.Labels[images.VersionLabel+"kubernetes"]} {
			if v, err := clusters.ParseVersion(text); err == nil && image.Version == "" {
				image.Version = v.String()
			}
		}
	}
	image.Built = found.Config.Labels[images.BuiltLabel] != ""
	image.base = found.Config.Labels[images.BaseLabel]
	if stages := found.Config.Labels[images.StagesLabel]; stages != "" {
		image.stages = strings.Split(stages, ",")
	}
	for label, value := range found.Config.Labels {
		if what, ok := strings.CutPrefix(label, images.VersionLabel); ok {
			if image.Contains == nil {
				image.Contains = map[string]string{}
			}
			image.Contains[what] = value
		}
	}
	return image
}
