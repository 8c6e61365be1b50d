package document_test

import (
	"slices"
	"testing"

	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
)

func TestPlacesAreThoseOfTheTable(t *testing.T) {
	backwards, twice := reporttest.Fail(), reporttest.Fail()
	slices.Reverse(backwards.Runs)
	for i := range twice.Runs { // classic and native on each cluster, of which native has more steps
		twice.Runs[i].Scenario = "both"
	}
	for name, r := range map[string]report.Report{
		"pass": reporttest.Pass(), "fail": reporttest.Fail(), "error": reporttest.Error(), "many": reporttest.Many(),
		"not in the order of its clusters": backwards, "a scenario twice on a cluster": twice,
	} {
		for _, scenario := range r.Scenarios() {
			table, places := document.Table(r, scenario), document.Places(r, scenario)
			if len(places) != len(table)-1 {
				t.Fatalf("%s, %s: %d rows of places for a table of %d", name, scenario, len(places), len(table))
			}
			for i, row := range places {
				for j, place := range row {
					cell := table[i+1][j+1]
					if (place.Step < 0) != (cell.Kind == document.CellNone) {
						t.Errorf("%s, %s, row %d, column %d: place %+v of a cell of kind %s", name, scenario, i, j, place, cell.Kind)
						continue
					}
					if run := r.Runs[place.Run]; run.Cluster != table[0][j+1].Text || place.Step >= 0 && run.Steps[place.Step].Status != cell.Status {
						t.Errorf("%s, %s, row %d, column %d: place %+v is another's", name, scenario, i, j, place)
					}
				}
			}
		}
	}
}
