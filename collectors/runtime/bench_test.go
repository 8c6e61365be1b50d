//go:build e2e

package runtime

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"
)

// BenchmarkSync asks a real node, LAB_E2E_NODE, for all that it knows. It tells
// how long the first proof took, and how long the questions did.
func BenchmarkSync(b *testing.B) {
	node := os.Getenv("LAB_E2E_NODE")
	if node == "" {
		b.Fatal("LAB_E2E_NODE names no node")
	}
	c := New(&dockerExec{}, newSink(), Options{Nodes: []string{node}, Namespaces: []string{"default"}})
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	began := time.Now()
	go func() { done <- c.Run(ctx) }()
	<-c.Ready()
	ready := time.Since(began)
	var took []time.Duration
	for b.Loop() {
		asked := time.Now()
		if err := c.Sync(ctx); err != nil {
			b.Error(err)
		}
		took = append(took, time.Since(asked))
	}
	cancel()
	if err := <-done; err != nil {
		b.Error(err)
	}
	slices.Sort(took)
	b.ReportMetric(ready.Seconds()*1000, "ms-ready")
	b.ReportMetric(took[len(took)/2].Seconds()*1000, "ms-p50")
	b.ReportMetric(took[len(took)*9/10].Seconds()*1000, "ms-p90")
	b.ReportMetric(took[len(took)-1].Seconds()*1000, "ms-max")
}
