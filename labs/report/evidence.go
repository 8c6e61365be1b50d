package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/expect"
)

// evidence tells of every verdict that is not as expected: clusters on which
// the same expectation came out so are told one after the other, the source
// once.
func (p *page) evidence(r Report) {
	for _, name := range scenarios(r) {
		runs := runsOf(r, name)
		for _, key := range rowKeys(runs) {
			var shown *diag.Range
			for _, run := range runs {
				i := slices.Index(keysOf(run), key)
				if i < 0 || run.Steps[i].Verdict == nil || run.Steps[i].Status < expect.Fail {
					continue
				}
				v := *run.Steps[i].Verdict
				p.title(v.Status, fmt.Sprintf("%s on %s: %s", name, clusterTitle(clusterOf(r, run.Cluster)), key.title()))
				fresh := v.Diagnostic != nil && (shown == nil || v.Diagnostic.Range == nil || *shown != *v.Diagnostic.Range)
				if fresh {
					shown = v.Diagnostic.Range
				}
				p.verdict(v, fresh, run.StartedAt)
				p.blank()
			}
		}
	}
}

// title is the heading of something that went wrong.
func (p *page) title(status expect.Status, text string) {
	for i, line := range wrap(p.mark(status)+" "+clean(text), p.width()-2) {
		if i == 0 {
			sign, rest, _ := strings.Cut(line, " ")
			line = p.paint(sgrBold+statusColor(status), sign) + " " + p.paint(sgrBold, rest)
		} else {
			line = p.paint(sgrBold, "  "+line)
		}
		p.line(line)
	}
}

// clusterTitle is a cluster's name with what it is.
func clusterTitle(c Cluster) string {
	if n := notes(c); len(n) > 0 {
		return c.Name + " (" + strings.Join(n, " ") + ")"
	}
	return c.Name
}

// verdict writes a verdict's evidence; the source only where it is asked for.
// Times are counted from begin.
func (p *page) verdict(v expect.Verdict, source bool, begin time.Time) {
	if v.Diagnostic == nil {
		p.text("  ", v.Reason)
		p.text("  ", v.Message)
	} else {
		p.diagnostic(*v.Diagnostic, source)
	}
	p.timing(v)
	p.references(v.References)
	if len(v.Records) > 0 {
		p.line("  The last records about it:")
		p.records("    ", v.Records, func(r collectors.Record) string { return since(r, begin) }, false)
	}
}

// diagnostic writes a diagnostic; its values are written as references, which
// tell more.
func (p *page) diagnostic(d diag.Diagnostic, source bool) {
	switch {
	case !source:
		d.Range, d.Snippet = nil, nil
	case d.Snippet != nil:
		s := *d.Snippet
		s.Values = nil
		d.Snippet = &s
	}
	var b strings.Builder
	if err := diag.WriteText(&b, diag.List{d}, diag.Style{Color: p.Color, Width: p.width() - 2}); err != nil {
		p.text("  ", d.Summary+": "+d.Detail)
		return
	}
	for line := range strings.Lines(b.String()) {
		p.line("  " + strings.TrimRight(line, "\n"))
	}
}

// timing says for how long the expectation was looked at.
func (p *page) timing(v expect.Verdict) {
	text := fmt.Sprintf("Looked at from %.3fs to %.3fs of the scenario", v.BeganAt, v.DecidedAt)
	var parts []string
	if v.Within > 0 {
		parts = append(parts, "within "+span(v.Within))
	}
	if v.Hold > 0 {
		parts = append(parts, "hold "+span(v.Hold))
	}
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	expected := fmt.Sprintf("; expected %t, got %s.", v.Expected, cmp.Or(v.Got, "nothing"))
	p.text("  ", text+expected)
}

