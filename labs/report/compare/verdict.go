package compare

import (
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
)

// verdicts compares the result of expectations and of the other steps.
func verdicts(sides []side) []Difference {
	var r report.Report
	for _, s := range sides {
		run := s.run
		run.Cluster = s.Name
		r.Runs = append(r.Runs, run)
		r.Clusters = append(r.Clusters, report.Cluster{Name: s.Name})
	}
	rows := document.Table(r, sides[0].run.Scenario)
	var expected, done []Difference
	for _, row := range rows[1:] {
		cells := map[string]document.Cell{}
		for i, c := range row[1:] {
			cells[rows[0][i+1].Text] = c
		}
		d := outcomes(sides, row[0].Text, cells)
		if row[0].Kind == document.CellExpectation {
			expected = append(expected, d...)
		} else {
			done = append(done, d...)
		}
	}
	for i := range done {
		done[i].Kind = KindStep
	}
	return append(expected, done...)
}

// outcomes compares a row of the table.
func outcomes(sides []side, subject string, cells map[string]document.Cell) []Difference {
	of := func(s side) (outcome, bool) {
		c, ok := cells[s.Name]
		if !ok {
			return outcome{}, false
		}
		if c.Kind == document.CellNone {
			return outcome{text: "is not there", status: expect.Skip}, true
		}
		return outcome{c.Text, c.Status}, true
	}
	groups := grouped(sides, of, func(a, b outcome) bool { return a == b }, func(all []outcome) string { return all[0].text })
	for i, g := range groups {
		for _, s := range sides {
			if s.Name == g.Sides[0] {
				o, _ := of(s)
				groups[i].Status = &o.status
			}
		}
	}
	return differing(KindVerdict, subject, groups)
}
