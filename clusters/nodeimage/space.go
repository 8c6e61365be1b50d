package nodeimage

import (
	"context"
	"fmt"
)

const gib = 1 << 30

// A build's needs of disk space, in bytes, with some room.
const (
	cacheNeed   = 2 * gib // the stages of one version and the shared ones
	compileNeed = 3 * gib // the Go command's own cache
	engineNeed  = 3 * gib // the base image, one node image, and its making
)

// checkSpace says with an ErrNoSpace where a disk is too full to begin a
// build. What cannot be measured does not stop it.
func (p *Provider) checkSpace(ctx context.Context) error {
	compiled, err := p.tool.cacheDir(ctx)
	if err != nil {
		return err
	}
	type disk struct {
		path string
		need int64
		what []string
	}
	disks := map[uint64]*disk{}
	var order []*disk
	for _, d := range []struct {
		path, what string
		need       int64
	}{
		{p.store.root, "lab's cache", cacheNeed},
		{compiled, "the Go build cache", compileNeed},
		{p.engine.dataDir(ctx), "the container engine's images", engineNeed},
	} {
		device, err := p.device(d.path)
		if d.path == "" || err != nil {
			continue
		}
		if disks[device] == nil {
			disks[device] = &disk{path: d.path}
			order = append(order, disks[device])
		}
		disks[device].need += d.need
		disks[device].what = append(disks[device].what, fmt.Sprintf("%s in %s", d.what, d.path))
	}
	for _, d := range order {
		free, err := p.free(d.path)
		if err != nil || free >= d.need {
			continue
		}
		return fmt.Errorf("%w: building a node image needs about %.1f GB where %s is, and %.1f GB are free; make room (`lab image prune` removes what earlier builds left), or set LAB_CACHE to a folder on another disk",
			ErrNoSpace, float64(d.need)/gib, joinAnd(d.what), float64(free)/gib)
	}
	return nil
}

// joinAnd joins a list for a sentence.
func joinAnd(items []string) string {
	switch n := len(items); n {
	case 0:
		return ""
	case 1:
		return items[0]
	default:
		text := items[0]
		for _, item := range items[1 : n-1] {
			text += ", " + item
		}
		return text + " and " + items[n-1]
	}
}
