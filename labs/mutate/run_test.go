package mutate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report/layout"
	"github.com/kind-lab/lab/labs/selection"
)

// few is a recording of the catalog and some of its runs.
func few(t *testing.T) (*replay.Recording, *dsl.Module, []replay.ScenarioRun) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "catalog", "job-sidecar", "recordings", "*"+replay.ArchiveSuffix))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	rec := open(t, names[0])
	m, problems := dsl.Load(rec.Source, dsl.Options{ClusterSets: rec.ClusterSets})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	return rec, m, rec.Find(selection.Names{"classic"}, selection.Names{"v129"})
}

func TestTheSameOptionsGiveTheSame(t *testing.T) {
	rec, m, runs := few(t)
	var texts [3][]byte
	for i, o := range []Options{{Max: 60}, {Max: 60}, {Max: 60, Seed: 1}} {
		calls := 0
		o.Progress = func(int, int) { calls++ }
		r, err := Run(t.Context(), rec, m, runs, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Made != 60 || calls != 60 {
			t.Errorf("%d copies were made, and %d reported; want 60", r.Made, calls)
		}
		r.Seed = 0
		if texts[i], err = json.Marshal(r); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Error("the same options gave something else")
	}
	if bytes.Equal(texts[0], texts[2]) {
		t.Error("another seed gave the same")
	}
}

func TestItEndsWithItsContext(t *testing.T) {
	rec, m, runs := few(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Run(ctx, rec, m, runs, Options{Progress: func(done, _ int) {
		if done == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// TestTheText has an expectation of each sort.
func TestTheText(t *testing.T) {
	by := &Mutant{Kind: KindSignal, Cluster: "v1", Change: "app ends with 143"}
	r := Result{Made: 4, Candidates: 9, Dropped: 1, Noticed: 2, Rules: allRules(), Scenarios: []Scenario{{
		Name: "s", Clusters: []string{"v1", "v2"},
		Kinds: []KindCount{{Kind: KindOOM}, {Kind: KindSignal, Candidates: 8, Made: 4, Dropped: map[string]int{RuleSame: 1}, Noticed: 2}, {Kind: KindPhase, Candidates: 1}},
		Expectations: []Expectation{
			{Name: "strong", Verb: "expect", File: "a/s.hcl", Line: 3, Decided: []string{"v1"}, Failed: 1, By: by},
			{Name: "weak", Verb: "expect", File: "a/s.hcl", Line: 4, Decided: []string{"v1"}, Errors: 2, ErrorBy: by, Survived: true, Hint: "Look."},
			{Name: "dead", Verb: "invariant", File: "a/s.hcl", Line: 5, Decided: []string{"v1"}, Survived: true, Hint: "Look."},
			{Name: "skipped", Verb: "expect", File: "a/s.hcl", Line: 6},
		},
		Unnoticed: []Mutant{{KindSignal, "v2", "app ends with\x1b[31m 137"}},
	}}}
	var b strings.Builder
	if err := WriteText(&b, r, layout.Style{ASCII: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Scenario s on v1, v2\n", "signal  8          4     1        2        nothing differs 1\n", "Nothing to change for: memory kill.\n",
		"Not made, because --max limits their number: phase.\n", "x invariant dead       s.hcl:5  Look.\n", "x expect weak  s.hcl:4  2, the first on v1: app ends with 143\n",
		"signal           v2  app ends with 137\n", "nothing differs  1 ",
		"1 of 3 expectations were broken by a change; 2 passed after all of them; 1 of these became an Error.\n",
		"4 of 9 possible changes were made: 1 were dropped by a rule, 2 were noticed, 1 were not.\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
