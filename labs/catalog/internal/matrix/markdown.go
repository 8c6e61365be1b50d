package matrix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/catalog"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
)

// Markdown is the labs on the clusters that all of them declare, and then for
// each lab what did not come out alike on all of its clusters.
func Markdown(labs []Lab) string {
	var b strings.Builder
	standard := catalog.Standard().Clusters
	head, rule := "| lab |", "| --- |"
	for _, c := range standard {
		head += " " + title(c.Kubernetes, c.FeatureGates) + " |"
		rule += " --- |"
	}
	fmt.Fprintf(&b, "%s\n%s\n", head, rule)
	for _, lab := range labs {
		fmt.Fprintf(&b, "| [%s](catalog/%s/README.md) |", lab.Name, lab.Name)
		for _, c := range standard {
			fmt.Fprintf(&b, " %s |", lab.cell(c.Name))
		}
		b.WriteString("\n")
	}
	if names := changedLabs(labs); len(names) > 0 {
		fmt.Fprintf(&b, "\nChanged since they were recorded, so that what is said of them here is of the scenarios before that: %s.\n", strings.Join(names, ", "))
	}
	b.WriteString("\n## What differs\n")
	for _, lab := range labs {
		lab.differences(&b)
	}
	return b.String()
}

// changedLabs are the names of those that were changed since they were recorded.
func changedLabs(labs []Lab) []string {
	var names []string
	for _, lab := range labs {
		if lab.Changed {
			names = append(names, lab.Name)
		}
	}
	return names
}

// title names a cluster by its version and gates.
func title(kubernetes string, gates map[string]bool) string {
	return strings.Join(append([]string{kubernetes}, clusters.FeatureGates(gates).Signed()...), " ")
}

// notRecorded stands in the table where nothing is known of a lab on a cluster.
const notRecorded = "not recorded"

// cell says the result of a lab on a cluster.
func (l Lab) cell(cluster string) string {
	if !slices.Contains(l.On, cluster) {
		return "–"
	}
	if l.Report == nil {
		return notRecorded
	}
	if slices.ContainsFunc(l.Report.Skipped, func(c report.SkippedCluster) bool { return c.Name == cluster }) {
		return "left out"
	}
	only := l.Report.Only(func(_, on string) bool { return on == cluster })
	if len(only.Runs) == 0 {
		return notRecorded
	}
	tally := report.Summary(only).Expectations
	text := fmt.Sprintf("%d passed", tally.Pass)
	if tally.Fail > 0 {
		text += fmt.Sprintf(", **%d failed**", tally.Fail)
	}
	if n := tally.Error + tally.Pending; n > 0 {
		text += fmt.Sprintf(", **%d could not be decided**", n)
	}
	return text
}

// differences writes the scenarios of a lab.
func (l Lab) differences(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n\n%s\n", l.Name, escape(l.Description))
	if l.Report == nil {
		b.WriteString("\nNot recorded.\n")
		return
	}
	for _, c := range l.Report.Skipped {
		fmt.Fprintf(b, "\n%s was left out: no node image was available.\n", escape(title(c.Kubernetes, nil)))
	}
	var done []string
	for _, run := range l.Report.Runs {
		if !slices.Contains(done, run.Scenario) {
			done = append(done, run.Scenario)
			l.scenario(b, run)
		}
	}
}

// scenario writes the rows of a scenario that differ, with the clusters that
// came out alike in one column.
func (l Lab) scenario(b *strings.Builder, of report.ScenarioRun) {
	table := document.Table(*l.Report, of.Scenario)
	heads := l.heads(table[0][1:])
	alike := 0
	var rows [][]document.Cell
	for _, row := range table[1:] {
		switch {
		case differs(row[1:]):
			rows = append(rows, row)
		case row[0].Kind == document.CellExpectation:
			alike++
		}
	}
	fmt.Fprintf(b, "\n**%s**: %s\n", escape(of.Scenario), escape(of.Description))
	if alike > 0 || len(rows) == 0 {
		fmt.Fprintf(b, "\nAlike on %s: %s.\n", escape(strings.Join(heads, ", ")), expectations(alike))
	}
	if len(rows) == 0 {
		return
	}
	groups := group(rows)
	head, rule := "| |", "| --- |"
	for _, columns := range groups {
		var names []string
		for _, i := range columns {
			names = append(names, heads[i])
		}
		head, rule = head+" "+escape(strings.Join(names, ", "))+" |", rule+" --- |"
	}
	fmt.Fprintf(b, "\n%s\n%s\n", head, rule)
	for _, row := range rows {
		fmt.Fprintf(b, "| %s |", escape(row[0].Text))
		for _, columns := range groups {
			fmt.Fprintf(b, " %s |", outcome(row[1+columns[0]]))
		}
		b.WriteString("\n")
	}
}

// heads are the titles of the columns. Clusters that differ in single components
// have one title; their names tell them apart.
func (l Lab) heads(cells []document.Cell) []string {
	titles := l.titles(cells)
	var out []string
	for i, title := range titles {
		if slices.Contains(titles[:i], title) || slices.Contains(titles[i+1:], title) {
			title += " (" + cells[i].Text + ")"
		}
		out = append(out, title)
	}
	return out
}

func (l Lab) titles(cells []document.Cell) []string {
	var out []string
	for _, cell := range cells {
		i := slices.IndexFunc(l.Report.Clusters, func(c report.Cluster) bool { return c.Name == cell.Text })
		if i < 0 {
			out = append(out, cell.Text)
			continue
		}
		c := l.Report.Clusters[i]
		out = append(out, title(c.Kubernetes, c.FeatureGates))
	}
	return out
}

// differs says whether the cells differ, or one of them is not the expected result.
func differs(cells []document.Cell) bool {
	for _, c := range cells {
		if outcome(c) != outcome(cells[0]) || c.Status >= expect.Fail {
			return true
		}
	}
	return false
}

// group puts columns together that are the same in all rows, in the order of
// the first of each.
func group(rows [][]document.Cell) [][]int {
	var keys []string
	var groups [][]int
	for i := range rows[0][1:] {
		key := ""
		for _, row := range rows {
			key += outcome(row[1+i]) + "\n"
		}
		at := slices.Index(keys, key)
		if at < 0 {
			keys, groups = append(keys, key), append(groups, nil)
			at = len(groups) - 1
		}
		groups[at] = append(groups[at], i)
	}
	return groups
}

// outcome is a cell in a word or two.
func outcome(c document.Cell) string {
	switch {
	case c.Kind == document.CellNone:
		return ""
	case c.Status == expect.Fail:
		return "**" + escape(c.Text) + ", failed**"
	case c.Status >= expect.Error:
		return "**could not be decided**"
	}
	return escape(c.Text)
}

func expectations(n int) string {
	if n == 1 {
		return "1 expectation"
	}
	return fmt.Sprintf("%d expectations", n)
}

// escape is text in one line in which nothing is taken for Markdown or HTML.
func escape(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;").Replace(text)
}
