package text

import (
	"slices"
	"unicode"

	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/layout"
)

// The widths of a table's columns.
const (
	widestGate    = 40
	narrowestGate = 12
	shortestName  = 24
)

// column is a cluster's column, laid out.
type column struct {
	head, cells []layout.Cell
	width       int
}

func (p *page) table(rows [][]document.Cell) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(row []document.Cell) bool { return !document.Notable(row) })
	if len(rows) < 2 {
		p.Line("  nothing was to be decided")
		return
	}
	longest, height := 0, 0
	for _, row := range rows[1:] {
		longest = max(longest, layout.Width(layout.Clean(row[0].Text)))
	}
	var columns []column
	for _, gate := range []int{widestGate, narrowestGate} {
		columns, height = nil, 0
		total := longest
		for i := 1; i < len(rows[0]); i++ {
			c := p.column(rows, i, gate)
			columns = append(columns, c)
			height = max(height, len(c.head))
			total += layout.ColumnGap + c.width
		}
		if total <= p.Columns() {
			break
		}
	}
	for i, some := range p.split(columns, p.Columns()-min(longest, max(shortestName, p.Columns()*2/5))) {
		if i > 0 {
			p.Blank()
		}
		p.slice(rows, some, height)
	}
}

// split are the columns in as few tables as there is room for, as equal as
// they come.
func (p *page) split(columns []column, room int) [][]column {
	fill := func(most int) [][]column {
		var out [][]column
		left := 0
		for _, c := range columns {
			need := layout.ColumnGap + c.width
			if len(out) == 0 || need > left || len(out[len(out)-1]) == most {
				out = append(out, nil)
				left = room
			}
			out[len(out)-1] = append(out[len(out)-1], c)
			left -= need
		}
		return out
	}
	fewest := fill(len(columns))
	for most := 1; most < len(columns); most++ {
		if even := fill(most); len(even) == len(fewest) {
			return even
		}
	}
	return fewest
}

// column lays out the column of the rows' i-th cells, feature gates in lines of
// so many columns.
func (p *page) column(rows [][]document.Cell, i, gate int) column {
	var c column
	name := p.CutMiddle(layout.Clean(rows[0][i].Text), layout.LongestName)
	c.head = []layout.Cell{{Text: name, SGR: layout.Bold}}
	c.width = layout.Width(name)
	for _, row := range rows[1:] {
		body := layout.Cell{}
		if row[i].Kind != document.CellNone {
			body = layout.Cell{Text: p.Mark(row[i].Status) + " " + layout.Clean(row[i].Text), SGR: layout.StatusColor(row[i].Status)}
		}
		c.cells = append(c.cells, body)
		c.width = max(c.width, layout.Width(body.Text))
	}
	for n, note := range rows[0][i].Notes {
		if n == 0 {
			c.width = max(c.width, min(layout.Width(note), layout.LongestName))
		}
	}
	for _, note := range rows[0][i].Notes {
		for _, part := range p.humps(layout.Clean(note), max(c.width, gate)) {
			c.head = append(c.head, layout.Cell{Text: part, SGR: layout.Dim})
			c.width = max(c.width, layout.Width(part))
		}
	}
	return c
}

// slice writes the table of some of the columns.
func (p *page) slice(rows [][]document.Cell, columns []column, height int) {
	g := layout.Grid{Rule: true}
	for n := range height {
		line := []layout.Cell{{}}
		for _, c := range columns {
			if n < len(c.head) {
				line = append(line, c.head[n])
			} else {
				line = append(line, layout.Cell{})
			}
		}
		if slices.ContainsFunc(line, func(c layout.Cell) bool { return c.Text != "" }) {
			g.Head = append(g.Head, line)
		}
	}
	for n, row := range rows[1:] {
		line := []layout.Cell{{Text: layout.Clean(row[0].Text)}}
		for _, c := range columns {
			line = append(line, c.cells[n])
		}
		g.Rows = append(g.Rows, line)
	}
	p.Grid(g)
}

// humps breaks a name such as a feature gate's where a word begins in it.
func (p *page) humps(name string, columns int) []string {
	var words []string
	from, before := 0, 'A'
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(before) {
			words = append(words, name[from:i])
			from = i
		}
		before = r
	}
	words = append(words, name[from:])
	out := []string{""}
	for _, w := range words {
		w = p.CutMiddle(w, columns)
		if last := &out[len(out)-1]; layout.Width(*last)+layout.Width(w) <= columns {
			*last += w
		} else {
			out = append(out, w)
		}
	}
	if out[0] == "" {
		out = out[1:]
	}
	return out
}
