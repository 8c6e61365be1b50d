package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// page is text that is being written.
type page struct {
	Style
	b strings.Builder
	// pictures are those of a document; nil where there is a report alone.
	pictures []Picture
}

func newPage(s Style) *page { return &page{Style: s} }

func (p *page) String() string { return p.b.String() }

// line writes one line as it is, without spaces at its end.
func (p *page) line(text string) { p.b.WriteString(strings.TrimRight(text, " ") + "\n") }

func (p *page) linef(format string, args ...any) { p.line(fmt.Sprintf(format, args...)) }

func (p *page) blank() { p.b.WriteString("\n") }

func (p *page) heading(text string) {
	for _, line := range wrap(clean(text), p.width()) {
		p.line(p.paint(sgrBold, line))
	}
}

// text writes text of several lines, wrapped, behind an indent.
func (p *page) text(indent, text string) {
	for _, line := range lines(text) {
		rest := strings.TrimLeft(line, " ")
		own := indent + line[:len(line)-len(rest)]
		for _, part := range wrap(rest, max(leastWidth/2, p.width()-width(own))) {
			p.line(own + part)
		}
	}
}

// cell is what stands in a place of a grid.
type cell struct {
	text, sgr string
	// whole keeps the text on one line, without its middle where it is long.
	whole bool
}

// grid is a table without lines between its columns.
type grid struct {
	indent string
	// head and rows hold as many cells as there are columns; an empty head is
	// not written.
	head [][]cell
	rows [][]cell
	// flexible is the column that gives way where the others need the room.
	flexible int
	// right are the columns that are aligned to the right.
	right []int
	// most bounds the width of columns.
	most map[int]int
	// rule writes a line below the head.
	rule bool
}

const columnGap = 2

// leastFlexible is what the flexible column keeps.
const leastFlexible = 16

// leastColumn is what every column keeps where the page is too narrow.
const leastColumn = 4

func (g *grid) widths(room int) []int {
	var widths []int
	for _, row := range slices.Concat(g.head, g.rows) {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width(c.text))
		}
	}
	total := width(g.indent) - columnGap
	for i, w := range widths {
		if most := g.most[i]; most > 0 {
			widths[i] = min(w, most)
		}
		total += widths[i] + columnGap
	}
	if g.flexible < len(widths) && total > room {
		least := max(min(leastFlexible, widths[g.flexible]), widths[g.flexible]-(total-room))
		total -= widths[g.flexible] - least
		widths[g.flexible] = least
	}
	for ; g.flexible < len(widths) && total > room; total-- {
		i := slices.Index(widths, slices.Max(widths))
		if widths[i] <= leastColumn {
			break
		}
		widths[i]--
	}
	return widths
}

func (p *page) grid(g grid) {
	widths := g.widths(p.width())
	for _, row := range g.head {
		p.row(g, widths, row)
	}
	if g.rule && len(g.head) > 0 {
		total := -columnGap
		for _, w := range widths {
			total += w + columnGap
		}
		p.line(g.indent + p.paint(sgrDim, strings.Repeat(p.sign("─", "-"), min(total, p.width()-width(g.indent)))))
	}
	for _, row := range g.rows {
		p.row(g, widths, row)
	}
}

// row writes a row, over several lines where a cell needs them.
func (p *page) row(g grid, widths []int, row []cell) {
	parts := make([][]string, len(row))
	height := 1
	for i, c := range row {
		parts[i] = []string{c.text}
		switch {
		case width(c.text) <= widths[i]:
		case c.whole:
			parts[i] = []string{p.cutMiddle(c.text, widths[i])}
		default:
			parts[i] = wrap(c.text, widths[i])
		}
		height = max(height, len(parts[i]))
	}
	for n := range height {
		line := g.indent
		for i, c := range row {
			text := ""
			if n < len(parts[i]) {
				text = parts[i][n]
			}
			fill := pad("", widths[i]-width(text))
			if slices.Contains(g.right, i) {
				line += fill + p.paint(c.sgr, text)
			} else {
				line += p.paint(c.sgr, text) + fill
			}
			if i < len(row)-1 {
				line += pad("", columnGap)
			}
		}
		p.line(line)
	}
}

// plural is a number of things.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// span is a duration as scenarios state it: 75s, 0.25s, 5m0s.
func span(d time.Duration) string {
	if d.Abs() < 2*time.Minute {
		return strconv.FormatFloat(float64(d.Microseconds())/1e6, 'f', -1, 64) + "s"
	}
	return d.String()
}

// elapsed is a duration as people read it: 0.4s, 42.3s, 1m42s, 2h05m.
func elapsed(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + elapsed(-d)
	case d < time.Minute-50*time.Millisecond:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour-500*time.Millisecond:
		d = d.Round(time.Second)
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}
