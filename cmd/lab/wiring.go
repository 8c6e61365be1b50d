package main

import (
	"context"
	"io"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/collectors/logs"
	"github.com/kind-lab/lab/labs/wiring"
)

// openParts opens what runs on real clusters.
func openParts(ctx context.Context, a *app) (*wiring.Parts, error) {
	logs.RouteKlog(io.Discard)
	return wiring.Open(ctx, wiring.Options{Getenv: a.get, Reaper: startReaper, Program: thisProgram()})
}

// openMaker is open for what makes clusters, or looks after those that were made.
func (a *app) openMaker(ctx context.Context) (*wiring.Parts, error) {
	w, err := a.open(ctx, a)
	if err != nil {
		return nil, err
	}
	return w, w.Unavailable[clusters.ProviderKind]
}
