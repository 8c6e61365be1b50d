package diag

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Style is the style of the text.
type Style struct {
	// Color allows ANSI colours. Without it, carets below the source mark the
	// range.
	Color bool
	// Width is the number of columns to wrap at; 0 means not to wrap.
	Width int
}

// The ANSI codes in use.
const (
	reset     = "\x1b[0m"
	bold      = "\x1b[1m"
	underline = "\x1b[4m"
	red       = "\x1b[31m"
	yellow    = "\x1b[33m"
	dim       = "\x1b[90m"
)

// WriteText writes diagnostics for people, each next to a bar. It replaces control
// characters in them.
func WriteText(w io.Writer, l List, style Style) error {
	var b strings.Builder
	for i, d := range l {
		if i > 0 {
			b.WriteString("\n")
		}
		writeOne(&b, d, style)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing diagnostics: %w", err)
	}
	return nil
}

func writeOne(b *strings.Builder, d Diagnostic, style Style) {
	color, word := red, "Error"
	if d.Severity == SeverityWarning {
		color, word = yellow, "Warning"
	}
	p := &printer{Style: style, b: b, color: color}
	p.b.WriteString(p.paint(color, "╷") + "\n")
	for i, line := range wrap(word+": "+clean(d.Summary), p.room()) {
		if rest, ok := strings.CutPrefix(line, word+":"); ok && i == 0 {
			line = p.paint(bold+color, word+":") + p.paint(bold, rest)
		} else {
			line = p.paint(bold, line)
		}
		p.line(line)
	}
	if d.Range != nil || d.Snippet != nil || d.Detail != "" {
		p.line("")
	}
	if d.Range != nil {
		p.place(d)
	}
	if d.Snippet != nil {
		p.snippet(d.Snippet)
	}
	if d.Detail != "" {
		if d.Range != nil || d.Snippet != nil {
			p.line("")
		}
		p.text(d.Detail)
	}
	p.b.WriteString(p.paint(color, "╵") + "\n")
}

// printer writes the lines of one diagnostic.
type printer struct {
	Style
	b     *strings.Builder
	color string
}

func (p *printer) paint(code, s string) string {
	if !p.Color || s == "" {
		return s
	}
	return code + s + reset
}

func (p *printer) line(s string) {
	p.b.WriteString(strings.TrimRight(p.paint(p.color, "│")+" "+s, " ") + "\n")
}

// room is the number of columns right of the bar; 0 means no limit.
func (p *printer) room() int {
	if p.Width == 0 {
		return 0
	}
	return max(20, p.Width-2)
}

// text writes paragraphs; lines that begin with a space are not changed.
func (p *printer) text(s string) {
	for _, paragraph := range strings.Split(strings.TrimRight(s, "\n"), "\n") {
		if strings.HasPrefix(paragraph, " ") {
			p.line(clean(paragraph))
			continue
		}
		for _, line := range wrap(clean(paragraph), p.room()) {
			p.line(line)
		}
	}
}

func (p *printer) place(d Diagnostic) {
	where := fmt.Sprintf("  on %s line %d", clean(d.Range.Filename), d.Range.Start.Line)
	if d.Snippet != nil && d.Snippet.Context != "" {
		where += ", in " + clean(d.Snippet.Context)
	}
	if d.Snippet != nil {
		where += ":"
	}
	p.line(where)
}

// maxLines is the maximum number of lines of a snippet.
const maxLines = 12

func (p *printer) snippet(s *Snippet) {
	offset := 0
	for i, line := range strings.Split(s.Code, "\n") {
		if i == maxLines {
			p.line("        …")
			break
		}
		from := min(max(s.HighlightStart-offset, 0), len(line))
		to := min(max(s.HighlightEnd-offset, 0), len(line))
		p.source(s.StartLine+i, strings.TrimSuffix(line, "\r"), from, to, !strings.Contains(s.Code, "\n"))
		offset += len(line) + 1
	}
	if len(s.Values) == 0 {
		return
	}
	p.line(p.paint(dim, "    ├────────────────"))
	for _, v := range s.Values {
		p.line(p.paint(dim, "    │ ") + p.paint(bold, clean(v.Reference)) + " " + clean(v.Statement))
	}
}

// source writes a line of source with the bytes between from and to marked.
// An empty range, which is a place between characters, is marked in single
// lines only.
func (p *printer) source(number int, line string, from, to int, single bool) {
	from, to = min(from, len(line)), min(to, len(line))
	before, marked, after := clean(line[:from]), clean(line[from:to]), clean(line[to:])
	head := fmt.Sprintf("%4d: ", number)
	if p.Color {
		p.line(p.paint(dim, head) + before + p.paint(underline, marked) + after)
		return
	}
	p.line(head + before + marked + after)
	if width := columns(marked); width > 0 || single {
		indent := len(head) + columns(before)
		if lead := marked[:len(marked)-len(strings.TrimLeft(marked, " "))]; !single {
			indent, width = indent+columns(lead), width-columns(lead)
		}
		p.line(strings.Repeat(" ", indent) + strings.Repeat("^", max(1, width)))
	}
}

// columns is the number of columns that clean text takes.
func columns(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me):
		case wide(r):
			n += 2
		default:
			n++
		}
	}
	return n
}

// wide says whether terminals give a character two columns: the East Asian
// scripts, full-width forms and emoji.
func wide(r rune) bool {
	return r >= 0x1100 && r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
		r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd
}

// clean replaces characters that a terminal would interpret: control characters
// with their pictures, a tab with two spaces, and characters that change the
// direction of writing with a replacement character.
func clean(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		switch {
		case r == '\t':
			b.WriteString("  ")
		case r < 0x20:
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune(0x2421)
		case unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp):
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// wrap breaks text at spaces into lines of at most width columns, unless a
// word is longer; 0 means no breaks.
func wrap(s string, width int) []string {
	if width == 0 {
		return []string{s}
	}
	var lines []string
	line := ""
	for _, word := range strings.Split(s, " ") {
		switch {
		case line == "":
			line = word
		case columns(line)+1+columns(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
