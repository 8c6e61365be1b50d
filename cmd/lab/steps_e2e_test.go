//go:build e2e

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kind-lab/lab/labs/expect"
)

// TestEveryStepOnARealCluster does every verb on a cluster with a worker. What
// each must come to is in the scenario itself.
func TestEveryStepOnARealCluster(t *testing.T) {
	scenario, err := filepath.Abs("testdata/steps")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: io.MultiWriter(&out, os.Stderr), stderr: os.Stderr, env: os.LookupEnv, open: openWorld}
	if code := a.main(t.Context(), []string{"run", "-no-logs", scenario}); code != exitUsage {
		t.Errorf("without -allow-host-exec: exit code %d, want %d", code, exitUsage)
	}
	if code := a.main(t.Context(), []string{"run", "-no-logs", "-allow-host-exec", scenario}); code != exitPass {
		t.Errorf("exit code %d, want %d", code, exitPass)
	}
	r := theReport(t, ".") // the run that was not allowed must leave none
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
