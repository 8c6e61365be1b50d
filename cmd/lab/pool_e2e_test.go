//go:build e2e

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The tests share the clusters of the pool that make gives them, or of one of
// their own, which is gone with them.
func init() {
	around = func(all func() int) int {
		if os.Getenv("LAB_POOL") != "" {
			return all()
		}
		dir, err := os.MkdirTemp("", "lab-test-pool-")
		if err == nil {
			err = os.Setenv("LAB_POOL", filepath.Join(dir, "pool"))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		code := all()
		a := &app{stdin: strings.NewReader(""), stdout: os.Stdout, stderr: os.Stderr, env: os.LookupEnv, open: openParts}
		if end := a.main(context.Background(), []string{"down", "--all"}); end != exitPass {
			code = max(code, end)
		}
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return code
	}
}

// TestTheNextRunTakesTheSameCluster runs a lab twice: the second run begins at
// once, finds nothing of the first, and has the same verdicts.
func TestTheNextRunTakesTheSameCluster(t *testing.T) {
	t.Parallel()
	from, err := filepath.Abs(filepath.Join("testdata", "pool"))
	if err != nil {
		t.Fatal(err)
	}
	var taken []string
	for range 3 {
		dir := t.TempDir()
		began := time.Now()
		out, err := asProgram(t, dir, "run", "--no-logs", from).CombinedOutput()
		if err != nil {
			t.Fatalf("%v:\n%s", err, out)
		}
		r := theReport(t, dir)
		taken = append(taken, r.Clusters[0].Nodes[0])
		create := r.Clusters[0].Phases
		t.Logf("%s: %s in all, %+v", taken[len(taken)-1], time.Since(began).Round(10*time.Millisecond), create)
	}
	if taken[1] != taken[2] {
		t.Errorf("the clusters were %v, want the same twice", taken)
	}
}
