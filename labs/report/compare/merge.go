package compare

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
)

// Merge makes one document of several, whose clusters are named RUN/CLUSTER, to
// be shown side by side. One document alone stays as it is. The scenario's
// files are those of the first; they are left out where another has others.
func Merge(docs []document.Document) document.Document {
	if len(docs) == 1 {
		return docs[0]
	}
	out := document.Document{Version: document.Version, Report: report.Report{Version: report.ModelVersion}}
	var ids, commands []string
	for i, run := range named(docs) {
		d := docs[i]
		in := func(cluster string) string { return run.Name + "/" + cluster }
		for _, c := range d.Report.Clusters {
			c.Name = in(c.Name)
			out.Report.Clusters = append(out.Report.Clusters, c)
		}
		for _, c := range d.Report.Skipped {
			c.Name = in(c.Name)
			out.Report.Skipped = append(out.Report.Skipped, c)
		}
		for _, r := range d.Report.Runs {
			r.Cluster = in(r.Cluster)
			out.Report.Runs = append(out.Report.Runs, r)
		}
		for _, p := range d.Pictures {
			p.Cluster = in(p.Cluster)
			out.Pictures = append(out.Pictures, p)
		}
		for _, e := range d.Report.Errors {
			out.Report.Errors = append(out.Report.Errors, run.Name+": "+e)
		}
		whole(&out.Report, d.Report)
		ids = append(ids, run.Name)
		if c := d.Reproduce.Command; c != "" && !slices.Contains(commands, c) {
			commands = append(commands, c)
		}
		if i == 0 {
			out.Sources, out.Reproduce.Host = d.Sources, d.Reproduce.Host
			continue
		}
		if !slices.Equal(out.Sources, d.Sources) {
			out.Sources = nil
		}
		if out.Reproduce.Host != d.Reproduce.Host {
			out.Reproduce.Host = ""
		}
	}
	out.Report.ID = strings.Join(ids, ", ")
	out.Reproduce.Command = strings.Join(commands, "\n")
	return out
}

// whole takes what is said of a run as a whole into that of all.
func whole(out *report.Report, r report.Report) {
	out.File = cmp.Or(out.File, r.File)
	out.LabVersion = cmp.Or(out.LabVersion, r.LabVersion)
	out.Status = max(out.Status, r.Status)
	out.Interrupted = out.Interrupted || r.Interrupted
	if out.StartedAt.IsZero() || r.StartedAt.Before(out.StartedAt) {
		out.StartedAt = r.StartedAt
	}
	if r.FinishedAt.After(out.FinishedAt) {
		out.FinishedAt = r.FinishedAt
	}
}
