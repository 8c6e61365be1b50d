//go:build e2e

package main

import (
	"testing"

	"github.com/kind-lab/lab/labs/expect"
)

// TestEveryStepOnARealCluster does every verb on a cluster with a worker. What
// each must result in is in the scenario itself.
func TestEveryStepOnARealCluster(t *testing.T) {
	t.Parallel()
	dir, scenario := t.TempDir(), inTestdata(t, "steps")
	if _, code := labIn(t, dir, "run", "--no-logs", scenario); code != exitUsage {
		t.Errorf("without --allow-host-exec: exit code %d, want %d", code, exitUsage)
	}
	if _, code := labIn(t, dir, "run", "--no-logs", "--allow-host-exec", scenario); code != exitPass {
		t.Errorf("exit code %d, want %d", code, exitPass)
	}
	r := theReport(t, dir) // the run that was not allowed must leave none
	steps := 0
	for _, run := range r.Runs {
		for _, s := range run.Steps {
			steps++
			if s.Status != expect.Pass {
				t.Errorf("%s: %s %q is %s: %s", run.Scenario, s.Verb, s.Name, s.Status, s.Detail)
			}
		}
	}
	if len(r.Runs) != 2 || steps < 50 {
		t.Errorf("%d runs with %d steps are reported", len(r.Runs), steps)
	}
}
