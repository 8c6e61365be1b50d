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
	"github.com/kind-lab/lab/labs/wiring"
)

// orphans are the clusters of lab that providers find, and what runs of this
// folder left on clusters whose providers cannot find it.
func (a *app) orphans(ctx context.Context, parts *wiring.Parts) ([]clusters.Orphan, error) {
	made, engine := parts.Orphans(ctx)
	left, err := leftByRuns(runsRoot, parts.Providers)
	switch {
	case err != nil:
		return nil, errors.Join(engine, err)
	case engine != nil && len(left) == 0:
		return nil, engine
	case engine != nil:
		fmt.Fprintln(a.stderr, "lab: only what runs left on clusters that lab did not make is looked at:", engine)
	}
	return append(made, left...), nil
}

// leftByRuns is what the runs below root left, by their journals, on clusters of
// providers that cannot list it. A journal that cannot be read to its end tells
// what it can.
func leftByRuns(root string, providers clusters.Providers) ([]clusters.Orphan, error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for what runs left: %w", err)
	}
	var left []clusters.Orphan
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		intents, _ := journal.Unfinished(journal.Entries(dir)) // a run that was killed may have cut its last line
		for _, i := range intents {
			if providers.Of(clusters.Spec{Provider: i.Provider}).CanListOrphans {
				continue
			}
			r := clusters.Orphan{Provider: i.Provider, ID: i.ID, Kubeconfig: i.Kubeconfig, Run: dir, Nodes: []string{"on a cluster of the provider " + i.Provider}}
			if info, err := os.Stat(i.Kubeconfig); err == nil {
				r.Created = info.ModTime()
				left = append(left, r)
			}
		}
	}
	return left, nil
}
