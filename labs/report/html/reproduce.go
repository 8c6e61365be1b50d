package html

import (
	"fmt"
	"strings"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/text"
)

// about says what ran, where, and how to run it again.
type about struct {
	Command, Host, LabVersion, ID, Folder string
	Started, Finished, Elapsed            string
	Records, Lines                        string
	Clusters                              []clusterRow
	// Warnings are what to know before the page is believed: gaps, what is not
	// shown, clusters that were reused or could not be used.
	Warnings []string
}

// clusterRow is a cluster.
type clusterRow struct {
	Name, Asked, Version, Gates, Image, Runtime, Status, Mark, Phases, Error string
	Reused                                                                   bool
}

func aboutOf(d document.Document) about {
	r := d.Report
	a := about{
		Command: show(d.Reproduce.Command), Host: show(d.Reproduce.Host), LabVersion: show(r.LabVersion), ID: show(r.ID),
		Folder: show(r.Folder), Started: clock(r.StartedAt), Finished: clock(r.FinishedAt),
	}
	if !r.StartedAt.IsZero() && r.FinishedAt.After(r.StartedAt) {
		a.Elapsed = text.Elapsed(r.FinishedAt.Sub(r.StartedAt))
	}
	records, lines := 0, 0
	for _, run := range r.Runs {
		records += int(run.Observed.Records)
		lines += int(run.Observed.Lines)
	}
	a.Records, a.Lines = number(records), number(lines)
	for _, c := range r.Clusters {
		a.Clusters = append(a.Clusters, clusterRowOf(c))
		if c.Reused {
			a.Warnings = append(a.Warnings, show(c.Name)+" was reused from an earlier run")
		}
		if c.Error != "" {
			a.Warnings = append(a.Warnings, show(c.Name)+" could not be used: "+show(c.Error))
		}
	}
	a.Warnings = append(a.Warnings, warnings(d)...)
	return a
}

func clusterRowOf(c report.Cluster) clusterRow {
	out := clusterRow{
		Name: show(c.Name), Asked: show(c.Kubernetes), Version: show(c.Version), Image: show(c.Image), Runtime: show(c.Runtime),
		Status: c.Status.String(), Mark: mark(c.Status), Reused: c.Reused, Error: show(c.Error),
	}
	if notes := c.Notes(); len(notes) > 1 {
		out.Gates = show(strings.Join(notes[1:], " "))
	}
	if c.ImageSource != "" {
		out.Image += " (" + map[string]string{"have": "was there", "pull": "pulled", "build": "built"}[c.ImageSource] + ")"
	}
	if c.Cgroup > 0 {
		out.Runtime += fmt.Sprintf(", cgroup v%d", c.Cgroup)
	}
	var phases []string
	for _, p := range c.Phases {
		phases = append(phases, show(p.Name)+" "+text.Elapsed(p.Elapsed))
	}
	out.Phases = strings.Join(phases, ", ")
	if c.Error != "" && c.Status < expect.Error {
		out.Status, out.Mark = expect.Error.String(), mark(expect.Error)
	}
	return out
}

// mostWarnings bounds the gaps that are described in words; the timelines have all.
const mostWarnings = 50

// warnings are the gaps, and what the page leaves out.
func warnings(d document.Document) []string {
	var out []string
	for i, p := range d.Pictures {
		where := show(p.Scenario) + " on " + show(p.Cluster)
		for _, g := range p.Gaps {
			out = append(out, where+": "+gap(g))
		}
		if p.OmittedLines > 0 {
			out = append(out, fmt.Sprintf("%s: %s log lines are left out of this page", where, number(p.OmittedLines)))
		}
		if i < len(d.Report.Runs) && len(p.Gaps) == 0 && d.Report.Runs[i].Observed.Gaps > 0 {
			out = append(out, fmt.Sprintf("%s: %d gaps in what was observed", where, d.Report.Runs[i].Observed.Gaps))
		}
		if i < len(d.Report.Runs) && d.Report.Runs[i].Observed.Clocks != nil {
			out = append(out, where+": "+text.Clocks(d.Report.Runs[i].Observed.Clocks))
		}
	}
	if more := len(out) - mostWarnings; more > 0 {
		out = append(out[:mostWarnings], fmt.Sprintf("and %s more", number(more)))
	}
	return out
}

func gap(g document.GapPicture) string {
	what := strings.Trim(show(g.Object)+"/"+show(g.Container), "/")
	if what == "" {
		what = "anything"
	}
	text := fmt.Sprintf("%s did not see %s from %.3f s to %.3f s", show(g.Source), what, g.From, g.To)
	if g.Lost > 0 {
		text += fmt.Sprintf(", %s lost", number(g.Lost))
	}
	return text + ": " + show(g.Reason)
}
