package text

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
	"github.com/kind-lab/lab/labs/report/layout"
)

// words are those of the names that a report has: of scenarios, clusters, steps
// and containers. A long name loses its middle where there is no room.
func words(r report.Report) map[string]bool {
	found := map[string]bool{}
	add := func(name string) {
		for _, word := range strings.Fields(name) {
			if layout.Width(word) <= 12 {
				found[word] = true
			}
		}
	}
	for _, c := range r.Clusters {
		add(c.Name)
	}
	for _, run := range r.Runs {
		add(run.Scenario)
		for _, s := range run.Steps {
			if s.Expects() {
				add(s.Name)
			}
		}
		for _, pod := range run.Pods {
			for _, c := range pod.Containers {
				add(c.Name)
			}
		}
	}
	return found
}

// TestTheSameIsNamedAtEachWidth holds that a narrow page leaves out no scenario,
// cluster, expectation or container that a wide one has.
func TestTheSameIsNamedAtEachWidth(t *testing.T) {
	for name, r := range reporttest.Samples() {
		for _, columns := range []int{60, 80, 100, 140, 200, 400} {
			text := printed(t, r, layout.Style{Width: columns})
			for word := range words(r) {
				if !strings.Contains(text, word) {
					t.Errorf("%s at %d columns does not name %q", name, columns, word)
				}
			}
		}
	}
}

// TestWideNamesStayWithinThePage gives everything a name of wide letters.
func TestWideNamesStayWithinThePage(t *testing.T) {
	for _, name := range []string{strings.Repeat("東京", 30), strings.Repeat("猫-", 40), "👩‍💻", strings.Repeat("long ", 30), strings.Repeat("x", 150)} {
		r := reporttest.Fail()
		for i := range r.Clusters {
			r.Clusters[i].Name = name + fmt.Sprint(i)
		}
		for i := range r.Runs {
			run := &r.Runs[i]
			run.Scenario, run.Description = name, name
			run.Cluster = r.Clusters[i%len(r.Clusters)].Name
			run.Observed = report.Observed{Gaps: 2, Lost: 3, Records: 9, Waits: 2, Waited: time.Minute, Clocks: &report.Clocks{Unknown: true}}
			for j := range run.Steps {
				run.Steps[j].Name = name
			}
			for j := range run.Pods {
				run.Pods[j].Name, run.Pods[j].Statuses = name, []string{name, name}
				for k := range run.Pods[j].Containers {
					run.Pods[j].Containers[k].Name = name
				}
			}
		}
		for _, columns := range []int{60, 80, 100, 200} {
			for line := range strings.Lines(printed(t, r, layout.Style{Width: columns})) {
				if !strings.Contains(line, "│") && !strings.Contains(line, r.Folder) { // source lines and paths stay whole
					checkWithin(t, line, columns)
				}
			}
		}
	}
}

func TestOutputOfAFailureIsBounded(t *testing.T) {
	lines := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("line %d", i+1))
		}
		return strings.Join(all, "\n")
	}
	for name, test := range map[string]struct {
		n               int
		want, wantASCII string
	}{
		"nothing":          {0, "", ""},
		"all of it":        {40, "", ""},
		"all but one line": {41, "  … 1 line that run.json has …\n", "  ... 1 line that run.json has ...\n"},
		"its end":          {100, "  … 60 lines that run.json has …\n", "  ... 60 lines that run.json has ...\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Step(report.Step{Detail: lines(test.n)}, reporttest.Begun)
			if left := strings.Count(got, "  line "); left != min(test.n, mostOutput) || !strings.Contains(got, test.want) {
				t.Errorf("%d lines, want %q between them:\n%s", left, test.want, got)
			}
			if test.n > 0 && (!strings.HasPrefix(got, "  line 1\n") || !strings.HasSuffix(got, fmt.Sprintf("  line %d\n", test.n))) {
				t.Errorf("the first or the last line is not there:\n%s", got)
			}
			if test.want == "" && strings.Contains(got, "run.json") {
				t.Errorf("lines are left out:\n%s", got)
			}
			p := newPage(layout.Style{ASCII: true})
			p.output(lines(test.n))
			if !strings.Contains(p.String(), test.wantASCII) || strings.Contains(p.String(), "…") {
				t.Errorf("in ASCII:\n%s", p)
			}
		})
	}
}

func TestAStepSaysWhyItFailedOrShowsItsEvidence(t *testing.T) {
	verdict := expect.Verdict{Reason: "it was false", Got: "false", Expected: true}
	for name, test := range map[string]struct {
		step report.Step
		want string
	}{
		"without a verdict": {report.Step{Detail: "the API server is away"}, "  the API server is away\n"},
		"with a verdict":    {report.Step{Detail: "x", Verdict: &verdict}, "  it was false\n  Looked at from 0.000s to 0.000s of the scenario; expected true, got false.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Step(test.step, reporttest.Begun); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestWhatWasNotObservedIsCounted(t *testing.T) {
	for name, test := range map[string]struct {
		o    report.Observed
		want string
	}{
		"everything was":     {report.Observed{Records: 9}, ""},
		"one gap":            {report.Observed{Records: 1, Gaps: 1}, "s on c: 1 gap in what was observed of 1 record\n"},
		"one record lost":    {report.Observed{Records: 9, Gaps: 2, Lost: 1}, "s on c: 2 gaps in what was observed, at least 1 record or line was lost of 9 records\n"},
		"several lost":       {report.Observed{Records: 9, Gaps: 2, Lost: 3}, "s on c: 2 gaps in what was observed, at least 3 records or lines were lost of 9 records\n"},
		"sources waited":     {report.Observed{Waits: 1, Waited: 2 * time.Second}, "s on c: records arrived faster than they could be evaluated: sources waited once, 2.0s in total; no record was dropped\n"},
		"sources waited on":  {report.Observed{Waits: 4, Waited: time.Minute}, "s on c: records arrived faster than they could be evaluated: sources waited 4 times, 1m00s in total; no record was dropped\n"},
		"they waited little": {report.Observed{Waits: 4, Waited: time.Millisecond}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPage(layout.Style{Width: 200})
			p.observed(report.Report{Runs: []report.ScenarioRun{{Scenario: "s", Cluster: "c", Observed: test.o}}})
			if p.String() != test.want {
				t.Errorf("got %q, want %q", p.String(), test.want)
			}
		})
	}
}

// TestABrokenClusterCountsWhatItHeldUp counts the steps of a cluster that could
// not be used, in the singular and in the plural.
func TestABrokenClusterCountsWhatItHeldUp(t *testing.T) {
	for n, want := range map[int]string{
		0: "! cluster c (1.29.1) could not be used\n",
		1: "! cluster c (1.29.1) could not be used, so the only step of its scenarios could not be decided\n",
		2: "! cluster c (1.29.1) could not be used, so 2 steps and expectations of its scenarios could not be decided\n",
	} {
		run := report.ScenarioRun{Scenario: "s", Cluster: "c", Status: expect.Error}
		for range n {
			run.Steps = append(run.Steps, report.Step{Verb: "apply", Status: expect.Error})
		}
		text := printed(t, report.Report{Clusters: []report.Cluster{{Name: "c", Version: "1.29.1", Status: expect.Error, Error: "no disk"}}, Runs: []report.ScenarioRun{run}}, layout.Style{Width: 200})
		if !strings.Contains(text, want+"  no disk\n") {
			t.Errorf("of %d steps it does not say %q:\n%s", n, want, text)
		}
	}
}
