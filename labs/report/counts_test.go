package report_test

import (
	"testing"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
)

func TestExitCode(t *testing.T) {
	step := func(s expect.Status) report.Report {
		return report.Report{Status: s, Runs: []report.ScenarioRun{{Cluster: "a", Status: s, Steps: []report.Step{{Verb: "expect", Name: "x", Status: s}}}}, Clusters: []report.Cluster{{Name: "a"}}}
	}
	understated := step(expect.Fail)
	understated.Status, understated.Runs[0].Status = expect.Pass, expect.Pass
	for name, test := range map[string]struct {
		r    report.Report
		code int
	}{
		"nothing":                     {report.Report{}, 0},
		"all skipped":                 {step(expect.Skip), 0},
		"pass":                        {reporttest.Pass(), 0},
		"fail":                        {reporttest.Fail(), 1},
		"error outweighs fail":        {reporttest.Error(), 3},
		"interrupted outweighs error": {reporttest.Interrupted(), 130},
		"one of a kind":               {step(expect.Fail), 1},
		"a part is worse than it":     {understated, 1},
		"only a failure outside":      {report.Report{Status: expect.Pass, Errors: []string{"x"}}, 3},
		"only steps":                  {report.Report{Status: expect.Pass, Runs: []report.ScenarioRun{{Steps: []report.Step{{Verb: "apply", Status: expect.Pass}}}}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := report.ExitCode(test.r); got != test.code {
				t.Errorf("exit code %d, want %d", got, test.code)
			}
		})
	}
}
