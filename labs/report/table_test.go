package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kind-lab/lab/labs/expect"
)

func TestTable(t *testing.T) {
	r := Report{
		Clusters: []Cluster{{Name: "b", Version: "1.29.1"}, {Name: "a", Kubernetes: "1.27", FeatureGates: map[string]bool{"Y": true, "X": false}}},
		Runs: []Run{
			{Scenario: "s", Cluster: "a", Status: expect.Fail, Steps: []Step{
				{Verb: "apply", Name: "job", Status: expect.Pass, Outcome: "refused", Detail: "no"},
				{Verb: "expect", Name: "twice", Status: expect.Fail, Verdict: &expect.Verdict{Got: "false", Reason: "was false"}},
				{Verb: "expect", Name: "twice", Status: expect.Skip},
				{Verb: "expect", Name: "only a", Status: expect.Error},
			}},
			{Scenario: "other", Cluster: "b"},
			{Scenario: "s", Cluster: "b", Status: expect.Pass, Steps: []Step{
				{Verb: "apply", Name: "job", Status: expect.Pass},
				{Verb: "wait", Name: "only b", Status: expect.Fail},
				{Verb: "expect", Name: "twice", Status: expect.Pass, Verdict: &expect.Verdict{Got: "true"}},
			}},
		},
	}
	want := [][]Cell{
		{{Kind: CellScenario, Text: "s", Status: expect.Fail}, {Kind: CellCluster, Text: "b", Notes: []string{"1.29.1"}, Status: expect.Pass},
			{Kind: CellCluster, Text: "a", Notes: []string{"1.27", "-X", "+Y"}, Status: expect.Fail}},
		{{Kind: CellStep, Text: "apply job", Status: expect.Pass}, {Kind: CellOutcome, Text: "done", Status: expect.Pass},
			{Kind: CellOutcome, Text: "refused", Status: expect.Pass, Reason: "no"}},
		{{Kind: CellStep, Text: "wait only b", Status: expect.Fail}, {Kind: CellOutcome, Text: "failed", Status: expect.Fail}, {Kind: CellNone}},
		{{Kind: CellExpectation, Text: "twice", Status: expect.Fail}, {Kind: CellOutcome, Text: "true", Status: expect.Pass},
			{Kind: CellOutcome, Text: "false", Status: expect.Fail, Reason: "was false"}},
		{{Kind: CellExpectation, Text: "twice", Status: expect.Skip}, {Kind: CellNone}, {Kind: CellOutcome, Text: "skipped", Status: expect.Skip}},
		{{Kind: CellExpectation, Text: "only a", Status: expect.Error}, {Kind: CellNone}, {Kind: CellOutcome, Text: "error", Status: expect.Error}},
	}
	if diff := cmp.Diff(want, Table(r, "s")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Table(r, "missing"); got != nil {
		t.Errorf("a scenario that did not run has a table: %v", got)
	}
}

func TestPodsAreFoundAgainOnOtherClusters(t *testing.T) {
	for name, want := range map[string]string{
		"myapp-x7k2p": "myapp-*", "web-6d4cf56db6-x7k2p": "web-*", "db-0": "db-0", "proxy": "proxy",
		"cache-agent": "cache-agent", "my-other-b56qs": "my-other-*",
	} {
		got := podGroups([]Run{{Cluster: "a", Pods: []Pod{{Name: name}}}})[0].title
		if got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestHumps(t *testing.T) {
	p := newPage(Style{})
	for name, want := range map[string][]string{
		"+SidecarContainers": {"+Sidecar", "Containers"}, "1.28.15": {"1.28.15"}, "": nil,
		"+RestartAllContainersOnContainerExits": {"+RestartAll", "ContainersOn", "Container", "Exits"},
		"+InPlacePodVerticalScaling":            {"+InPlacePod", "Vertical", "Scaling"},
		"lowercaseonlyandverylong":              {"lower…rylong"},
	} {
		if diff := cmp.Diff(want, p.humps(name, 12), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	}
}
