package report_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
)

func TestTitlesOfClusters(t *testing.T) {
	for name, tt := range map[string]struct {
		cluster report.Cluster
		want    string
	}{
		"nothing known":        {report.Cluster{Name: "c"}, "c"},
		"not resolved":         {report.Cluster{Name: "c", Kubernetes: "1.29"}, "c (1.29)"},
		"resolved":             {report.Cluster{Name: "c", Kubernetes: "1.29", Version: "1.29.3"}, "c (1.29.3)"},
		"gates in their order": {report.Cluster{Name: "c", Version: "1.29.3", FeatureGates: map[string]bool{"B": false, "A": true, "C": true}}, "c (1.29.3 +A -B +C)"},
		"gates alone":          {report.Cluster{Name: "c", FeatureGates: map[string]bool{"A": true}}, "c (+A)"},
	} {
		if got := tt.cluster.Title(); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	if got := (report.SkippedCluster{Name: "c", Kubernetes: "1.99"}).Title(); got != "c (1.99)" {
		t.Errorf("one that was left out: %q", got)
	}
}

func TestWhichClustersAreBroken(t *testing.T) {
	for name, tt := range map[string]struct {
		cluster report.Cluster
		want    bool
	}{
		"passed":           {report.Cluster{Status: expect.Pass}, false},
		"failed":           {report.Cluster{Status: expect.Fail}, false},
		"an error":         {report.Cluster{Status: expect.Error}, true},
		"says why":         {report.Cluster{Status: expect.Pass, Error: "x"}, true},
		"not yet anything": {report.Cluster{}, false},
	} {
		if got := tt.cluster.Broken(); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestStepsAndExpectations(t *testing.T) {
	verdict := &expect.Verdict{Reason: "by the verdict"}
	for name, tt := range map[string]struct {
		step          report.Step
		expects       bool
		title, reason string
	}{
		"an expectation":           {report.Step{Verb: "expect", Name: "it holds", Detail: "detail"}, true, "it holds", "detail"},
		"decided":                  {report.Step{Verb: "expect", Name: "it holds", Detail: "detail", Verdict: verdict}, true, "it holds", "by the verdict"},
		"an invariant":             {report.Step{Verb: "invariant", Name: "always"}, true, "always", ""},
		"a step":                   {report.Step{Verb: "apply", Name: "job", Detail: "job created"}, false, "apply job", "job created"},
		"a wait":                   {report.Step{Verb: "wait", Name: "runs"}, false, "wait runs", ""},
		"of a verb with a verdict": {report.Step{Verb: "new", Name: "x", Verdict: verdict}, true, "x", "by the verdict"},
		"without a name":           {report.Step{Verb: "apply"}, false, "apply", ""},
		"without a verb":           {report.Step{Name: "x"}, false, "x", ""},
	} {
		if tt.step.Expects() != tt.expects || tt.step.Title() != tt.title || tt.step.Reason() != tt.reason {
			t.Errorf("%s: %t, %q, %q", name, tt.step.Expects(), tt.step.Title(), tt.step.Reason())
		}
	}
}

func TestScenariosAndTheirRuns(t *testing.T) {
	r := report.Report{Clusters: []report.Cluster{{Name: "b"}, {Name: "a"}}, Runs: []report.ScenarioRun{
		{Scenario: "y", Cluster: "a"}, {Scenario: "x", Cluster: "a"}, {Scenario: "y", Cluster: "b"}, {Scenario: "y", Cluster: "gone"},
	}}
	if got := r.Scenarios(); !slices.Equal(got, []string{"y", "x"}) {
		t.Errorf("scenarios: %q", got)
	}
	var on []string
	for _, run := range r.RunsOf("y") {
		on = append(on, run.Cluster)
	}
	if !slices.Equal(on, []string{"gone", "b", "a"}) {
		t.Errorf("the clusters are not in the report's order: %q", on)
	}
	if r.Runs[0].Cluster != "a" || r.RunsOf("z") != nil {
		t.Error("the report is changed, or a scenario that did not run has runs")
	}
	if c := r.Cluster("gone"); c.Name != "gone" || c.Broken() {
		t.Errorf("a cluster that the report does not have: %+v", c)
	}
}

func TestRunsThatDidNotBegin(t *testing.T) {
	r := report.Report{Clusters: []report.Cluster{{Name: "up"}, {Name: "down", Error: "no room"}}}
	begun := time.Unix(1, 0)
	for name, tt := range map[string]struct {
		run  report.ScenarioRun
		want bool
	}{
		"on one that was not up":   {report.ScenarioRun{Cluster: "down"}, true},
		"begun, and it broke then": {report.ScenarioRun{Cluster: "down", StartedAt: begun}, false},
		"interrupted before":       {report.ScenarioRun{Cluster: "up"}, false},
		"on one that is not there": {report.ScenarioRun{Cluster: "gone"}, false},
	} {
		if got := r.Unstarted(tt.run); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestOnlyIsWhatWasKept holds of each sample and each choice that what is left is
// what was chosen, and that the parts of a report add up to it.
func TestOnlyIsWhatWasKept(t *testing.T) {
	for name, r := range reporttest.Samples() {
		if diff := cmp.Diff(r, r.Only(func(string, string) bool { return true })); diff != "" {
			t.Errorf("%s is not itself when all is kept:\n%s", name, diff)
		}
		var sum report.Tally
		for _, scenario := range r.Scenarios() {
			kept := r.Only(func(s, _ string) bool { return s == scenario })
			if len(kept.Runs) != len(r.RunsOf(scenario)) || len(kept.Clusters) != len(kept.Runs) {
				t.Errorf("%s, %s: %d runs on %d clusters", name, scenario, len(kept.Runs), len(kept.Clusters))
			}
			for _, run := range kept.Runs {
				if run.Status > kept.Status {
					t.Errorf("%s, %s: status %s, and a run has %s", name, scenario, kept.Status, run.Status)
				}
			}
			e := report.Summary(kept).Expectations
			sum = report.Tally{Pending: sum.Pending + e.Pending, Skip: sum.Skip + e.Skip, Pass: sum.Pass + e.Pass, Fail: sum.Fail + e.Fail, Error: sum.Error + e.Error}
		}
		if all := report.Summary(r).Expectations; sum != all {
			t.Errorf("%s: its scenarios have %+v, and it has %+v", name, sum, all)
		}
	}
	none := reporttest.Fail().Only(func(string, string) bool { return false })
	if len(none.Runs)+len(none.Clusters) > 0 || none.Status != 0 {
		t.Errorf("without any run: %+v", none)
	}
	passed := reporttest.Fail().Only(func(scenario, cluster string) bool { return scenario == "classic" && cluster != "v127" })
	if passed.Status != expect.Pass {
		t.Errorf("what is left of it has status %s", passed.Status)
	}
}

func TestTheTallyKnowsEveryStatus(t *testing.T) {
	var tally report.Tally
	for i, s := range []expect.Status{expect.Pending, expect.Skip, expect.Skip, expect.Pass, expect.Fail, expect.Error, 42, -1} {
		tally.Add(s)
		if tally.Total() != i+1 {
			t.Errorf("after %d: %d", i+1, tally.Total())
		}
	}
	if want := (report.Tally{Pending: 1, Skip: 2, Pass: 1, Fail: 1, Error: 3}); tally != want {
		t.Errorf("got %+v, want %+v", tally, want)
	}
}

func TestSummaryCountsEachOnce(t *testing.T) {
	c := report.Summary(reporttest.Error())
	if c.Clusters != 4 || c.BrokenClusters != 1 || c.Errors != 1 || c.Status != expect.Error {
		t.Errorf("got %+v", c)
	}
	if c.Unstarted == 0 || c.Unstarted != c.Steps.Error {
		t.Errorf("%d steps did not begin, and %d are errors", c.Unstarted, c.Steps.Error)
	}
	open := reporttest.Pass()
	open.FinishedAt = time.Time{}
	if got := report.Summary(open); got.Elapsed != 0 {
		t.Errorf("a run that goes on took %s", got.Elapsed)
	}
	if got := report.Summary(reporttest.Pass()).Elapsed; got != 171*time.Second {
		t.Errorf("took %s", got)
	}
}

// TestTheReportOfANewerLabIsNamed holds that what cannot be read says which
// version it has.
func TestTheReportOfANewerLabIsNamed(t *testing.T) {
	dir := t.TempDir()
	r := reporttest.Pass()
	r.Version = report.ModelVersion + 1
	if err := report.Save(dir, r); err != nil {
		t.Fatal(err)
	}
	if _, err := report.Load(dir + "/" + report.FileName); err == nil || !strings.Contains(err.Error(), "version 2; this lab reads versions up to 1") {
		t.Errorf("got %v", err)
	}
}
