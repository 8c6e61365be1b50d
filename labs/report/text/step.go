package text

import (
	"fmt"
	"strings"
	"time"

	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/layout"
)

// Step is what Write says of a step that did not come out as expected, without
// its heading and without colours: the verdict with its source, values and
// records, or why it failed. Times are counted from begin, the beginning of the
// step's run.
func Step(s report.Step, begin time.Time) string {
	if s.Verdict != nil {
		return Evidence(*s.Verdict, begin)
	}
	p := newPage(layout.Style{})
	p.output(s.Detail)
	return p.String()
}

// mostOutput bounds how much of a failure's text is written; run.json has all.
const mostOutput = 40

// output writes a failure's text with the output that it holds, its end where
// it is long.
func (p *page) output(text string) {
	all := layout.Lines(text)
	if more := len(all) - mostOutput; more > 0 {
		p.Text("  ", all[0])
		dots := p.Sign("…", "...")
		p.Line(p.Paint(layout.Dim, fmt.Sprintf("  %s %s that run.json has %s", dots, Plural(more, "line"), dots)))
		all = all[more+1:]
	}
	p.Text("  ", strings.Join(all, "\n"))
}
