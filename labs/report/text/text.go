// Package text writes a run for people who read it on a terminal: its tables,
// the bars of its containers, and the evidence of what did not come out as
// expected. It also has the words in which all forms describe a record, a state
// or a time.
package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/layout"
)

// Write writes a document for people: for each scenario the result of its
// expectations on each cluster, what its pods and containers went through, when
// its containers ran, if the document has its pictures, then the evidence of
// what did not come out as expected, what failed, where the time went, and a
// closing line. Nothing is written that a terminal would obey, whatever the
// document holds, but colours if the style allows them.
func Write(w io.Writer, d document.Document, style layout.Style) error {
	p, r := newPage(style), d.Report
	for _, name := range r.Scenarios() {
		p.scenario(d, name)
	}
	p.evidence(r)
	p.failures(r)
	p.times(r)
	p.observed(r)
	p.closing(r)
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

func (p *page) scenario(d document.Document, name string) {
	r := d.Report
	runs := r.RunsOf(name)
	title := "Scenario " + name
	if about := strings.TrimSpace(runs[0].Description); about != "" {
		title += ": " + about
	}
	p.Heading(title)
	p.Blank()
	rows := document.Table(r, name)
	p.table(rows)
	p.legend(rows)
	p.pods(runs)
	p.bars(d, name)
	p.Blank()
}

// legend says what the marks mean that are there.
func (p *page) legend(rows [][]document.Cell) {
	seen := map[expect.Status]bool{}
	for _, row := range rows[1:] {
		for _, c := range row[1:] {
			if c.Kind == document.CellOutcome && document.Notable(row) {
				seen[c.Status] = true
			}
		}
	}
	var parts []string
	for _, of := range []struct {
		status  expect.Status
		meaning string
	}{
		{expect.Pass, "passed"}, {expect.Fail, "failed"}, {expect.Skip, "skipped"},
		{expect.Error, "could not be decided"}, {expect.Pending, "not decided"},
	} {
		if seen[of.status] {
			parts = append(parts, p.Mark(of.status)+" "+of.meaning)
		}
	}
	if len(parts) > 0 {
		p.Line(p.Paint(layout.Dim, strings.Join(parts, "   ")))
	}
}

// closing says where everything is kept, and how it went.
func (p *page) closing(r report.Report) {
	if r.Folder != "" {
		p.Linef("Everything that was recorded is in %s", layout.Clean(r.Folder))
	}
	word, rest := Outcome(r)
	for i, line := range layout.Wrap(word+" "+rest, p.Columns()) {
		if after, ok := strings.CutPrefix(line, word); ok && i == 0 {
			line = p.Paint(layout.Bold+outcomeColor(r), word) + p.Paint(layout.Bold, after)
		} else {
			line = p.Paint(layout.Bold, line)
		}
		p.Line(line)
	}
}
