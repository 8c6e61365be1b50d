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
				p.verdict(v, fresh)
				p.blank()
			}
		}
	}
}

// title is the heading of something that went wrong.
func (p *page) title(status expect.Status, text string) {
	for i, line := range wrap(p.mark(status)+" "+clean(text), p.width()) {
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
func (p *page) verdict(v expect.Verdict, source bool) {
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
		p.records("    ", v.Records, clockTime, false)
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
		parts = append(parts, "within "+v.Within.String())
	}
	if v.Hold > 0 {
		parts = append(parts, "hold "+v.Hold.String())
	}
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	expected := fmt.Sprintf("; expected %t, got %s.", v.Expected, cmp.Or(v.Got, "nothing"))
	p.text("  ", text+expected)
}

// references writes the condition's values.
func (p *page) references(refs []expect.Reference) {
	if len(refs) == 0 {
		return
	}
	p.line("  Its values, and when each was last observed:")
	g := grid{indent: "    ", flexible: 1}
	for _, ref := range refs {
		when := "never observed"
		if ref.At != nil {
			when = "at " + clock(*ref.At, ref.Source) + "s"
			if by := sourceText(ref.Source); by != "" {
				when += " by " + by
			}
		}
		g.rows = append(g.rows, []cell{
			{text: p.cutMiddle(clean(ref.Expression), p.width()/2)}, {text: p.cut("= "+clean(ref.Value), 2*p.width())}, {text: when, sgr: sgrDim},
		})
	}
	p.grid(g)
}

func sourceText(source string) string {
	switch collectors.Source(source) {
	case collectors.SourceAPI:
		return "the API"
	case collectors.SourceRuntime:
		return "the runtime"
	case collectors.SourceLog:
		return "the log"
	}
	return clean(source)
}

// clockTime is a record's time of day in UTC, as finely as it is worth
// reading.
func clockTime(r collectors.Record) string {
	if r.Precision >= time.Second {
		return r.Time.UTC().Format("15:04:05")
	}
	return r.Time.UTC().Format("15:04:05.000000")
}

// failures tells of steps that could not be done, of clusters that could not
// be used and of what failed outside the scenarios.
func (p *page) failures(r Report) {
	for _, name := range scenarios(r) {
		for _, run := range runsOf(r, name) {
			p.failedSteps(run, clusterTitle(clusterOf(r, run.Cluster)))
		}
	}
	for _, c := range r.Clusters {
		if broken(c) {
			p.title(expect.Error, "cluster "+clusterTitle(c)+" could not be used")
			p.output(c.Error)
			p.blank()
		}
	}
	for _, text := range r.Errors {
		p.title(expect.Error, "outside the scenarios")
		p.output(text)
		p.blank()
	}
}

// failedSteps writes the steps of a run that failed, and those without a
// verdict; neighbours with the same reason together.
func (p *page) failedSteps(run Run, on string) {
	for i := 0; i < len(run.Steps); {
		first := run.Steps[i]
		next := i + 1
		if first.Verdict != nil || first.Status == expect.Pass || first.Detail == "" {
			i = next
			continue
		}
		for next < len(run.Steps) && run.Steps[next].Verdict == nil && run.Steps[next].Status == first.Status && run.Steps[next].Detail == first.Detail {
			next++
		}
		what := strings.TrimSpace(first.Verb + " " + first.Name)
		if n := next - i; n > 1 {
			what = fmt.Sprintf("%s and %d more after it", what, n-1)
		}
		p.title(first.Status, fmt.Sprintf("%s on %s: %s", run.Scenario, on, what))
		p.output(first.Detail)
		p.blank()
		i = next
	}
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
