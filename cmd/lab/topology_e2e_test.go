//go:build e2e

package main

import (
	"testing"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
)

// TestPodsOnSeveralNodesReachEachOther boots a control plane with two workers:
// from pods on every node to one on a worker, by the pod's address, the
// Service's and its name.
func TestPodsOnSeveralNodesReachEachOther(t *testing.T) {
	t.Parallel()
	passed(t, runScenario(t, "topology", exitPass, "--cluster", "workers"), 13)
}

// TestThreeControlPlanes boots three of them with a worker, and goes on without
// the first.
func TestThreeControlPlanes(t *testing.T) {
	t.Parallel()
	passed(t, runScenario(t, "topology", exitPass, "--cluster", "control_planes"), 6)
}

// passed holds a report of one run to its number of steps, all passed.
func passed(t *testing.T, r report.Report, steps int) {
	t.Helper()
	if len(r.Runs) != 1 || len(r.Runs[0].Steps) != steps {
		t.Fatalf("%d runs, want one of %d steps: %+v", len(r.Runs), steps, r.Runs)
	}
	for _, s := range r.Runs[0].Steps {
		if s.Status != expect.Pass {
			t.Errorf("%s %q is %s: %s", s.Verb, s.Name, s.Status, s.Detail)
		}
	}
}
