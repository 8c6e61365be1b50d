package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report/layout"
)

// mostColumns is how many sides have a column each in Markdown; where there are
// more, those that agree are named together.
const mostColumns = 6

// WriteMarkdown writes the comparison for a pull request, in GitHub's Markdown:
// a table for each part with a column for each side. Names and texts are
// escaped, so that none of them is markup, a link or a mention.
func WriteMarkdown(w io.Writer, c Comparison) error {
	var b strings.Builder
	for _, p := range c.Parts {
		if p.plain() {
			continue
		}
		fmt.Fprintf(&b, "### %s\n\n", escaped(p.title()))
		switch {
		case len(p.Differences) == 0:
			var sides []string
			for _, s := range p.Sides {
				sides = append(sides, fmt.Sprintf("%s (%s)", s.Name, s.About()))
			}
			fmt.Fprintf(&b, "%s\n\n", escaped("Compared: "+list(sides)+"."))
		case len(p.Sides) <= mostColumns:
			columns(&b, p)
		default:
			groups(&b, p)
		}
		for _, line := range slices.Concat(p.closing(), p.Notes) {
			fmt.Fprintf(&b, "%s\n\n", paragraph(line))
		}
	}
	for _, note := range append([]string{c.same()}, c.Notes...) {
		if note == "" {
			continue
		}
		fmt.Fprintf(&b, "%s\n\n", paragraph(note))
	}
	fmt.Fprintf(&b, "**%s**\n", escaped(c.summary()))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the comparison: %w", err)
	}
	return nil
}

// columns writes a part with a column for each side.
func columns(b *strings.Builder, p Part) {
	head, rule := "| |", "| --- |"
	for _, s := range p.Sides {
		head += fmt.Sprintf(" %s<br>%s |", escaped(s.Name), escaped(s.About()))
		rule += " --- |"
	}
	b.WriteString(head + "\n" + rule + "\n")
	for _, d := range p.Differences {
		fmt.Fprintf(b, "| %s |", escaped(d.Title()))
		for _, s := range p.Sides {
			text := ""
			if i := d.group(s.Name); i >= 0 {
				text = d.Groups[i].marked()
			}
			fmt.Fprintf(b, " %s |", text)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

// groups writes a part with a row for each group of sides.
func groups(b *strings.Builder, p Part) {
	b.WriteString("| difference | on | observed |\n| --- | --- | --- |\n")
	for _, d := range p.Differences {
		title := escaped(d.Title())
		for _, g := range d.Groups {
			fmt.Fprintf(b, "| %s | %s | %s |\n", title, escaped(strings.Join(g.Sides, ", ")), g.marked())
			title = ""
		}
	}
	b.WriteString("\n")
}

// marked is the group's text behind the sign of its status.
func (g Group) marked() string {
	if g.Status == nil {
		return escaped(g.Text)
	}
	sign := map[expect.Status]string{expect.Pending: "…", expect.Skip: "–", expect.Pass: "✅", expect.Fail: "❌", expect.Error: "⚠️"}[*g.Status]
	return sign + " " + escaped(g.Text)
}

// paragraph is text as escaped has it, at the begin of a line: no heading, no
// item of a list, no code.
func paragraph(text string) string {
	text = escaped(strings.TrimSpace(layout.Clean(text)))
	rest := strings.TrimLeft(text, "0123456789")
	number := text[:len(text)-len(rest)]
	if number == "" && strings.IndexAny(rest, "#-+") == 0 || number != "" && strings.IndexAny(rest, ".)") == 0 {
		return number + `\` + rest
	}
	return text
}

// escaped is text that is nothing but text in a table of GitHub's Markdown: no
// markup, no HTML, no link, no mention of a person or an issue, no emoji.
func escaped(text string) string {
	var b strings.Builder
	runes := []rune(strings.ReplaceAll(layout.Clean(text), "www.", "www\x00"))
	for i, r := range runes {
		next := ' '
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		switch {
		case r == 0:
			b.WriteString("&#46;")
		case strings.ContainsRune("&<>@", r), r == '#' && unicode.IsDigit(next), r == ':' && next != ' ' && !unicode.IsDigit(next):
			fmt.Fprintf(&b, "&#%d;", r)
		case strings.ContainsRune("\\`*_[]|~$", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
