package report

import (
	"cmp"
	"slices"
)

// Scenarios are the names of the report's scenarios in their order.
func (r Report) Scenarios() []string {
	var names []string
	for _, run := range r.Runs {
		if !slices.Contains(names, run.Scenario) {
			names = append(names, run.Scenario)
		}
	}
	return names
}

// RunsOf are the runs of a scenario in the order of the report's clusters.
func (r Report) RunsOf(scenario string) []ScenarioRun {
	var runs []ScenarioRun
	for _, run := range r.Runs {
		if run.Scenario == scenario {
			runs = append(runs, run)
		}
	}
	place := map[string]int{}
	for i, c := range r.Clusters {
		place[c.Name] = i + 1
	}
	slices.SortStableFunc(runs, func(a, b ScenarioRun) int { return cmp.Compare(place[a.Cluster], place[b.Cluster]) })
	return runs
}

// Cluster is the report's cluster of a name. If there is none, the result has
// the name alone.
func (r Report) Cluster(name string) Cluster {
	for _, c := range r.Clusters {
		if c.Name == name {
			return c
		}
	}
	return Cluster{Name: name}
}

// Unstarted says that a run did not begin because its cluster could not be
// used.
func (r Report) Unstarted(run ScenarioRun) bool {
	return run.StartedAt.IsZero() && r.Cluster(run.Cluster).Broken()
}

// Only is the report with those runs alone for which keep is true, and with the
// clusters that they are on; of a report that loses any the status is that of
// what is left.
func (r Report) Only(keep func(scenario, cluster string) bool) Report {
	runs, on := r.Runs[:0:0], map[string]bool{}
	for _, run := range r.Runs {
		if keep(run.Scenario, run.Cluster) {
			runs = append(runs, run)
			on[run.Cluster] = true
		}
	}
	if len(runs) == len(r.Runs) {
		return r
	}
	clusters := r.Clusters[:0:0]
	r.Status = 0
	for _, c := range r.Clusters {
		if on[c.Name] {
			clusters = append(clusters, c)
			r.Status = max(r.Status, c.Status)
		}
	}
	for _, run := range runs {
		r.Status = max(r.Status, run.Status)
	}
	r.Runs, r.Clusters = runs, clusters
	return r
}
