package mutate

import (
	"path/filepath"
	"testing"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/replay"
)

// recordings are those of the catalog.
func recordings(t *testing.T) []*replay.Recording {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "catalog", "*", "recordings", "*"+replay.ArchiveSuffix))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	var all []*replay.Recording
	for _, name := range names {
		all = append(all, open(t, name))
	}
	return all
}

func open(t testing.TB, name string) *replay.Recording {
	t.Helper()
	rec, remove, err := replay.OpenArchive(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := remove(); err != nil {
			t.Error(err)
		}
	})
	return rec
}

// judgings are those of all runs of a recording, by its own scenario.
func judgings(t testing.TB, rec *replay.Recording) []*replay.Judging {
	t.Helper()
	m, problems := dsl.Load(rec.Source, dsl.Options{ClusterSets: rec.ClusterSets})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	all, err := rec.Judgings(m, rec.Runs)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
