package replay_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/catalog"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/replay"
)

// TestTheCatalogsRecordings judges what real clusters did in the catalog's labs
// by the labs as they are now: every step comes out as it did then, and as it
// should. A lab that was changed since is recorded again. Which clusters are not
// recorded is in labs/README.md.
func TestTheCatalogsRecordings(t *testing.T) {
	names, err := catalog.Names()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			archives, err := filepath.Glob(filepath.Join("..", "catalog", name, "recordings", "*"+replay.ArchiveSuffix))
			if err != nil {
				t.Fatal(err)
			}
			if len(archives) == 0 {
				t.Fatalf("not recorded: make record LABS=%s", name)
			}
			for _, archive := range archives {
				rec, remove, err := replay.OpenArchive(archive)
				if err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := remove(); err != nil {
						t.Error(err)
					}
				}()
				m, problems := dsl.Load(filepath.Join("..", "catalog", name), dsl.Options{ClusterSets: catalog.ClusterSets()})
				if problems.HasErrors() {
					t.Fatal(problems)
				}
				for _, run := range rec.Runs {
					judgeAgain(t, rec, m, run)
				}
			}
		})
	}
}

// firstOfTheCatalog opens a recording of the catalog, with its scenario.
func firstOfTheCatalog(t *testing.T) (*replay.Recording, *dsl.Module) {
	t.Helper()
	archives, err := filepath.Glob(filepath.Join("..", "catalog", "*", "recordings", "*"+replay.ArchiveSuffix))
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	rec, remove, err := replay.OpenArchive(archives[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := remove(); err != nil {
			t.Error(err)
		}
	})
	m, problems := dsl.Load(rec.Source, dsl.Options{ClusterSets: rec.ClusterSets})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	return rec, m
}

// TestARecordingThatWasCut cuts the catalog's recordings at every byte of their
// last 4 KiB, as a run does that is killed: whatever is left is read up to
// there, and every verdict is what it was, or an error; never another.
func TestARecordingThatWasCut(t *testing.T) {
	rec, m := firstOfTheCatalog(t)
	name := filepath.Join(rec.Dir, journal.File)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	tail := bytes.LastIndexByte(whole[:len(whole)-4096], '\n') + 1
	seen := map[expect.Status]int{}
	judge := func(cut int) {
		t.Helper()
		if err := os.WriteFile(name, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		short, err := replay.Open(rec.Dir)
		if err != nil {
			t.Fatalf("cut at byte %d: %v", cut, err)
		}
		run := short.Runs[len(short.Runs)-1]
		out, err := short.Judge(m, run)
		if err != nil {
			t.Fatalf("cut at byte %d: %v", cut, err)
		}
		differences, _ := rec.Differences(out)
		for _, d := range differences {
			seen[d.Now]++
			if d.Now != expect.Error && d.Now != expect.Skip {
				t.Errorf("cut at byte %d, %s: %q was %s, and is %s: %s", cut, run.Key, d.Step, d.Before, d.Now, d.Reason)
			}
		}
	}
	entries := -1
	for cut := len(whole); cut >= max(tail, len(whole)-4096); cut-- {
		n := 0
		for _, err := range journal.Decode(bytes.NewReader(whole[tail:cut])) {
			if err != nil {
				t.Fatalf("cut at byte %d: %v", cut, err)
			}
			n++
		}
		if n != entries { // else only the line that is cut is shorter
			entries = n
			judge(cut)
		}
	}
	// The last of it may be of another run than the one that is judged.
	for cut := tail; seen[expect.Error] == 0 && cut > len(whole)/2; cut = bytes.LastIndexByte(whole[:cut-1], '\n') + 1 {
		judge(cut)
	}
	if seen[expect.Error] == 0 {
		t.Errorf("no cut made a verdict an error: %v", seen)
	}
}

func judgeAgain(t *testing.T, rec *replay.Recording, m *dsl.Module, run replay.ScenarioRun) {
	t.Helper()
	out, err := rec.Judge(m, run)
	if err != nil {
		t.Fatal(err)
	}
	differences, same := rec.Differences(out)
	for _, d := range differences {
		t.Errorf("%s: %q was %s, and is %s now: %s", run.Key, d.Step, d.Before, d.Now, d.Reason)
	}
	if same != len(out.Steps) || same == 0 {
		t.Errorf("%s: %d of %d steps are as they were recorded: record the lab again", run.Key, same, len(out.Steps))
	}
	if out.Status != expect.Pass {
		t.Errorf("%s: %s", run.Key, out.Status)
	}
}
