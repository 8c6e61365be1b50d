package report

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/kind-lab/lab/labs/expect"
)

// The bounds of the Markdown: GitHub takes 65,536 characters for a comment.
const (
	mostMarkdown = 60_000
	mostEvidence = 6_000
	mostTables   = 40_000
	mostName     = 200
)

// WriteMarkdown writes a document as GitHub's Markdown, for a pull request or a
// step's summary: for each scenario what became of its expectations on each
// cluster, the evidence of what did not come out as expected, folded, when the
// containers ran, and how to run it again. Nothing that the document holds is
// taken for Markdown or HTML, nor does it call anybody's name. It is at most
// 60,000 characters or so: what has no room is counted.
func WriteMarkdown(w io.Writer, d Document) error {
	m := &markdown{d: d}
	m.head()
	for _, name := range scenarios(d.Report) {
		m.scenario(name)
	}
	m.failures()
	for _, name := range scenarios(d.Report) {
		m.timeline(name)
	}
	m.foot()
	if _, err := io.WriteString(w, m.b.String()); err != nil {
		return fmt.Errorf("writing the Markdown: %w", err)
	}
	return nil
}

// markdown is Markdown that is being written.
type markdown struct {
	d       Document
	b       strings.Builder
	omitted int
}

func (m *markdown) linef(format string, args ...any) { fmt.Fprintf(&m.b, format+"\n", args...) }

func (m *markdown) head() {
	r := m.d.Report
	c := Summary(r)
	word, _ := verdictWord(r, c)
	m.linef("## %s %s %s\n", markdownMark(c.Status), inline(cmp.Or(r.File, "lab")), strings.TrimRight(word, ":!"))
	m.linef("%s\n", inline(tallyText(r, c)))
}

func markdownMark(status expect.Status) string {
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
func (m *markdown) scenario(name string) {
	m.linef("### %s\n", short(name))
	if text := strings.TrimSpace(runsOf(m.d.Report, name)[0].Description); text != "" {
		m.linef("%s\n", inline(Style{}.cut(clean(text), mostEvidence)))
	}
	rows := Table(m.d.Report, name)
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
		if !worth(row) {
			continue
		}
		if m.b.Len() > mostTables {
			left++
			continue
		}
		line := "| " + short(row[0].Text) + " |"
		for _, c := range row[1:] {
			if c.Kind != CellNone {
				line += " " + markdownMark(c.Status) + " " + short(c.Text)
			}
			line += " |"
		}
		m.linef("%s", line)
	}
	if left > 0 {
		m.linef("\nand %s", plural(left, "more row"))
	}
	m.linef("")
}

// short is a name, cut where it is very long.
func short(text string) string { return inline(Style{}.cut(clean(text), mostName)) }

// failures writes what did not come out as expected, folded.
func (m *markdown) failures() {
	r := m.d.Report
	for _, c := range r.Clusters {
		if broken(c) {
			m.details(expect.Error, "cluster "+clusterTitle(c)+" could not be used", block(c.Error))
		}
	}
	for _, c := range r.Skipped {
		m.details(expect.Skip, "cluster "+skippedTitle(c)+" was left out", block(c.Reason))
	}
	for _, text := range r.Errors {
		m.details(expect.Error, "outside the scenarios", block(text))
	}
	for _, name := range scenarios(r) {
		for _, run := range runsOf(r, name) {
			if unstarted(r, run) {
				continue
			}
			for _, s := range run.Steps {
				if s.Status < expect.Fail {
					continue
				}
				title, text := strings.TrimSpace(s.Verb+" "+s.Name), block(s.Detail)
				if isExpectation(s) {
					title = s.Name
				}
				if s.Verdict != nil {
					text = evidenceText(*s.Verdict, run.StartedAt)
				}
				m.details(s.Status, name+" on "+clusterTitle(clusterOf(r, run.Cluster))+": "+title, text)
			}
		}
	}
	if m.omitted > 0 {
		m.linef("And %s more that did not come out as expected: `lab report -format text` has them.\n", plural(m.omitted, "thing"))
	}
}

// details writes text that is folded behind a title, as it is.
func (m *markdown) details(status expect.Status, title, text string) {
	title = Style{}.cut(clean(title), 2*mostName)
	if len(text) > mostEvidence {
		text = strings.ToValidUTF8(text[:mostEvidence], "") + "\n…"
	}
	if m.b.Len()+len(text)+len(title) > mostMarkdown {
		m.omitted++
		return
	}
	m.linef("<details><summary>%s %s</summary>\n\n%s\n</details>\n", markdownMark(status), uncalled(html.EscapeString(title)), fenced(text))
}

// barsWidth is how wide bars are in Markdown.
const barsWidth = 110

// timeline writes a scenario's bars, folded.
func (m *markdown) timeline(name string) {
	p := newPage(Style{Width: barsWidth})
	p.pictures = m.d.Pictures
	var clusters []string
	for _, run := range runsOf(m.d.Report, name) {
		clusters = append(clusters, run.Cluster)
	}
	p.bars(name, clusters)
	text := strings.Trim(p.String(), "\n")
	if text == "" || m.b.Len()+len(text) > mostMarkdown {
		return
	}
	m.linef("<details><summary>When the containers of %s ran</summary>\n\n%s\n</details>\n", uncalled(html.EscapeString(Style{}.cut(clean(name), mostName))), fenced(text))
}

func (m *markdown) foot() {
	if command := m.d.Reproduce.Command; command != "" && len(command) < mostEvidence {
		m.linef("To run it again:\n\n%s", fenced(clean(command)))
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

// fenced is a block of text as it is: its fence is longer than any in it.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "text\n" + strings.TrimRight(text, "\n") + "\n" + fence
}

// special are the characters that mean something somewhere in Markdown.
const special = "\\`*_{}[]()#+-.!|~$:=^\"'"

// inline is one line of text as Markdown that shows it: every character that
// could mean something is escaped, also what would make a link, a reference or
// call a name.
func inline(text string) string {
	text = strings.Join(strings.Fields(clean(text)), " ")
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '<' || r == '>' || r == '&':
			b.WriteString(html.EscapeString(string(r)))
		case strings.ContainsRune("-.:'\"()!=+", r) && strings.Trim(text[:i], "0123456789") != "":
			b.WriteRune(r) // it means something at a line's begin alone, or behind what is escaped
		case strings.ContainsRune(special, r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return uncalled(b.String())
}

// uncalled puts what is not seen behind the characters with which GitHub finds
// people, issues and addresses.
func uncalled(text string) string {
	return strings.NewReplacer("@", "@\u2060", "#", "#\u2060", "://", ":\u2060//", "www.", "www\u2060.").Replace(text)
}
