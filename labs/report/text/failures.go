package text

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
)

// failures writes the clusters that could not be used, the steps that could not
// be done and of what failed outside the scenarios.
func (p *page) failures(r report.Report) {
	for _, c := range r.Clusters {
		if c.Broken() {
			p.title(expect.Error, "cluster "+c.Title()+" could not be used"+unstartedText(r, c))
			p.output(c.Error)
			p.Blank()
		}
	}
	for _, name := range r.Scenarios() {
		p.failedSteps(r, name)
	}
	for _, c := range r.Skipped {
		p.title(expect.Skip, "cluster "+c.Title()+" was left out")
		p.output(c.Reason)
		p.Blank()
	}
	for _, text := range r.Errors {
		p.title(expect.Error, "outside the scenarios")
		p.output(text)
		p.Blank()
	}
}

// unstartedText says how much could not be done because a cluster was missing.
func unstartedText(r report.Report, c report.Cluster) string {
	n := 0
	for _, run := range r.Runs {
		if run.Cluster == c.Name && r.Unstarted(run) {
			n += len(run.Steps)
		}
	}
	if n == 0 {
		return ""
	}
	if n == 1 {
		return ", so the only step of its scenarios could not be decided"
	}
	return fmt.Sprintf(", so %d steps and expectations of its scenarios could not be decided", n)
}

// failedGroup are neighbouring steps without a verdict that had the same
// result, with the clusters on which they had it.
type failedGroup struct {
	what, detail string
	status       expect.Status
	on           []string
}

// failedSteps writes the steps of a scenario that failed and those that were
// not decided, what is the same together.
func (p *page) failedSteps(r report.Report, scenario string) {
	var groups []failedGroup
	for _, run := range r.RunsOf(scenario) {
		if r.Unstarted(run) {
			continue
		}
		for _, g := range failedGroups(run) {
			i := slices.IndexFunc(groups, func(o failedGroup) bool {
				return o.what == g.what && o.detail == g.detail && o.status == g.status
			})
			if i < 0 {
				i = len(groups)
				groups = append(groups, g)
			}
			groups[i].on = append(groups[i].on, r.Cluster(run.Cluster).Title())
		}
	}
	for _, g := range groups {
		p.title(g.status, fmt.Sprintf("%s on %s: %s", scenario, strings.Join(g.on, ", "), g.what))
		p.output(g.detail)
		p.Blank()
	}
}

func failedGroups(run report.ScenarioRun) []failedGroup {
	var groups []failedGroup
	for i, next := 0, 0; i < len(run.Steps); i = next {
		first := run.Steps[i]
		next = i + 1
		if first.Verdict != nil || first.Status == expect.Pass || first.Detail == "" {
			continue
		}
		for next < len(run.Steps) && run.Steps[next].Verdict == nil && run.Steps[next].Status == first.Status && run.Steps[next].Detail == first.Detail {
			next++
		}
		what := run.Steps[i].Title()
		if n := next - i; n > 1 {
			what = fmt.Sprintf("%s, and %d more after it", what, n-1)
		}
		if first.Status == expect.Skip {
			what = "skipped: " + what
		}
		groups = append(groups, failedGroup{what: what, detail: first.Detail, status: first.Status})
	}
	return groups
}
