package nodeimage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/kind-lab/lab/clusters"
)

const (
	gib = 1 << 30
	mib = 1 << 20
)

// cost is what it takes to make a part of node images with nothing compiled
// before: time on two cores, and space in lab's cache, in the Go build cache
// and in the engine, in bytes.
type cost struct {
	seconds                 float64
	cache, compiled, engine int64
}

// costs are those of all parts, by their kind, measured with Kubernetes 1.27
// to 1.29, with some room.
func costs() map[string]cost {
	return map[string]cost{
		"userland":   {seconds: 60, cache: 700 * mib, engine: 300 * mib},
		"containerd": {seconds: 75, cache: 100 * mib, compiled: 600 * mib},
		"cni":        {seconds: 5, cache: 20 * mib, compiled: 50 * mib},
		"crictl":     {seconds: 45, cache: 40 * mib, compiled: 250 * mib},
		"flannel":    {seconds: 60, cache: 60 * mib, compiled: 300 * mib},
		"guest":      {seconds: 5, cache: 10 * mib, compiled: 10 * mib},
		"kubernetes": {seconds: 330, cache: 500 * mib, compiled: 2500 * mib},
		"etcd":       {seconds: 30, cache: 40 * mib, compiled: 250 * mib},
		"coredns":    {seconds: 90, cache: 60 * mib, compiled: 550 * mib},
		"assembling": {seconds: 15, cache: 300 * mib, engine: 1200 * mib},
	}
}

// ahead is what it takes to build a version here, less what is in the cache.
func (p *Provider) ahead(v clusters.Version) cost {
	built := map[string]bool{}
	metas, err := p.store.list()
	if err != nil {
		metas = nil // as if nothing were there
	}
	for _, m := range metas {
		built[m.Kind] = built[m.Kind] || m.Kind != "kubernetes" || m.Name == kubernetesStage(v)
	}
	var sum cost
	for kind, c := range costs() {
		if built[kind] {
			continue
		}
		sum.seconds += c.seconds
		sum.cache += c.cache
		sum.compiled += c.compiled
		sum.engine += c.engine
	}
	return sum
}

// estimate is how long a build of v takes here, by the number of processors.
func (p *Provider) estimate(v clusters.Version) time.Duration {
	seconds := p.ahead(v).seconds * 2 / float64(max(1, min(runtime.NumCPU(), 16)))
	return time.Duration(seconds) * time.Second
}

// checkSpace says with an ErrNoSpace where a disk is too full to begin the
// build of v. What cannot be measured does not stop it.
func (p *Provider) checkSpace(ctx context.Context, v clusters.Version) error {
	compiled, err := p.tool.cacheDir(ctx)
	if err != nil {
		return err
	}
	need := p.ahead(v)
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
		{p.store.root, "lab's cache", need.cache},
		{compiled, "the Go build cache", need.compiled},
		{p.engine.dataDir(ctx), "the container engine's images", need.engine},
	} {
		path := existing(d.path)
		device, err := p.device(path)
		if path == "" || err != nil {
			continue
		}
		if disks[device] == nil {
			disks[device] = &disk{path: path}
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
		where := joinAnd(d.what)
		if len(d.what) > 1 {
			where += ", which share a disk"
		}
		return fmt.Errorf("%w: building a node image needs about %.1f GB for %s, and %.1f GB are free there; make room (`lab image prune` removes what earlier builds left), or set LAB_CACHE to a folder on another disk",
			ErrNoSpace, float64(d.need)/gib, where, float64(free)/gib)
	}
	return nil
}

// existing is the path, or the nearest folder above it that exists; empty for
// an empty path.
func existing(path string) string {
	for path != "" {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
	return ""
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
