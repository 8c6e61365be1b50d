package text

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/layout"
)

// times says where each cluster's time went.
func (p *page) times(r report.Report) {
	var names []string
	for _, c := range r.Clusters {
		for _, phase := range c.Phases {
			if !slices.Contains(names, phase.Name) {
				names = append(names, phase.Name)
			}
		}
	}
	if len(names) == 0 {
		return
	}
	head := []layout.Cell{{Text: "TIME", SGR: layout.Dim}}
	g := layout.Grid{}
	for i, name := range names {
		head = append(head, layout.Cell{Text: strings.ToUpper(layout.Clean(name)), SGR: layout.Dim})
		g.Right = append(g.Right, i+1)
	}
	g.Head = [][]layout.Cell{append(head, layout.Cell{Text: "KUBERNETES", SGR: layout.Dim})}
	for _, c := range r.Clusters {
		row := []layout.Cell{{Text: layout.Clean(c.Name), Whole: true}}
		for _, name := range names {
			row = append(row, layout.Cell{Text: phaseTime(c, name)})
		}
		about := c.Notes()
		if c.Reused {
			about = append(about, "reused")
		}
		g.Rows = append(g.Rows, append(row, layout.Cell{Text: layout.Clean(strings.Join(about, " "))}))
	}
	g.Flexible = len(names) + 1
	p.Grid(g)
	p.Blank()
}

// phaseTime is the time of a cluster's phases of a name.
func phaseTime(c report.Cluster, name string) string {
	found := false
	total := c.Phases[:0:0]
	for _, phase := range c.Phases {
		if phase.Name == name {
			found = true
			total = append(total, phase)
		}
	}
	if !found {
		return "-"
	}
	sum := total[0].Elapsed
	for _, phase := range total[1:] {
		sum += phase.Elapsed
	}
	return Elapsed(sum)
}

// lag is how long sources must have waited before the report mentions it.
const lag = time.Second

// observed says of what was not seen, or came late to be judged.
func (p *page) observed(r report.Report) {
	for _, run := range r.Runs {
		o := run.Observed
		where := run.Scenario + " on " + run.Cluster
		if o.Gaps > 0 {
			text := Plural(o.Gaps, "gap") + " in what was observed"
			switch {
			case o.Lost == 1:
				text += ", at least 1 record or line was lost"
			case o.Lost > 1:
				text += fmt.Sprintf(", at least %d records or lines were lost", o.Lost)
			}
			p.sentence(fmt.Sprintf("%s: %s of %s", where, text, Plural(int(o.Records), "record")))
		}
		if o.Clocks != nil {
			p.sentence(where + ": " + Clocks(o.Clocks))
		}
		if o.Waited >= lag {
			p.sentence(fmt.Sprintf("%s: records arrived faster than they could be evaluated: sources waited %s, %s in total; no record was dropped",
				where, times(int(o.Waits)), Elapsed(o.Waited)))
		}
	}
}

// sentence writes a sentence, wrapped.
func (p *page) sentence(text string) {
	for _, line := range layout.Wrap(layout.Clean(text), p.Columns()) {
		p.Line(line)
	}
}
