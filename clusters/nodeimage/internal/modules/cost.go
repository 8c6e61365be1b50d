package modules

import (
	"context"
	"runtime"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/store"
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
		"userland":   {seconds: 60, cache: 700 * store.MiB, engine: 300 * store.MiB},
		"containerd": {seconds: 75, cache: 100 * store.MiB, compiled: 600 * store.MiB},
		"cni":        {seconds: 5, cache: 20 * store.MiB, compiled: 50 * store.MiB},
		"crictl":     {seconds: 45, cache: 40 * store.MiB, compiled: 250 * store.MiB},
		"flannel":    {seconds: 60, cache: 60 * store.MiB, compiled: 300 * store.MiB},
		"guest":      {seconds: 5, cache: 10 * store.MiB, compiled: 10 * store.MiB},
		"kubernetes": {seconds: 330, cache: 500 * store.MiB, compiled: 2500 * store.MiB},
		"etcd":       {seconds: 30, cache: 40 * store.MiB, compiled: 250 * store.MiB},
		"coredns":    {seconds: 90, cache: 60 * store.MiB, compiled: 550 * store.MiB},
		"assembling": {seconds: 15, cache: 300 * store.MiB, engine: 1200 * store.MiB},
	}
}

// kubernetesStage is what the stage of a release is called.
func kubernetesStage(v clusters.Version) string { return "Kubernetes " + v.String() }

// ahead is what it takes to build a version here, less what is in the cache.
func (r *Recipe) ahead(v clusters.Version) cost {
	built := map[string]bool{}
	metas, err := r.store.List()
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

// Estimate is how long a build of v takes here, by the number of processors.
func (r *Recipe) Estimate(v clusters.Version) time.Duration {
	seconds := r.ahead(v).seconds * 2 / float64(max(1, min(runtime.NumCPU(), 16)))
	return time.Duration(seconds) * time.Second
}

// checkSpace returns an ErrNoSpace if a disk is too full to begin the build of
// v.
func (r *Recipe) checkSpace(ctx context.Context, v clusters.Version) error {
	compiled, err := r.Tool.CacheDir(ctx)
	if err != nil {
		return err
	}
	ahead := r.ahead(v)
	return r.Disks.Check("building a node image",
		store.Need{Path: r.store.Root, What: "lab's cache", Bytes: ahead.cache},
		store.Need{Path: compiled, What: "the Go build cache", Bytes: ahead.compiled},
		store.Need{Path: r.engine.DataDir(ctx), What: "the container engine's images", Bytes: ahead.engine})
}
