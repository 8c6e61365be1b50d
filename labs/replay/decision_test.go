package replay

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/expect/hide"
)

// decision is an expectation, a wait or an invariant of a recorded run, which is
// judged alone.
type decision struct {
	lab     string
	judging *Judging
	step    *dsl.Step
	records []collectors.Record
	// begin is when the step began, end when an invariant was over.
	begin, end time.Time
	// recorded is what the run found.
	recorded expect.Status
	// before is the verdict where nothing is hidden, decided when that was, and
	// sources are those that it rests on.
	before  expect.Verdict
	decided time.Time
	sources []collectors.Source
}

func (d *decision) run() ScenarioRun { return d.judging.run }

// String names the decision.
func (d *decision) String() string {
	return fmt.Sprintf("%s, %s: %s %q", d.lab, d.run().Key, d.step.Verb, d.step.Name)
}

// judge is the verdict over records, and what tells of what was read for it.
func (d *decision) judge(records []collectors.Record) (expect.Verdict, []collectors.Source) {
	view := d.judging.view
	view.Timeline = collectors.NewTimeline(d.run().Begin)
	scope := view.Scope().With(d.step.Roots)
	if invariant, ok := d.step.Action.(*action.Invariant); ok {
		i := expect.NewInvariant(invariant, scope)
		return hide.Watch(i, view.Timeline, records, d.begin, d.end), i.Sources()
	}
	decider := expect.New(d.step.Action.(action.Decided).Expectation(), scope)
	return hide.Judge(decider, view.Timeline, records, d.begin), decider.Sources()
}

// eachDecision calls a function for every decision of the catalog's recordings
// that is known alone, too, by the scenarios as they were recorded.
func eachDecision(t *testing.T, all *caution, do func(*testing.T, *decision)) {
	archives, err := filepath.Glob(filepath.Join("..", "catalog", "*", "recordings", "*"+ArchiveSuffix))
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	for _, archive := range archives {
		lab := filepath.Base(filepath.Dir(filepath.Dir(archive)))
		t.Run(lab, func(t *testing.T) {
			t.Parallel()
			rec, remove, err := OpenArchive(archive)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := remove(); err != nil {
					t.Error(err)
				}
			}()
			m, problems := dsl.Load(rec.Source, dsl.Options{ClusterSets: rec.ClusterSets})
			if problems.HasErrors() {
				t.Fatal(problems)
			}
			judgings, err := rec.Judgings(m, rec.Runs)
			if err != nil {
				t.Fatal(err)
			}
			for _, j := range judgings {
				for _, d := range decisions(lab, j) {
					all.judged(d.before)
					switch d.before.Status {
					case d.recorded:
						do(t, d)
					case expect.Error: // it is known only with the answers that it had
					default:
						t.Errorf("%s was %s, and is %s: %s", d, d.recorded, d.before.Status, d.before.Reason)
					}
				}
			}
		})
	}
}

// decisions are those of a run, with their verdicts.
func decisions(lab string, j *Judging) (found []*decision) {
	begun := map[string]time.Time{}
	var records []collectors.Record
	for _, r := range j.records {
		if r.Type == collectors.TypeStepBegin {
			begun[stepKey(r.Step.Verb, r.Step.Name)] = r.Step.StartedAt
		}
		if r.Asked == nil { // hide asks by itself
			records = append(records, r)
		}
	}
	slices.SortStableFunc(records, func(a, b collectors.Record) int { return received(a).Compare(received(b)) })
	for _, r := range j.rec.Report.Runs {
		if r.Scenario != j.run.Scenario || r.Cluster != j.run.Cluster {
			continue
		}
		for _, s := range r.Steps {
			st := j.stepOf(s.Verb, s.Name)
			begin, has := begun[stepKey(s.Verb, s.Name)]
			if st == nil || !has {
				continue
			}
			if condition, _ := action.Condition(st.Action); condition == nil {
				continue
			}
			d := &decision{lab: lab, judging: j, step: st, records: records, begin: begin, recorded: s.Status,
				end: j.run.Begin.Add(time.Duration(s.EndedAt * float64(time.Second)))}
			d.before, d.sources = d.judge(records)
			d.decided = j.run.Begin.Add(time.Duration(d.before.DecidedAt * float64(time.Second)))
			found = append(found, d)
		}
	}
	return found
}

func (j *Judging) stepOf(verb, name string) *dsl.Step {
	for _, st := range j.view.scenario.Steps {
		if st.Verb == verb && st.Name == name {
			return st
		}
	}
	return nil
}
