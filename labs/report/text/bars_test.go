package text

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
	"github.com/kind-lab/lab/labs/report/layout"
)

func TestBars(t *testing.T) {
	for name, style := range map[string]layout.Style{
		"80": {Width: 80}, "120": {Width: 120}, "200": {Width: 200}, "ascii": {Width: 100, ASCII: true}, "color": {Width: 100, Color: true},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Write(&b, reporttest.Document(), style); err != nil {
				t.Fatal(err)
			}
			reporttest.Golden(t, "bars-"+name, b.Bytes())
		})
	}
}

func TestBarsStayWithinThePage(t *testing.T) {
	d := reporttest.Document()
	for _, seconds := range []float64{0, 0.001, 7, 90, 1234, 100000} {
		for columns := 60; columns <= 200; columns += 7 {
			d.Pictures[1].Seconds = seconds
			for line := range strings.Lines(Bars(d, "all | kinds", layout.Style{Width: columns})) {
				if w := layout.Width(strings.TrimRight(line, "\n")); w > columns {
					t.Fatalf("%d columns where there are %d, for %gs:\n%s", w, columns, seconds, line)
				}
			}
		}
	}
}

// ranOnce is a document of one picture.
func ranOnce(x document.Picture) document.Document {
	return document.Document{Report: report.Report{Runs: []report.ScenarioRun{{Scenario: x.Scenario, Cluster: x.Cluster}}}, Pictures: []document.Picture{x}}
}

// TestEveryRunHasAMark looks for each run's bar, however short it is.
func TestEveryRunHasAMark(t *testing.T) {
	x := document.Picture{Scenario: "s", Cluster: "c", Seconds: 1000}
	for i := range 10 {
		from := 100 * float64(i)
		x.Pods = append(x.Pods, document.PodPicture{Title: fmt.Sprint("p", i), Containers: []document.ContainerPicture{{Name: "c", Kind: "main", Runs: []document.RunPicture{
			{StartedAt: reporttest.Instant(from), FinishedAt: reporttest.Instant(from + 0.013), Exited: true, ExitCode: i},
		}}}})
	}
	drawn := Bars(ranOnce(x), "s", layout.Style{ASCII: true})
	for i := range 10 {
		if !strings.Contains(drawn, fmt.Sprintf("#%d\n", i)) {
			t.Errorf("no bar of run %d", i)
		}
	}
}

func TestManyBarsAreBounded(t *testing.T) {
	x := document.Picture{Scenario: "s", Cluster: "c", Seconds: 10}
	for i := range 100 {
		x.Pods = append(x.Pods, document.PodPicture{Title: fmt.Sprint("p", i), Containers: []document.ContainerPicture{{Name: "c", Kind: "main", Runs: []document.RunPicture{{StartedAt: reporttest.Instant(1)}}}}})
	}
	drawn := Bars(ranOnce(x), "s", layout.Style{})
	if n := strings.Count(drawn, "\n"); n > 2*mostBars+5 || !strings.Contains(drawn, "and 52 more containers") {
		t.Errorf("%d lines:\n%s", n, drawn)
	}
}
