package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/world"
)

// leftovers are the clusters of lab that are on this host, and what runs of this
// folder left on clusters that exist, which needs no engine.
func (a *app) leftovers(ctx context.Context, world *world.World) ([]clusters.Remaining, error) {
	made, engine := world.Remaining(ctx)
	left, err := leftOnExisting(runsRoot)
	switch {
	case err != nil:
		return nil, errors.Join(engine, err)
	case engine != nil && len(left) == 0:
		return nil, engine
	case engine != nil:
		fmt.Fprintln(a.stderr, "lab: only what is left on clusters that exist is looked at:", engine)
	}
	return append(made, left...), nil
}

// leftOnExisting is what the runs below root left on clusters that exist, by
// their journals. A journal that cannot be read to its end tells what it can.
func leftOnExisting(root string) ([]clusters.Remaining, error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for what runs left: %w", err)
	}
	var left []clusters.Remaining
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		intents, _ := journal.Unfinished(journal.Entries(dir)) // a run that was killed may have cut its last line
		for _, i := range intents {
			if i.Provider != clusters.ProviderExisting {
				continue
			}
			r := clusters.Remaining{Provider: i.Provider, ID: i.ID, Kubeconfig: i.Kubeconfig, Run: dir, Nodes: []string{"on a cluster that exists"}}
			if info, err := os.Stat(i.Kubeconfig); err == nil {
				r.Created = info.ModTime()
				left = append(left, r)
			}
		}
	}
	return left, nil
}
