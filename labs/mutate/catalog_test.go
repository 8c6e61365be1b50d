package mutate

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/replay"
)

// survivors are the expectations of the catalog that no change breaks, each with
// the reason: LAB/SCENARIO: VERB NAME. One that does not survive any more must
// go from the list.
var survivors = map[string]string{}

// TestTheCatalogHasTeeth changes the catalog's recordings: every expectation,
// invariant and wait of the labs as they were recorded is broken by a change, but
// for those that are listed. That one became an Error is not enough.
func TestTheCatalogHasTeeth(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("..", "catalog", "*", "recordings", "*"+replay.ArchiveSuffix))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		lab := filepath.Base(filepath.Dir(filepath.Dir(name)))
		t.Run(lab, func(t *testing.T) {
			rec := open(t, name)
			m, problems := dsl.Load(rec.Source, dsl.Options{ClusterSets: rec.ClusterSets})
			if problems.HasErrors() {
				t.Fatal(problems)
			}
			r, err := Run(t.Context(), rec, m, rec.Runs, Options{Max: 2000, aimOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d copies made, %d dropped, %d noticed", r.Made, r.Dropped, r.Noticed)
			compareSurvivors(t, lab, r)
		})
	}
}

func compareSurvivors(t *testing.T, lab string, r Result) {
	t.Helper()
	found := map[string]bool{}
	for _, s := range r.Scenarios {
		for _, e := range s.Expectations {
			key := lab + "/" + s.Name + ": " + e.Verb + " " + e.Name
			switch _, listed := survivors[key]; {
			case e.weak() && !listed:
				t.Errorf("%q, line %d: it only became an Error, by: %s", key, e.Line, e.ErrorBy.Change)
			case e.Survived && !listed:
				t.Errorf("%q, line %d: no change breaks it. %s", key, e.Line, e.Hint)
			case e.Survived:
				found[key] = true
			}
		}
	}
	for key := range survivors {
		if strings.HasPrefix(key, lab+"/") && !found[key] {
			t.Errorf("%q is listed, and does not survive: take it from the list", key)
		}
	}
}
