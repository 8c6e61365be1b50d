package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/labs/expect"
)

// WriteText writes the report for people: for each scenario what became of its
// expectations on each cluster, what its pods and containers went through,
// then the evidence of what did not come out as expected, what failed, where
// the time went, and a closing line. Nothing is written that a terminal would
// obey, whatever the report holds, but colours where the style allows them.
func WriteText(w io.Writer, r Report, style Style) error {
	return WriteDocumentText(w, Document{Report: r}, style)
}

// WriteDocumentText is WriteText with what the document has beside the report:
// for each scenario the bars of its containers.
func WriteDocumentText(w io.Writer, d Document, style Style) error {
	p, r := newPage(style), d.Report
	p.pictures = d.Pictures
	for _, name := range scenarios(r) {
		p.scenario(r, name)
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

func (p *page) scenario(r Report, name string) {
	runs := runsOf(r, name)
	title := "Scenario " + name
	if d := strings.TrimSpace(runs[0].Description); d != "" {
		title += ": " + d
	}
	p.heading(title)
	p.blank()
	rows := Table(r, name)
	p.table(rows)
	p.legend(rows)
	p.pods(runs)
	var clusters []string
	for _, run := range runs {
		clusters = append(clusters, run.Cluster)
	}
	p.bars(name, clusters)
	p.blank()
}

// legend says what the marks mean that are there.
func (p *page) legend(rows [][]Cell) {
	seen := map[expect.Status]bool{}
	for _, row := range rows[1:] {
		for _, c := range row[1:] {
			if c.Kind == CellOutcome && worth(row) {
				seen[c.Status] = true
			}
		}
	}
	var parts []string
	for _, of := range []struct {
		status  expect.Status
		meaning string
	}{
		{expect.Pass, "as expected"}, {expect.Fail, "not as expected"}, {expect.Skip, "skipped"},
		{expect.Error, "could not be told"}, {expect.Pending, "not decided"},
	} {
		if seen[of.status] {
			parts = append(parts, p.mark(of.status)+" "+of.meaning)
		}
	}
	if len(parts) > 0 {
		p.line(p.paint(sgrDim, strings.Join(parts, "   ")))
	}
}

// times says where each cluster's time went.
func (p *page) times(r Report) {
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
	head := []cell{{text: "TIME", sgr: sgrDim}}
	g := grid{}
	for i, name := range names {
		head = append(head, cell{text: strings.ToUpper(clean(name)), sgr: sgrDim})
		g.right = append(g.right, i+1)
	}
	g.head = [][]cell{append(head, cell{text: "KUBERNETES", sgr: sgrDim})}
	for _, c := range r.Clusters {
		row := []cell{{text: clean(c.Name), whole: true}}
		for _, name := range names {
			row = append(row, cell{text: phaseTime(c, name)})
		}
		about := notes(c)
		if c.Reused {
			about = append(about, "reused")
		}
		g.rows = append(g.rows, append(row, cell{text: clean(strings.Join(about, " "))}))
	}
	g.flexible = len(names) + 1
	p.grid(g)
	p.blank()
}

// phaseTime is the time of a cluster's phases of a name.
func phaseTime(c Cluster, name string) string {
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
	return elapsed(sum)
}

// lag is from where on it is told that sources had to wait.
const lag = time.Second

// observed says of what was not seen, or came late to be judged.
func (p *page) observed(r Report) {
	for _, run := range r.Runs {
		o := run.Observed
		where := clean(run.Scenario) + " on " + clean(run.Cluster)
		if o.Gaps > 0 {
			text := plural(o.Gaps, "gap") + " in what was observed"
			if o.Lost > 0 {
				text += fmt.Sprintf(", %d records or lines known to be lost", o.Lost)
			}
			p.linef("%s: %s of %s", where, text, plural(int(o.Records), "record"))
		}
		if o.Clocks != nil {
			p.linef("%s: %s", where, o.Clocks.Text())
		}
		if o.Waited >= lag {
			p.linef("%s: records came faster than they could be judged: sources waited %d times, %s in all; nothing was dropped for it",
				where, o.Waits, elapsed(o.Waited))
		}
	}
}

// closing says where everything is kept, and how it went.
func (p *page) closing(r Report) {
	if r.Folder != "" {
		p.linef("Everything that was recorded is in %s", clean(r.Folder))
	}
	c := Summary(r)
	word, sgr := verdictWord(r, c)
	rest := tallyText(r, c)
	for i, line := range wrap(word+" "+rest, p.width()) {
		if after, ok := strings.CutPrefix(line, word); ok && i == 0 {
			line = p.paint(sgrBold+sgr, word) + p.paint(sgrBold, after)
		} else {
			line = p.paint(sgrBold, line)
		}
		p.line(line)
	}
}

func verdictWord(r Report, c Counts) (word, sgr string) {
	switch {
	case r.Interrupted:
		return "Interrupted:", sgrYellow
	case c.Status >= expect.Error:
		return "Error:", sgrYellow
	case c.Status == expect.Fail:
		return "Fail:", sgrRed
	case c.Status == expect.Pass:
		return "Pass!", sgrGreen
	}
	return "Nothing decided:", sgrDim
}

// tallyText is the closing line after its first word, the gravest first.
func tallyText(r Report, c Counts) string {
	e := c.Expectations
	var parts []string
	add := func(n int, format, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, plural(n, what)))
		}
	}
	add(c.BrokenClusters, "%s could not be used", "cluster")
	add(c.Errors, "%s outside the scenarios", "failure")
	add(c.Steps.Fail+c.Steps.Error-c.Unstarted, "%s failed", "step")
	add(e.Fail, "%s not as expected", "expectation")
	add(e.Error, "%s could not be told", "expectation")
	add(e.Pass, "%s as expected", "expectation")
	if c.Status == expect.Pass && e.Total() == 0 {
		add(c.Steps.Pass, "%s done and no expectation", "step")
	}
	for _, of := range []struct {
		n    int
		what string
	}{{e.Skip, "skipped"}, {e.Pending, "not decided"}} {
		if of.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", of.n, of.what))
		}
	}
	text := cmp.Or(sameNoun(parts), "no expectations") + fmt.Sprintf(", on %s", plural(c.Clusters, "cluster"))
	if n := len(r.Skipped); n > 0 {
		text += fmt.Sprintf(" and not on %d that could not be had", n)
	}
	if c.Elapsed > 0 {
		text += " in " + elapsed(c.Elapsed)
	}
	return text + "."
}

// sameNoun joins parts and names the expectations only once.
func sameNoun(parts []string) string {
	named := false
	for i, part := range parts {
		if !strings.Contains(part, " expectation") {
			continue
		}
		if named {
			part = strings.Replace(part, " expectations", "", 1)
			parts[i] = strings.Replace(part, " expectation", "", 1)
		}
		named = true
	}
	return strings.Join(parts, ", ")
}
