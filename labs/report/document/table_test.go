package document_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
)

func TestTable(t *testing.T) {
	r := report.Report{
		Clusters: []report.Cluster{{Name: "b", Version: "1.29.1"}, {Name: "a", Kubernetes: "1.27", FeatureGates: map[string]bool{"Y": true, "X": false}}},
		Runs: []report.ScenarioRun{
			{Scenario: "s", Cluster: "a", Status: expect.Fail, Steps: []report.Step{
				{Verb: "apply", Name: "job", Status: expect.Pass, Outcome: "refused", Detail: "no"},
				{Verb: "expect", Name: "twice", Status: expect.Fail, Verdict: &expect.Verdict{Got: "false", Reason: "was false"}},
				{Verb: "expect", Name: "twice", Status: expect.Skip},
				{Verb: "expect", Name: "only a", Status: expect.Error},
			}},
			{Scenario: "other", Cluster: "b"},
			{Scenario: "s", Cluster: "b", Status: expect.Pass, Steps: []report.Step{
				{Verb: "apply", Name: "job", Status: expect.Pass},
				{Verb: "wait", Name: "only b", Status: expect.Fail},
				{Verb: "expect", Name: "twice", Status: expect.Pass, Verdict: &expect.Verdict{Got: "true"}},
			}},
		},
	}
	want := [][]document.Cell{
		{{Kind: document.CellScenario, Text: "s", Status: expect.Fail}, {Kind: document.CellCluster, Text: "b", Notes: []string{"1.29.1"}, Status: expect.Pass},
			{Kind: document.CellCluster, Text: "a", Notes: []string{"1.27", "-X", "+Y"}, Status: expect.Fail}},
		{{Kind: document.CellStep, Text: "apply job", Status: expect.Pass}, {Kind: document.CellOutcome, Text: "done", Status: expect.Pass},
			{Kind: document.CellOutcome, Text: "refused", Status: expect.Pass, Reason: "no"}},
		{{Kind: document.CellStep, Text: "wait only b", Status: expect.Fail}, {Kind: document.CellOutcome, Text: "failed", Status: expect.Fail}, {Kind: document.CellNone}},
		{{Kind: document.CellExpectation, Text: "twice", Status: expect.Fail}, {Kind: document.CellOutcome, Text: "true", Status: expect.Pass},
			{Kind: document.CellOutcome, Text: "false", Status: expect.Fail, Reason: "was false"}},
		{{Kind: document.CellExpectation, Text: "twice", Status: expect.Skip}, {Kind: document.CellNone}, {Kind: document.CellOutcome, Text: "skipped", Status: expect.Skip}},
		{{Kind: document.CellExpectation, Text: "only a", Status: expect.Error}, {Kind: document.CellNone}, {Kind: document.CellOutcome, Text: "error", Status: expect.Error}},
	}
	if diff := cmp.Diff(want, document.Table(r, "s")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := document.Table(r, "missing"); got != nil {
		t.Errorf("a scenario that did not run has a table: %v", got)
	}
}
