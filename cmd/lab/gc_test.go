package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/pool"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/wiring"
)

// TestGcLeavesRunsOfOtherFoldersAlone looks for clusters from another folder
// than that of the run that uses them.
func TestGcLeavesRunsOfOtherFoldersAlone(t *testing.T) {
	cache := t.TempDir()
	env := func(name string) (string, bool) { return cache, name == "LAB_CACHE" }
	fake := &wiring.Parts{Pool: pool.New(nil, pool.Options{Dir: filepath.Join(cache, "pool")}), Orphans: func(context.Context) ([]clusters.Orphan, error) {
		return []clusters.Orphan{{ID: "lab-abc123-v128", Nodes: []string{"lab-abc123-v128-control-plane (running)"}}}, nil
	}}
	var out bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: os.Stderr, env: env, open: func(context.Context, *app) (*wiring.Parts, error) { return fake, nil }}
	run, err := journal.Create(t.TempDir(), "20260102-030405-abc123")
	if err != nil {
		t.Fatal(err)
	}
	release, err := journal.Register(wiring.RunsDir(a.get), run.Dir())
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

func TestWhatIsGarbage(t *testing.T) {
	all := []clusters.Orphan{{ID: "lab-abc123-v128"}, {ID: "lab-dead00-v128"}, {ID: "lab-pool-idle00"}, {ID: "lab-pool-used00"},
		{ID: "lab-pool-left00"}, {ID: "lab-pool-bad000"}, {ID: "lab-pool-other0"}}
	member := func(id string, state pool.State, busy bool, lease string) pool.Status {
		s := pool.Status{Member: pool.Member{ID: id, State: state}, Busy: busy}
		if lease != "" {
			s.Lease = &pool.Lease{ID: lease}
		}
		return s
	}
	pooled := []pool.Status{member("lab-pool-idle00", pool.StateIdle, false, ""), member("lab-pool-used00", pool.StateLeased, true, "lab-abc123-v129"),
		member("lab-pool-left00", pool.StateLeased, false, "lab-dead00-v129"), member("lab-pool-bad000", pool.StateTainted, false, ""),
		member("lab-pool-gone00", pool.StateMaking, false, "lab-dead00-v127")}
	alive := []string{"20260102-030405-abc123"}
	for asked, want := range map[string]string{
		"":                       "lab-pool-left00 lab-pool-bad000 lab-pool-gone00 lab-dead00-v128",
		"20260102-030405-dead00": "lab-pool-left00 lab-pool-gone00 lab-dead00-v128",
		"lab-pool-idle00":        "lab-pool-idle00",
		"lab-pool-used00":        "",
		"lab-pool-other0":        "lab-pool-other0",
		"20260102-030405-abc123": "",
	} {
		gone, waiting := garbage(all, pooled, alive, strings.Fields(asked))
		var got []string
		for _, c := range gone {
			got = append(got, c.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("asked for %q: %v, want %q", asked, got, want)
		}
		if asked == "" && waiting != 1 {
			t.Errorf("%d wait, want 1", waiting)
		}
	}
}
