//go:build e2e

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheLanguageOnARealCluster runs a scenario with what the language has
// beside the steps: a matrix, for_each, dynamic blocks, objects of any kind and
// events.
func TestTheLanguageOnARealCluster(t *testing.T) {
	scenario, err := filepath.Abs("testdata/language")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: io.MultiWriter(&out, os.Stderr), stderr: os.Stderr, env: os.LookupEnv, open: openWorld}
	if code := a.main(t.Context(), []string{"run", "-no-logs", scenario}); code != exitPass {
		t.Errorf("exit code %d, want %d", code, exitPass)
	}
	if text := out.String(); strings.Contains(text, "hunter2") || strings.Contains(text, "aHVudGVyMg") {
		t.Error("the Secret is shown")
	}
	r := theReport(t, ".")
	if len(r.Runs) != 2 {
		t.Errorf("%d runs, want one for each of 2 rows", len(r.Runs))
	}
	for _, run := range r.Runs {
		for _, pod := range run.Pods {
			for _, c := range pod.Containers {
				if c.Source != "runtime" {
					t.Errorf("%s: %s/%s: its times are from %q, not from the runtime", run.Scenario, pod.Name, c.Name, c.Source)
				}
			}
		}
	}
}
