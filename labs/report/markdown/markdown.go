// Package markdown writes a document as GitHub's Markdown.
package markdown

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/layout"
	"github.com/kind-lab/lab/labs/report/text"
)

// The bounds of the Markdown: GitHub takes 65,536 characters for a comment.
const (
	mostMarkdown = 60_000
	mostEvidence = 6_000
	mostTables   = 40_000
	mostName     = 200
)

// Write writes a document as GitHub's Markdown, for a pull request or a
// step's summary: for each scenario the result of its expectations on each
// cluster, the evidence of what did not come out as expected, folded, when the
// containers ran, and how to run it again. Nothing that the document holds is
// taken for Markdown or HTML, nor does it call anybody's name. It is at most
// 60,000 characters or so: what has no room is counted.
func Write(w io.Writer, d document.Document) error {
	m := &writer{d: d}
	m.head()
	for _, name := range d.Report.Scenarios() {
		m.scenario(name)
	}
	m.failures()
	for _, name := range d.Report.Scenarios() {
		m.timeline(name)
	}
	m.foot()
	if _, err := io.WriteString(w, m.b.String()); err != nil {
		return fmt.Errorf("writing the Markdown: %w", err)
	}
	return nil
}

// writer holds Markdown that is being written.
type writer struct {
	d       document.Document
	b       strings.Builder
	omitted int
}

func (m *writer) linef(format string, args ...any) { fmt.Fprintf(&m.b, format+"\n", args...) }

func (m *writer) head() {
	r := m.d.Report
	word, rest := text.Outcome(r)
	m.linef("## %s %s %s\n", mark(report.Summary(r).Status), inline(cmp.Or(r.File, "lab")), strings.TrimRight(word, ":!"))
	m.linef("%s\n", inline(rest))
}

func mark(status expect.Status) string {
	switch {
	case status >= expect.Error:
		return "⚠️"
	case status == expect.Fail:
		return "❌"
	case status == expect.Pass:
		return "✅"
	case status == expect.Skip:
		return "➖"
	}
	return "…"
}

// scenario writes the table of a scenario.
func (m *writer) scenario(name string) {
	m.linef("### %s\n", short(name))
	if about := strings.TrimSpace(m.d.Report.RunsOf(name)[0].Description); about != "" {
		m.linef("%s\n", inline(layout.Style{}.Cut(layout.Clean(about), mostEvidence)))
	}
	rows := document.Table(m.d.Report, name)
	line, rule := "| |", "| --- |"
	for _, c := range rows[0][1:] {
		line += " " + short(c.Text)
		for _, note := range c.Notes {
			line += "<br>" + short(note)
		}
		line, rule = line+" |", rule+" --- |"
	}
	m.linef("%s\n%s", line, rule)
	left := 0
	for _, row := range rows[1:] {
		if !document.Notable(row) {
			continue
		}
		if m.b.Len() > mostTables {
			left++
			continue
		}
		line := "| " + short(row[0].Text) + " |"
		for _, c := range row[1:] {
			if c.Kind != document.CellNone {
				line += " " + mark(c.Status) + " " + short(c.Text)
			}
			line += " |"
		}
		m.linef("%s", line)
	}
	if left > 0 {
		m.linef("\nand %s", text.Plural(left, "more row"))
	}
	m.linef("")
}

// short is a name, cut where it is very long.
func short(name string) string { return inline(layout.Style{}.Cut(layout.Clean(name), mostName)) }

// failures writes what did not come out as expected, folded.
func (m *writer) failures() {
	r := m.d.Report
	for _, c := range r.Clusters {
		if c.Broken() {
			m.details(expect.Error, "cluster "+c.Title()+" could not be used", layout.Block(c.Error))
		}
	}
	for _, c := range r.Skipped {
		m.details(expect.Skip, "cluster "+c.Title()+" was left out", layout.Block(c.Reason))
	}
	for _, failure := range r.Errors {
		m.details(expect.Error, "outside the scenarios", layout.Block(failure))
	}
	for _, name := range r.Scenarios() {
		for _, run := range r.RunsOf(name) {
			if r.Unstarted(run) {
				continue
			}
			for _, s := range run.Steps {
				if s.Status < expect.Fail {
					continue
				}
				body := layout.Block(s.Detail)
				if s.Verdict != nil {
					body = text.Evidence(*s.Verdict, run.StartedAt)
				}
				m.details(s.Status, name+" on "+r.Cluster(run.Cluster).Title()+": "+s.Title(), body)
			}
		}
	}
	if m.omitted > 0 {
		m.linef("`lab report --format text` shows %s more that did not pass.\n", text.Plural(m.omitted, "thing"))
	}
}

// details writes text that is folded behind a title, as it is.
func (m *writer) details(status expect.Status, title, body string) {
	title = layout.Style{}.Cut(layout.Clean(title), 2*mostName)
	if len(body) > mostEvidence {
		body = strings.ToValidUTF8(body[:mostEvidence], "") + "\n…"
	}
	if m.b.Len()+len(body)+len(title) > mostMarkdown {
		m.omitted++
		return
	}
	m.linef("<details><summary>%s %s</summary>\n\n%s\n</details>\n", mark(status), folded(title), fenced(body))
}

// barsWidth is how wide bars are in Markdown.
const barsWidth = 110

// timeline writes a scenario's bars, folded.
func (m *writer) timeline(name string) {
	bars := strings.Trim(text.Bars(m.d, name, layout.Style{Width: barsWidth}), "\n")
	if bars == "" || m.b.Len()+len(bars) > mostMarkdown {
		return
	}
	m.linef("<details><summary>When the containers of %s ran</summary>\n\n%s\n</details>\n", folded(layout.Style{}.Cut(layout.Clean(name), mostName)), fenced(bars))
}

func (m *writer) foot() {
	if command := m.d.Reproduce.Command; command != "" && len(command) < mostEvidence {
		m.linef("To run it again:\n\n%s", fenced(layout.Clean(command)))
	}
	r := m.d.Report
	var parts []string
	for _, pair := range [][2]string{{"run", r.ID}, {"lab", r.LabVersion}, {"on", m.d.Reproduce.Host}} {
		if pair[1] != "" {
			parts = append(parts, pair[0]+" "+inline(pair[1]))
		}
	}
	if len(parts) > 0 {
		m.linef("\n%s", strings.Join(parts, ", "))
	}
}
