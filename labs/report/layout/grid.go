package layout

import (
	"slices"
	"strings"
)

// Cell is what stands in a place of a Grid. Its text is clean.
type Cell struct {
	Text string
	// SGR is the SGR sequence in which the text is painted; empty for none.
	SGR string
	// Whole keeps the text on one line, without its middle where it is long.
	Whole bool
}

// Grid is a table without lines between its columns.
type Grid struct {
	// Indent is before each line.
	Indent string
	// Head and Rows hold as many cells as there are columns; an empty head is
	// not written.
	Head [][]Cell
	Rows [][]Cell
	// Flexible is the column that gives way where the others need the room.
	Flexible int
	// Right are the columns that are aligned to the right.
	Right []int
	// Most bounds the width of columns.
	Most map[int]int
	// Rule writes a line below the head.
	Rule bool
}

// ColumnGap is how many columns stay free between two columns of a table.
const ColumnGap = 2

// leastFlexible is what the flexible column keeps.
const leastFlexible = 16

// leastColumn is what every column keeps where the page is too narrow.
const leastColumn = 4

func (g *Grid) widths(room int) []int {
	var widths []int
	for _, row := range slices.Concat(g.Head, g.Rows) {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(c.Text))
		}
	}
	total := Width(g.Indent) - ColumnGap
	for i, w := range widths {
		if most := g.Most[i]; most > 0 {
			widths[i] = min(w, most)
		}
		total += widths[i] + ColumnGap
	}
	if g.Flexible < len(widths) && total > room {
		least := max(min(leastFlexible, widths[g.Flexible]), widths[g.Flexible]-(total-room))
		total -= widths[g.Flexible] - least
		widths[g.Flexible] = least
	}
	for ; g.Flexible < len(widths) && total > room; total-- {
		i := slices.Index(widths, slices.Max(widths))
		if widths[i] <= leastColumn {
			break
		}
		widths[i]--
	}
	return widths
}

// Grid writes a table.
func (p *Page) Grid(g Grid) {
	widths := g.widths(p.Columns())
	for _, row := range g.Head {
		p.row(g, widths, row)
	}
	if g.Rule && len(g.Head) > 0 {
		total := -ColumnGap
		for _, w := range widths {
			total += w + ColumnGap
		}
		p.Line(g.Indent + p.Paint(Dim, strings.Repeat(p.Sign("─", "-"), min(total, p.Columns()-Width(g.Indent)))))
	}
	for _, row := range g.Rows {
		p.row(g, widths, row)
	}
}

// row writes a row, over several lines where a cell needs them.
func (p *Page) row(g Grid, widths []int, row []Cell) {
	parts := make([][]string, len(row))
	height := 1
	for i, c := range row {
		parts[i] = []string{c.Text}
		switch {
		case Width(c.Text) <= widths[i]:
		case c.Whole:
			parts[i] = []string{p.CutMiddle(c.Text, widths[i])}
		default:
			parts[i] = Wrap(c.Text, widths[i])
		}
		height = max(height, len(parts[i]))
	}
	for n := range height {
		line := g.Indent
		for i, c := range row {
			text := ""
			if n < len(parts[i]) {
				text = parts[i][n]
			}
			fill := Pad("", widths[i]-Width(text))
			if slices.Contains(g.Right, i) {
				line += fill + p.Paint(c.SGR, text)
			} else {
				line += p.Paint(c.SGR, text) + fill
			}
			if i < len(row)-1 {
				line += Pad("", ColumnGap)
			}
		}
		p.Line(line)
	}
}
