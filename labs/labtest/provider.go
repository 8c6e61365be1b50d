package labtest

import (
	"context"
	"errors"
	"os"

	"k8s.io/klog/v2"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/e2e"
)

// NewProvider returns a provider of clusters for sigs.k8s.io/e2e-framework, over
// the pool of the host. The version is such as "1.29"; WithVersion changes it, and
// options of clusters/e2e say more:
//
//	envfuncs.CreateClusterWithOpts(labtest.NewProvider("1.28"), "main",
//		e2e.WithFeatureGate("SidecarContainers", true))
//
// Fresh and Evidence are the only options of this package that mean something to
// it: without Evidence the folder of a cluster is a temporary one, which goes
// with the cluster. What is being done is logged with klog, as the framework does.
func NewProvider(version string, options ...Option) *e2e.Provider {
	s := newSettings(options)
	return e2e.New(s.acquire, e2e.Options{
		Spec:     clusters.Spec{Version: version},
		Progress: func(text string) { klog.Info("lab: ", text) },
	})
}

// acquire leases a cluster.
func (s settings) acquire(ctx context.Context, spec clusters.Spec, progress func(string)) (e2e.Cluster, error) {
	w, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	if s.fresh {
		w.UseFresh()
	}
	if s.evidence != "" {
		lease, err := w.Acquire(ctx, s.evidence, spec, progress)
		if err != nil {
			return nil, err
		}
		return lease, nil
	}
	dir, err := os.MkdirTemp("", "labtest-")
	if err != nil {
		return nil, err
	}
	lease, err := w.Acquire(ctx, dir, spec, progress)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return temporary{lease, dir}, nil
}

// temporary is a leased cluster with a folder that goes with it.
type temporary struct {
	e2e.Cluster
	dir string
}

// Release gives the cluster back and removes the folder, unless something is left
// that it tells of.
func (c temporary) Release(ctx context.Context, tainted string) (string, error) {
	text, err := c.Cluster.Release(ctx, tainted)
	if err != nil {
		return text, err
	}
	return text, os.RemoveAll(c.dir)
}