// references writes the condition's values: in columns, or in two lines each
// where they are long.
func (p *page) references(refs []expect.Reference) {
	if len(refs) == 0 {
		return
	}
	p.line("  Its values, and when each was last observed:")
	long := false
	g := grid{indent: "    ", flexible: 1}
	for _, ref := range refs {
		row := []cell{{text: clean(ref.Expression)}, {text: "= " + p.cut(clean(ref.Value), 2*p.width())}, {text: observed(ref), sgr: sgrDim}}
		long = long || width(row[0].text) > p.width()/2 || width(row[1].text) > p.width()
		g.rows = append(g.rows, row)
	}
	if !long {
		p.grid(g)
		return
	}
	for _, row := range g.rows {
		p.text("    ", row[0].text)
		p.grid(grid{indent: "      ", rows: [][]cell{row[1:]}})
	}
}

// observed says when a value was last observed, and by whom; nothing of one that
// is not observed.
func observed(ref expect.Reference) string {
	if ref.At == nil {
		if !expect.OfCluster(ref.Expression) {
			return ""
		}
		return "never observed"
	}
	when := "at " + clock(*ref.At, ref.Source) + "s"
	if ref.Since != nil && *ref.Since < *ref.At {
		when = "since " + clock(*ref.Since, ref.Source) + "s, last " + when
	} else if ref.Since != nil {
		when = "since " + clock(*ref.Since, ref.Source) + "s"
	}
	if by := sourceText(ref.Source); by != "" {
		when += " by " + by
	}
	if ref.Precision > 0 {
		when += ", known to within " + within(ref.Precision)
	}
	return when
}

func sourceText(source string) string {
	switch collectors.Source(source) {
	case collectors.SourceAPI:
		return "the API"
	case collectors.SourceRuntime:
		return "the runtime"
	case collectors.SourceKernel:
		return "the kernel's log"
	case collectors.SourceLog:
		return "the log"
	}
	return clean(source)
}

// failures tells of clusters that could not be used, of steps that could not
// be done and of what failed outside the scenarios.
func (p *page) failures(r Report) {
	for _, c := range r.Clusters {
		if broken(c) {
			p.title(expect.Error, "cluster "+clusterTitle(c)+" could not be used"+lost(r, c))
			p.output(c.Error)
			p.blank()
		}
	}
	for _, name := range scenarios(r) {
		p.failedSteps(r, name)
	}
	for _, c := range r.Skipped {
		p.title(expect.Skip, "cluster "+skippedTitle(c)+" was left out")
		p.output(c.Reason)
		p.blank()
	}
	for _, text := range r.Errors {
		p.title(expect.Error, "outside the scenarios")
		p.output(text)
		p.blank()
	}
}

func skippedTitle(c SkippedCluster) string { return c.Name + " (" + c.Kubernetes + ")" }

// lost says how much could not be done for want of a cluster.
func lost(r Report, c Cluster) string {
	n := 0
	for _, run := range r.Runs {
		if run.Cluster == c.Name && unstarted(r, run) {
			n += len(run.Steps)
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", and so %d of its scenarios' steps and expectations could not be told", n)
}

// failedGroup are neighbouring steps without a verdict that came to the same,
// on the clusters where they did.
type failedGroup struct {
	what, detail string
	status       expect.Status
	on           []string
}

// failedSteps writes the steps of a scenario that failed and those that were
// not decided, what is the same together.
func (p *page) failedSteps(r Report, scenario string) {
	var groups []failedGroup
	for _, run := range runsOf(r, scenario) {
		if unstarted(r, run) {
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
			groups[i].on = append(groups[i].on, clusterTitle(clusterOf(r, run.Cluster)))
		}
	}
	for _, g := range groups {
		p.title(g.status, fmt.Sprintf("%s on %s: %s", scenario, strings.Join(g.on, ", "), g.what))
		p.output(g.detail)
		p.blank()
	}
}

func failedGroups(run Run) []failedGroup {
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
		what := keysOf(run)[i].title()
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

// mostOutput bounds how much of a failure's text is written; run.json has all.
const mostOutput = 40

// output writes a failure's text with the output that it holds, its end where
// it is long.
func (p *page) output(text string) {
	all := lines(text)
	if more := len(all) - mostOutput; more > 0 {
		p.text("  ", all[0])
		p.line(p.paint(sgrDim, fmt.Sprintf("  … %d lines that run.json has …", more)))
		all = all[more+1:]
	}
	p.text("  ", strings.Join(all, "\n"))
}
