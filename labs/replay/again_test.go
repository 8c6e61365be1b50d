package replay_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report"
)

// fromCatalog opens the recording of a lab.
func fromCatalog(t *testing.T, lab string) (*replay.Recording, *dsl.Module) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "catalog", lab, "recordings", "*"+replay.ArchiveSuffix))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	rec, remove, err := replay.OpenArchive(names[0])
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

var equal = cmp.Options{cmpopts.EquateEmpty(), cmpopts.EquateErrors()}

// TestToJudgeTwiceIsTheSame holds that a judgement leaves nothing behind that
// changes the next one.
func TestToJudgeTwiceIsTheSame(t *testing.T) {
	rec, m := fromCatalog(t, "job-sidecar")
	for _, run := range rec.Runs {
		first, err := rec.Judge(m, run)
		if err != nil {
			t.Fatal(err)
		}
		second, err := rec.Judge(m, run)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, second, equal); diff != "" {
			t.Errorf("%s (-first +second):\n%s", run.Key, diff)
		}
		j, err := rec.Judging(m, run)
		if err != nil {
			t.Fatal(err)
		}
		before := len(j.Records())
		third, fourth := j.Over(j.Records(), run.End), j.Over(j.Records(), run.End)
		if diff := cmp.Diff(third, fourth, equal); diff != "" || len(j.Records()) != before {
			t.Errorf("%s, over its own records (-first +second):\n%s", run.Key, diff)
		}
		if diff := cmp.Diff(statuses(first), statuses(third)); diff != "" {
			t.Errorf("%s, judged and over its own records:\n%s", run.Key, diff)
		}
	}
}

func statuses(r report.ScenarioRun) map[string]expect.Status {
	all := map[string]expect.Status{}
	for _, s := range r.Steps {
		all[s.Verb+" "+s.Name] = s.Status
	}
	return all
}

// TestAReplayOfAReplayIsTheSame holds that a report that a replay made, in place of
// the run's own, is found again by another replay, without a difference.
func TestAReplayOfAReplayIsTheSame(t *testing.T) {
	rec, m := fromCatalog(t, "start-order")
	again := *rec.Report
	again.Runs = nil
	for _, run := range rec.Runs {
		out, err := rec.Judge(m, run)
		if err != nil {
			t.Fatal(err)
		}
		again.Runs = append(again.Runs, out)
	}
	if err := report.Save(rec.Dir, again); err != nil {
		t.Fatal(err)
	}
	second, err := replay.Open(rec.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, run := range second.Runs {
		out, err := second.Judge(m, run)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(again.Runs[i], out, equal); diff != "" {
			t.Errorf("%s (-first +second):\n%s", run.Key, diff)
		}
		differences, _ := second.Differences(out)
		if len(differences) > 0 {
			t.Errorf("%s differs from itself: %+v", run.Key, differences)
		}
	}
}

// TestPackingWhatWasUnpackedIsTheSame holds of each lab's recording that it can be
// handed on as often as one likes.
func TestPackingWhatWasUnpackedIsTheSame(t *testing.T) {
	for _, lab := range []string{"job-sidecar", "start-order"} {
		rec, _ := fromCatalog(t, lab)
		var first, second bytes.Buffer
		if err := replay.Pack(&first, rec.Dir); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := replay.Unpack(bytes.NewReader(first.Bytes()), dir); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "extra.txt"), []byte("not of the run"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := replay.Pack(&second, dir); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: %d bytes, and then %d", lab, first.Len(), second.Len())
		}
	}
}

// TestATimelineGrows holds that what is known of a run at a moment is never less
// than what was known before, and all at its end.
func TestATimelineGrows(t *testing.T) {
	rec, _ := fromCatalog(t, "start-order")
	run := rec.Runs[0]
	all, err := rec.Timeline(run, -1)
	if err != nil {
		t.Fatal(err)
	}
	if all.Len() != run.Records {
		t.Errorf("all are %d records, the run has %d", all.Len(), run.Records)
	}
	last := -1
	whole := run.End.Sub(run.Begin)
	for part := range 9 {
		known, err := rec.Timeline(run, whole*(1<<part-1)/255)
		if err != nil {
			t.Fatal(err)
		}
		if known.Len() < last || known.Len() > all.Len() || known.Last().After(run.End) {
			t.Errorf("part %d: %d records after %d, of %d", part, known.Len(), last, all.Len())
		}
		last = known.Len()
	}
	if last != all.Len() {
		t.Errorf("at its end %d of %d records are known", last, all.Len())
	}
}
