package main

import (
	"context"
	"io"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/collectors/logs"
	"github.com/kind-lab/lab/labs/world"
)

// openWorld reaches the real world.
func openWorld(ctx context.Context, a *app) (*world.World, error) {
	logs.RouteKlog(io.Discard)
	return world.Open(ctx, world.Options{Getenv: a.get, Reaper: startReaper, Program: thisProgram()})
}

// openMaker is open for what makes clusters, or looks after those that were made.
func (a *app) openMaker(ctx context.Context) (*world.World, error) {
	w, err := a.open(ctx, a)
	if err != nil {
		return nil, err
	}
	return w, w.Unavailable[clusters.ProviderKind]
}
