package replay

import (
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
)

// Judge judges what a run recorded by the scenario of a module, which may have
// changed since: expectations, invariants and waits are decided anew, at the
// times at which records were received; what other steps did is taken from the
// recording. An expectation that goes on when the recording ends is an Error.
// The module must have the run's scenario and cluster.
func (rec *Recording) Judge(m *dsl.Module, run ScenarioRun) (report.ScenarioRun, error) {
	j, err := rec.Judging(m, run)
	if err != nil {
		return report.ScenarioRun{}, err
	}
	return j.Over(j.records, time.Time{}), nil
}

// judge judges what a run recorded, or what was made of it, over a view of its
// beginning. The recording ends at the given time where that is later than it
// says itself.
func (rec *Recording) judge(view *View, run ScenarioRun, records []collectors.Record, end time.Time) report.ScenarioRun {
	r := &recorded{view: view, run: run, now: run.Begin, end: run.End, begun: map[string]collectors.Record{}, done: map[string]collectors.Record{}}
	out := report.ScenarioRun{Scenario: run.Scenario, Cluster: run.Cluster, Namespace: view.Namespace, StartedAt: run.Begin, Description: view.scenario.Description}
	if rec.Report != nil {
		for _, was := range rec.Report.Runs {
			if was.Scenario == run.Scenario && was.Cluster == run.Cluster {
				r.before, out.Pods = was, was.Pods
				if was.FinishedAt.After(r.end) {
					r.end = was.FinishedAt
				}
			}
		}
	}
	if end.After(r.end) {
		r.end = end
	}
	r.read(records)
	r.play()
	out.Steps, out.Status, out.FinishedAt = r.player.Results(), r.player.Status(), r.now
	return out
}

// Difference is a step that came out otherwise than it did before.
type Difference struct {
	Scenario string        `json:"scenario"`
	Cluster  string        `json:"cluster"`
	Step     string        `json:"step"`
	Before   expect.Status `json:"before"`
	Now      expect.Status `json:"now"`
	// Reason is why it is so now.
	Reason string `json:"reason"`
}

// Differences are the steps of a run that came out otherwise than the report
// has it; those that it does not have are left out. same counts the others.
func (rec *Recording) Differences(now report.ScenarioRun) (found []Difference, same int) {
	if rec.Report == nil {
		return nil, 0
	}
	before := map[string]expect.Status{}
	for _, r := range rec.Report.Runs {
		if r.Scenario == now.Scenario && r.Cluster == now.Cluster {
			for _, s := range r.Steps {
				before[s.Verb+" "+s.Name] = s.Status
			}
		}
	}
	for _, s := range now.Steps {
		was, ok := before[s.Verb+" "+s.Name]
		switch {
		case !ok:
		case was == s.Status:
			same++
		default:
			found = append(found, Difference{Scenario: now.Scenario, Cluster: now.Cluster, Step: s.Name, Before: was, Now: s.Status, Reason: s.Detail})
		}
	}
	return found, same
}
