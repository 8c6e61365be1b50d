package engine

import (
	"context"
	"fmt"

	"github.com/kind-lab/lab/clusters"
)

// Host returns the facts about the engine's machine, in a fraction of a
// second: nothing is started. Where the engine runs on another machine (or in
// a virtual one), MissingCapabilities is empty, as only a container could
// tell; Examine starts one.
func Host(ctx context.Context, e clusters.Engine) (clusters.Host, error) {
	return hostOf(ctx, e, realGround(nil))
}

func hostOf(ctx context.Context, e clusters.Engine, g ground) (clusters.Host, error) {
	facts, err := ask(ctx, e)
	if err != nil {
		return clusters.Host{}, fmt.Errorf("asking the container engine about its host: %w", err)
	}
	return hostFrom(facts, g)
}

func hostFrom(facts info, g ground) (clusters.Host, error) {
	h := clusters.Host{Cgroup: facts.cgroup, CPUs: facts.cpus, Memory: facts.memory}
	if h.Local = g.isLocal(facts); !h.Local {
		return h, nil
	}
	missing, err := g.missing()
	if err != nil {
		return h, err
	}
	h.MissingCapabilities = missing
	return h, nil
}
