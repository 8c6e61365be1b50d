package report

import (
	"strings"
	"testing"
)

func TestPlacesAreThoseOfTheTable(t *testing.T) {
	for name, r := range map[string]Report{"pass": samplePass(), "fail": sampleFail(), "error": sampleError(), "many": sampleMany()} {
		for _, scenario := range Scenarios(r) {
			table, places := Table(r, scenario), Places(r, scenario)
			if len(places) != len(table)-1 {
				t.Fatalf("%s, %s: %d rows of places for a table of %d", name, scenario, len(places), len(table))
			}
			for i, row := range places {
				for j, place := range row {
					cell := table[i+1][j+1]
					if (place.Step < 0) != (cell.Kind == CellNone) {
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

func TestHeadlineIsTheTextsClosingLine(t *testing.T) {
	for _, r := range []Report{samplePass(), sampleFail(), sampleError(), sampleInterrupted()} {
		var b strings.Builder
		if err := WriteText(&b, r, Style{Width: 1000}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(b.String(), Headline(r)+"\n") {
			t.Errorf("the text does not end with %q", Headline(r))
		}
	}
}
