package text

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/layout"
)

// Evidence is a verdict with its source, values and records, as Write has it,
// without colours. Times are counted from begin, the beginning of the run.
func Evidence(v expect.Verdict, begin time.Time) string {
	p := newPage(layout.Style{})
	p.verdict(v, true, begin)
	return p.String()
}

// evidence writes every verdict that is not as expected: clusters on which the
// same expectation came out so one after the other, the source once.
func (p *page) evidence(r report.Report) {
	for _, name := range r.Scenarios() {
		for _, row := range document.Places(r, name) {
			p.evidenceOf(r, row)
		}
	}
}

// evidenceOf writes the verdicts of one expectation.
func (p *page) evidenceOf(r report.Report, row []document.Place) {
	var written *diag.Range
	for _, place := range row {
		run := r.Runs[place.Run]
		if place.Step < 0 || run.Steps[place.Step].Verdict == nil || run.Steps[place.Step].Status < expect.Fail {
			continue
		}
		step := run.Steps[place.Step]
		v := *step.Verdict
		p.title(v.Status, fmt.Sprintf("%s on %s: %s", run.Scenario, r.Cluster(run.Cluster).Title(), step.Title()))
		fresh := v.Diagnostic != nil && (written == nil || v.Diagnostic.Range == nil || *written != *v.Diagnostic.Range)
		if fresh {
			written = v.Diagnostic.Range
		}
		p.verdict(v, fresh, run.StartedAt)
		p.Blank()
	}
}

// title is the heading of something that went wrong.
func (p *page) title(status expect.Status, text string) {
	for i, line := range layout.Wrap(p.Mark(status)+" "+layout.Clean(text), p.Columns()-2) {
		if i == 0 {
			sign, rest, _ := strings.Cut(line, " ")
			line = p.Paint(layout.Bold+layout.StatusColor(status), sign) + " " + p.Paint(layout.Bold, rest)
		} else {
			line = p.Paint(layout.Bold, "  "+line)
		}
		p.Line(line)
	}
}

// verdict writes a verdict's evidence; the source only where it is asked for.
// Times are counted from begin.
func (p *page) verdict(v expect.Verdict, source bool, begin time.Time) {
	if v.Diagnostic == nil {
		p.Text("  ", v.Reason)
		p.Text("  ", v.Message)
	} else {
		p.diagnostic(*v.Diagnostic, source)
	}
	p.timing(v)
	p.references(v.References)
	if len(v.Records) > 0 {
		p.Line("  The last records about it:")
		p.records("    ", v.Records, func(r collectors.Record) string { return Seconds(r, begin) }, false)
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
	if err := diag.WriteText(&b, diag.List{d}, diag.Style{Color: p.Color, Width: p.Columns() - 2}); err != nil {
		p.Text("  ", d.Summary+": "+d.Detail)
		return
	}
	for line := range strings.Lines(b.String()) {
		p.Line("  " + strings.TrimRight(line, "\n"))
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
	p.Text("  ", text+expected)
}

// references writes the condition's values: in columns, or in two lines each
// where they are long.
func (p *page) references(refs []expect.Reference) {
	if len(refs) == 0 {
		return
	}
	p.Line("  Its values, and when each was last observed:")
	long := false
	g := layout.Grid{Indent: "    ", Flexible: 1}
	for _, ref := range refs {
		row := []layout.Cell{{Text: layout.Clean(ref.Expression)}, {Text: "= " + p.Cut(layout.Clean(ref.Value), 2*p.Columns())}, {Text: Observed(ref), SGR: layout.Dim}}
		long = long || layout.Width(row[0].Text) > p.Columns()/2 || layout.Width(row[1].Text) > p.Columns()
		g.Rows = append(g.Rows, row)
	}
	if !long {
		p.Grid(g)
		return
	}
	for _, row := range g.Rows {
		p.Text("    ", row[0].Text)
		p.Grid(layout.Grid{Indent: "      ", Rows: [][]layout.Cell{row[1:]}})
	}
}

// Observed says when a value was last observed, and by whom; nothing of one that
// is not observed.
func Observed(ref expect.Reference) string {
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
		when += ", known to within " + Within(ref.Precision)
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
	return layout.Clean(source)
}
