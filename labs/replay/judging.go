package replay

import (
	"fmt"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/report"
)

// Judging judges one run over its own records or over others, as often as is
// asked for, and reads the journal once. It is safe for concurrent use.
type Judging struct {
	rec     *Recording
	run     ScenarioRun
	view    View
	records []collectors.Record
}

// Judging reads the records of a run, to judge it by the scenario of a module.
// The module must have the run's scenario and cluster.
func (rec *Recording) Judging(m *dsl.Module, run ScenarioRun) (*Judging, error) {
	all, err := rec.Judgings(m, []ScenarioRun{run})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Judgings are the Judging of each of some runs. The journal is read once.
func (rec *Recording) Judgings(m *dsl.Module, runs []ScenarioRun) ([]*Judging, error) {
	var all []*Judging
	byKey := map[string]*Judging{}
	for _, run := range runs {
		scenario, cluster, err := declared(m, run)
		if err != nil {
			return nil, err
		}
		j := &Judging{rec: rec, run: run, view: View{module: m, scenario: scenario, shared: m.Shared()}}
		var known report.Cluster
		known, j.view.Namespace = rec.found(run)
		j.view.target = j.view.targetOf(cluster, known)
		byKey[run.Key], all = j, append(all, j)
	}
	begun := map[string]bool{}
	for e, err := range journal.Entries(rec.Dir) {
		if err != nil {
			return nil, fmt.Errorf("reading the records of %s: %w", rec.Dir, err)
		}
		begun[e.Run] = begun[e.Run] || e.Begin != nil
		if j := byKey[e.Run]; j != nil && e.Record != nil && begun[e.Run] {
			j.records = append(j.records, *e.Record)
		}
	}
	return all, nil
}

// Run is the run that is judged.
func (j *Judging) Run() ScenarioRun { return j.run }

// Eval evaluates an expression of a step that does not depend on what was
// observed: what does is unknown.
func (j *Judging) Eval(st *dsl.Step, expr hcl.Expression) (cty.Value, hcl.Diagnostics) {
	view := j.view
	view.Timeline = collectors.NewTimeline(j.run.Begin)
	v, diags := view.Scope().With(st.Roots).Now().EvalMarked(expr)
	v, _ = v.UnmarkDeep()
	return v, diags
}

// Question asks what an expression of a step is over what had arrived by a time.
type Question struct {
	Step  *dsl.Step
	Expr  hcl.Expression
	Until time.Time
}

// Find answers questions, which are in the order of their times, with what the
// value of each rests on; with nothing if an expression cannot be evaluated.
func (j *Judging) Find(questions []Question) []value.Finding {
	view := j.view
	view.Timeline = collectors.NewTimeline(j.run.Begin)
	scope, records := view.Scope(), j.records
	found := make([]value.Finding, len(questions))
	for i, q := range questions {
		for len(records) > 0 && !received(records[0]).After(q.Until) {
			view.Timeline.Add(records[0])
			records = records[1:]
		}
		if f, diags := scope.With(q.Step.Roots).Now().Find(q.Expr); !diags.HasErrors() {
			found[i] = f
		}
	}
	return found
}

// Scenario is the scenario that the run is judged by.
func (j *Judging) Scenario() *dsl.Scenario { return j.view.scenario }

// Files are the sources of the scenario by file name.
func (j *Judging) Files() map[string]*hcl.File { return j.view.module.Files }

// Records are those that the run left, in the order of their arrival. They must
// not be changed.
func (j *Judging) Records() []collectors.Record { return j.records }

// Over judges the run as if it had left these records, in the order of their
// arrival. The recording goes on until end where that is later than the end of
// the run.
func (j *Judging) Over(records []collectors.Record, end time.Time) report.ScenarioRun {
	view := j.view
	view.Timeline = collectors.NewTimeline(j.run.Begin)
	for _, r := range records {
		if !received(r).After(j.run.Begin) {
			view.Timeline.Add(r)
		}
	}
	return j.rec.judge(&view, j.run, records, end)
}
