package mutate

import (
	"path/filepath"
	"testing"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/journal"
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

func recordsOf(t *testing.T, rec *replay.Recording, run replay.Run) []collectors.Record {
	t.Helper()
	var all []collectors.Record
	for e, err := range journal.Entries(rec.Dir) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Run == run.Key && e.Record != nil {
			all = append(all, *e.Record)
		}
	}
	return all
}
