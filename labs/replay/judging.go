package replay

import (
	"fmt"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/report"
)

// Judging judges one run over its own records or over others, as often as is
// asked for, and reads the journal once. It is not safe for concurrent use.
type Judging struct {
	rec     *Recording
	run     Run
	view    View
	records []collectors.Record
}

// Judging reads the records of a run, to judge it by the scenario of a module.
// The module must have the run's scenario and cluster.
func (rec *Recording) Judging(m *dsl.Module, run Run) (*Judging, error) {
	scenario, cluster, err := declared(m, run)
	if err != nil {
		return nil, err
	}
	j := &Judging{rec: rec, run: run, view: View{module: m, scenario: scenario, shared: value.NewShared(m.FS, m.Dir)}}
	var known report.Cluster
	known, j.view.Namespace = rec.found(run)
	j.view.target = j.view.targetOf(cluster, known)
	begun := false
	for e, err := range journal.Entries(rec.Dir) {
		if err != nil {
			return nil, fmt.Errorf("reading the records of %s: %w", run.Key, err)
		}
		if e.Run != run.Key {
			continue
		}
		begun = begun || e.Begin != nil
		if e.Record != nil && begun {
			j.records = append(j.records, *e.Record)
		}
	}
	return j, nil
}

// Scenario is the scenario that the run is judged by.
func (j *Judging) Scenario() *dsl.Scenario { return j.view.scenario }

// Records are those that the run left, in the order of their arrival. They must
// not be changed.
func (j *Judging) Records() []collectors.Record { return j.records }

// Over judges the run as if it had left these records, in the order of their
// arrival. The recording goes on until end where that is later than the end of
// the run.
func (j *Judging) Over(records []collectors.Record, end time.Time) report.Run {
	view := j.view
	view.Timeline = collectors.NewTimeline(j.run.Begin)
	for _, r := range records {
		if !received(r).After(j.run.Begin) {
			view.Timeline.Add(r)
		}
	}
	return j.rec.judge(&view, j.run, records, end)
}
