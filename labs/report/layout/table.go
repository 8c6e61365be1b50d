package layout

import "github.com/kind-lab/lab/labs/expect"

// StatusCell is a place in a table of texts that need not be clean.
type StatusCell struct {
	Text string
	// Status puts the status's mark before the text; nil for none.
	Status *expect.Status
}

// Table writes rows below their titles. The last column gives way if there is
// no room for all, and the others take at most a third of the width.
func (p *Page) Table(titles []string, rows [][]StatusCell) {
	g := Grid{Flexible: len(titles) - 1, Most: map[int]int{}}
	for i := range len(titles) - 1 {
		g.Most[i] = p.Columns() / 3
	}
	g.Head = [][]Cell{Titles(titles...)}
	for _, row := range rows {
		var cells []Cell
		for i, c := range row {
			cell := Cell{Text: Clean(c.Text)}
			if i == 0 {
				cell.SGR = Bold
			}
			if c.Status != nil {
				cell.Text, cell.SGR = p.Mark(*c.Status)+" "+cell.Text, StatusColor(*c.Status)
			}
			cells = append(cells, cell)
		}
		g.Rows = append(g.Rows, cells)
	}
	p.Grid(g)
}

// Titles are cells that head columns.
func Titles(texts ...string) []Cell {
	var cells []Cell
	for _, text := range texts {
		cells = append(cells, Cell{Text: text, SGR: Dim})
	}
	return cells
}
