package html

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/layout"
)

// scenario is a part of the page: a scenario on all of its clusters.
type scenario struct {
	// ID is the part's id on the page, Index its place.
	ID                string
	Index             int
	Name, Description string
	Status, Mark      string
	Heads             []head
	Rows              []row
	Evidence          []evidence
	Containers        []containerRow
	// Pictures are the indexes of the document's pictures.
	Pictures []int
}

// head heads a column of the matrix.
type head struct {
	Name, Status, Mark string
	// Notes are each in the parts between which it may be broken.
	Notes [][]string
}

// row is a step or an expectation on all clusters.
type row struct {
	Title, Kind string
	// Source is the id of its line in the scenario's source, where that is
	// known.
	Source string
	Line   int
	Cells  []matrixCell
	// Differs says that the outcomes differ between clusters.
	Differs bool
}

// matrixCell is an outcome; Evidence is empty if there is no such step.
type matrixCell struct {
	Status, Mark, Text, Reason, Label, Evidence string
	// At is when it was decided, in seconds of the scenario, and Picture where.
	At      float64
	Picture int
}

func statusOf(r report.Report) expect.Status { return report.Summary(r).Status }

// mark is the sign of a status.
func mark(status expect.Status) string { return layout.Style{}.Mark(status) }

func titleOf(s report.Step) string {
	if s.Verdict != nil {
		return s.Name
	}
	return strings.TrimSpace(s.Verb + " " + s.Name)
}

// scenariosOf are the scenarios, and the ids of the evidence of each step.
func scenariosOf(d document.Document) ([]scenario, map[document.Place]string) {
	var out []scenario
	ids := map[document.Place]string{}
	for i, name := range d.Report.Scenarios() {
		out = append(out, scenarioOf(d, i, name, ids))
	}
	return out, ids
}

func scenarioOf(d document.Document, index int, name string, ids map[document.Place]string) scenario {
	r := d.Report
	table, places := document.Table(r, name), document.Places(r, name)
	s := scenario{
		ID: fmt.Sprintf("scenario-%d", index), Index: index, Name: show(name),
		Status: table[0][0].Status.String(), Mark: mark(table[0][0].Status),
	}
	for _, c := range table[0][1:] {
		s.Heads = append(s.Heads, headOf(c))
	}
	for i, cells := range table[1:] {
		line := row{Title: show(cells[0].Text), Kind: string(cells[0].Kind), Differs: differs(cells[1:])}
		for j, c := range cells[1:] {
			place := places[i][j]
			if place.Step < 0 {
				line.Cells = append(line.Cells, matrixCell{})
				continue
			}
			id := fmt.Sprintf("evidence-%d-%d-%d", index, i, j)
			ids[place] = id
			step := r.Runs[place.Run].Steps[place.Step]
			line.Cells = append(line.Cells, matrixCell{
				Status: c.Status.String(), Mark: mark(c.Status), Text: show(c.Text), Reason: show(c.Reason), Evidence: id,
				Label: fmt.Sprintf("%s on %s: %s, %s", line.Title, s.Heads[j].Name, meaning(c.Status), show(c.Text)),
				At:    step.EndedAt, Picture: place.Run,
			})
			s.Evidence = append(s.Evidence, evidenceOf(r, place, id, s.Heads[j]))
		}
		s.Rows = append(s.Rows, line)
	}
	for _, place := range firstRow(r, name, places) {
		if s.Description == "" {
			s.Description = show(strings.TrimSpace(r.Runs[place].Description))
		}
		s.Pictures = append(s.Pictures, place)
	}
	s.Containers = containersOf(d, s.Pictures)
	return s
}

// firstRow are the indexes of a scenario's runs in the table's order.
func firstRow(r report.Report, name string, places [][]document.Place) []int {
	var out []int
	if len(places) > 0 {
		for _, p := range places[0] {
			out = append(out, p.Run)
		}
		return out
	}
	for i, run := range r.Runs {
		if run.Scenario == name {
			out = append(out, i)
		}
	}
	return out
}

func headOf(c document.Cell) head {
	h := head{Name: show(c.Text), Status: c.Status.String(), Mark: mark(c.Status)}
	for _, note := range c.Notes {
		h.Notes = append(h.Notes, humps(show(note)))
	}
	return h
}

// humps are the parts of a name such as a feature gate's, each with the word
// that begins in it.
func humps(name string) []string {
	var parts []string
	from, before := 0, 'A'
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(before) {
			parts = append(parts, name[from:i])
			from = i
		}
		before = r
	}
	return append(parts, name[from:])
}

func differs(cells []document.Cell) bool {
	var texts []string
	for _, c := range cells {
		if c.Kind != document.CellNone && !slices.Contains(texts, c.Text) {
			texts = append(texts, c.Text)
		}
	}
	return len(texts) > 1
}

// meaning says what a status means.
func meaning(s expect.Status) string {
	switch s {
	case expect.Pass:
		return "passed"
	case expect.Fail:
		return "failed"
	case expect.Skip:
		return "skipped"
	case expect.Error:
		return "could not be decided"
	}
	return "not decided"
}
