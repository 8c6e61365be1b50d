package report

import "github.com/kind-lab/lab/labs/expect"

// Sheet is text laid out as WriteText lays out a report, for what else is told
// of runs. Nothing is written that a terminal would obey but the style's
// colours. The zero value is not ready; NewSheet makes one.
type Sheet struct{ p *page }

// SheetCell is what stands in a place of a sheet's table.
type SheetCell struct {
	Text string
	// Status puts the status's mark before the text; nil for none.
	Status *expect.Status
}

// NewSheet makes an empty sheet.
func NewSheet(style Style) *Sheet { return &Sheet{newPage(style)} }

// Heading writes a line in bold, wrapped.
func (s *Sheet) Heading(text string) { s.p.heading(text) }

// Text writes text of any number of lines, wrapped.
func (s *Sheet) Text(text string) { s.p.text("", text) }

// Note writes a sentence that may be passed over, wrapped.
func (s *Sheet) Note(text string) {
	for _, line := range wrap(clean(text), s.p.width()) {
		s.p.line(s.p.paint(sgrDim, line))
	}
}

// Blank writes an empty line.
func (s *Sheet) Blank() { s.p.blank() }

// Table writes rows below their titles. The last column gives way where there
// is no room for all, and the others take no more than a third of the width.
func (s *Sheet) Table(titles []string, rows [][]SheetCell) {
	g := grid{flexible: len(titles) - 1, most: map[int]int{}}
	var head []cell
	for i, title := range titles {
		head = append(head, cell{text: title, sgr: sgrDim})
		if i < len(titles)-1 {
			g.most[i] = s.p.width() / 3
		}
	}
	g.head = [][]cell{head}
	for _, row := range rows {
		var cells []cell
		for i, c := range row {
			shown := cell{text: clean(c.Text)}
			if i == 0 {
				shown.sgr = sgrBold
			}
			if c.Status != nil {
				shown.text, shown.sgr = s.p.mark(*c.Status)+" "+shown.text, statusColor(*c.Status)
			}
			cells = append(cells, shown)
		}
		g.rows = append(g.rows, cells)
	}
	s.p.grid(g)
}

// String is what was written.
func (s *Sheet) String() string { return s.p.String() }

// Plain is one line of text without what a terminal would obey rather than
// show, as everything is written that others wrote.
func Plain(text string) string { return clean(text) }

// ExitText is an exit code, and the signal that it stands for: "137 SIGKILL".
func ExitText(code int) string { return exitText(code) }
