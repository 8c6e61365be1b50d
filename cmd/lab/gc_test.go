package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/journal"
)

// TestGcLeavesRunsOfOtherFoldersAlone looks for clusters from another folder
// than that of the run that uses them.
func TestGcLeavesRunsOfOtherFoldersAlone(t *testing.T) {
	cache := t.TempDir()
	env := func(name string) (string, bool) { return cache, name == "LAB_CACHE" }
	world := &backend{remaining: func(context.Context) ([]clusters.Remaining, error) {
		return []clusters.Remaining{{ID: "lab-abc123-v128", Nodes: []string{"lab-abc123-v128-control-plane (running)"}}}, nil
	}}
	var out bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: os.Stderr, env: env, open: func(context.Context, *app) (*backend, error) { return world, nil }}
	run, err := journal.Create(t.TempDir(), "20260102-030405-abc123")
	if err != nil {
		t.Fatal(err)
	}
	release, err := journal.Register(a.hostRuns(), run.Dir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if code := a.main(t.Context(), []string{"gc"}); code != exitPass || !strings.Contains(out.String(), "Nothing to remove") {
		t.Errorf("exit code %d, %s", code, out.String())
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if code := a.main(t.Context(), []string{"gc"}); code != exitPass || !strings.Contains(out.String(), "Remove this cluster?") {
		t.Errorf("exit code %d, %s", code, out.String())
	}
}
