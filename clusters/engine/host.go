package engine

import (
	"context"

	"github.com/kind-lab/lab/clusters"
)

// DetectHost is Detect with the facts about the engine's machine, in a fraction
// of a second: nothing is started. Where the engine runs on another machine (or
// in a virtual one), MissingCapabilities is empty, as only a container could
// tell; Examine starts one.
func DetectHost(ctx context.Context, getenv func(string) string) (clusters.Engine, clusters.Host, error) {
	e, facts, err := detect(ctx, getenv)
	if err != nil {
		return clusters.Engine{}, clusters.Host{}, err
	}
	host, err := hostFrom(facts, realGround(nil))
	return e, host, err
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
