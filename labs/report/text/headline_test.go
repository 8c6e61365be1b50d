package text

import (
	"strings"
	"testing"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
	"github.com/kind-lab/lab/labs/report/layout"
)

func TestHeadlineIsTheTextsClosingLine(t *testing.T) {
	for _, r := range []report.Report{reporttest.Pass(), reporttest.Fail(), reporttest.Error(), reporttest.Interrupted()} {
		var b strings.Builder
		if err := Write(&b, document.Document{Report: r}, layout.Style{Width: 1000}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(b.String(), Headline(r)+"\n") {
			t.Errorf("the text does not end with %q", Headline(r))
		}
	}
}

func TestClosingLine(t *testing.T) {
	step := func(s expect.Status) report.Report {
		return report.Report{Status: s, Runs: []report.ScenarioRun{{Cluster: "a", Status: s, Steps: []report.Step{{Verb: "expect", Name: "x", Status: s}}}}, Clusters: []report.Cluster{{Name: "a"}}}
	}
	understated := step(expect.Fail)
	understated.Status, understated.Runs[0].Status = expect.Pass, expect.Pass
	for name, test := range map[string]struct {
		r    report.Report
		says string
	}{
		"nothing":                     {report.Report{}, "Nothing decided: no expectations, on 0 clusters."},
		"all skipped":                 {step(expect.Skip), "Nothing decided: 1 skipped, on 1 cluster."},
		"pass":                        {reporttest.Pass(), "Pass! 37 expectations passed, 7 skipped, on 4 clusters in 2m51s."},
		"fail":                        {reporttest.Fail(), "Fail: 1 step failed, 2 expectations failed, 30 passed, 12 skipped, on 4 clusters in 2m51s."},
		"error outweighs fail":        {reporttest.Error(), "Error: 1 cluster could not be used, 1 failure outside the scenarios, 12 expectations could not be decided, 28 passed, 4 skipped, on 4 clusters in 2m51s."},
		"interrupted outweighs error": {reporttest.Interrupted(), "Interrupted: 16 expectations could not be decided, 25 passed, 3 skipped, on 4 clusters in 52.0s."},
		"one of a kind":               {step(expect.Fail), "Fail: 1 expectation failed, on 1 cluster."},
		"a part is worse than it":     {understated, "Fail: 1 expectation failed, on 1 cluster."},
		"only a failure outside":      {report.Report{Status: expect.Pass, Errors: []string{"x"}}, "Error: 1 failure outside the scenarios, on 0 clusters."},
		"only steps": {report.Report{Status: expect.Pass, Runs: []report.ScenarioRun{{Steps: []report.Step{{Verb: "apply", Status: expect.Pass}}}}},
			"Pass! 1 step done, no expectations, on 0 clusters."},
	} {
		t.Run(name, func(t *testing.T) {
			all := strings.Split(strings.TrimSpace(printed(t, test.r, layout.Style{Width: 300})), "\n")
			if got := all[len(all)-1]; got != test.says {
				t.Errorf("closing line:\n got %s\nwant %s", got, test.says)
			}
		})
	}
}
