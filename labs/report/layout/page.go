// Package layout lays text out in lines and columns for people: styles and
// colours, wrapping, and tables. It also takes out of texts of others what a
// terminal would obey. It knows nothing of reports.
package layout

import (
	"fmt"
	"strings"
)

// Page is text that is being written, from its first line to its last. Nothing
// is written that a terminal would obey but the style's colours, if every text
// of others is clean or goes through Heading, Text, Note or Table. The zero
// value has the zero Style.
type Page struct {
	Style
	b strings.Builder
}

// NewPage makes an empty page.
func NewPage(style Style) *Page { return &Page{Style: style} }

// String is what was written.
func (p *Page) String() string { return p.b.String() }

// Line writes one line of clean text as it is, without spaces at its end.
func (p *Page) Line(text string) { p.b.WriteString(strings.TrimRight(text, " ") + "\n") }

// Linef is Line with a format.
func (p *Page) Linef(format string, args ...any) { p.Line(fmt.Sprintf(format, args...)) }

// Blank writes an empty line.
func (p *Page) Blank() { p.b.WriteString("\n") }

// Heading writes a line in bold, wrapped.
func (p *Page) Heading(text string) { p.wrapped(Bold, text) }

// Note writes a sentence that readers may skip, wrapped.
func (p *Page) Note(text string) { p.wrapped(Dim, text) }

func (p *Page) wrapped(sgr, text string) {
	for _, line := range Wrap(Clean(text), p.Columns()) {
		p.Line(p.Paint(sgr, line))
	}
}

// Text writes text of several lines, wrapped, behind an indent. A line that is
// indented by itself stays so, as far as half of the least page is left for its
// words.
func (p *Page) Text(indent, text string) {
	for _, line := range Lines(text) {
		rest := strings.TrimLeft(line, " ")
		depth := min(len(line)-len(rest), max(0, p.Columns()-LeastWidth/2-Width(indent)))
		own := indent + line[:depth]
		for _, part := range Wrap(rest, p.Columns()-Width(own)) {
			p.Line(own + part)
		}
	}
}
