package text

import (
	"fmt"
	"slices"

	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/layout"
)

// mostBars bounds the rows of a scenario's bars; the document has all.
const mostBars = 48

// Bars draws when each container of a scenario ran, as Write has it; empty if
// none did.
func Bars(d document.Document, scenario string, style layout.Style) string {
	p := newPage(style)
	p.bars(d, scenario)
	return p.String()
}

// bars draws when each container ran, one row for each, on one axis for all
// clusters: it begins on each where the first container started there.
func (p *page) bars(d document.Document, scenario string) {
	var rows []barRow
	for _, run := range d.Report.RunsOf(scenario) {
		i := slices.IndexFunc(d.Pictures, func(x document.Picture) bool { return x.Scenario == scenario && x.Cluster == run.Cluster })
		if i >= 0 {
			rows = append(rows, barRowsOf(d.Pictures[i])...)
		}
	}
	if !slices.ContainsFunc(rows, func(l barRow) bool { return len(l.runs) > 0 }) {
		return
	}
	rows, omitted := bounded(rows, mostBars)
	c := newCanvas(p.Style, rows)
	p.Blank()
	p.Line(p.Paint(layout.Dim, layout.Pad("TIMELINE", c.label)+c.axis()))
	for i, l := range rows {
		if i == 0 || rows[i-1].group != l.group {
			p.Line(p.Paint(layout.Bold, p.CutMiddle(layout.Clean(l.group), p.Columns())))
		}
		p.Line(layout.Pad("  "+p.CutMiddle(layout.Clean(l.name), longestContainer), c.label) + c.row(l))
	}
	if omitted > 0 {
		p.Line(p.Paint(layout.Dim, fmt.Sprintf("and %s", Plural(omitted, "more container"))))
	}
	p.Note(c.legend(rows))
}
