package matrix

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
)

func TestTheLabsReadmeHasTheMatrix(t *testing.T) {
	labs, err := Read(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	is, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := Fill(string(is), Markdown(labs))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(is)); diff != "" {
		t.Errorf("labs/README.md is not what the recordings say; run make matrix (-want +is):\n%s", diff)
	}
}

// TestEveryLabIsRecordedOnItsClusters says what to record when a version is added
// to the standard clusters.
func TestEveryLabIsRecordedOnItsClusters(t *testing.T) {
	labs, err := Read(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range labs {
		var missing []string
		for _, cluster := range l.On {
			if l.cell(cluster) == notRecorded {
				missing = append(missing, cluster)
			}
		}
		if len(missing) > 0 {
			t.Errorf("%s is not recorded on %s: make record LABS=%s", l.Name, strings.Join(missing, ", "), l.Name)
		}
	}
}

// expectation is one that has a result.
func expectation(name, got string, status expect.Status) report.Step {
	return report.Step{Name: name, Verb: "expect", Status: status, Verdict: &expect.Verdict{Name: name, Status: status, Got: got}}
}

func sample() []Lab {
	run := func(cluster string, steps ...report.Step) report.ScenarioRun {
		return report.ScenarioRun{Scenario: "native", Description: "A helper.", Cluster: cluster, Steps: steps}
	}
	gates := map[string]bool{"SidecarContainers": true}
	return []Lab{
		{Name: "new", Description: "Not run yet.", On: []string{"v127"}},
		{Name: "some", Description: "Some <b>|</b> text.", On: []string{"v127", "v128", "v128_on", "v129", "v133", "v136"}, Report: &report.Report{
			Clusters: []report.Cluster{
				{Name: "v127", Kubernetes: "1.27"}, {Name: "v128", Kubernetes: "1.28"},
				{Name: "v128_on", Kubernetes: "1.28", FeatureGates: gates}, {Name: "v129", Kubernetes: "1.29"}},
			Skipped: []report.SkippedCluster{{Name: "v136", Kubernetes: "1.36", Reason: "none"}},
			Runs: []report.ScenarioRun{
				run("v127", expectation("it starts", "true", expect.Pass), expectation("it ends", "false", expect.Pass)),
				run("v128", expectation("it starts", "true", expect.Pass), expectation("it ends", "false", expect.Pass)),
				run("v128_on", expectation("it starts", "true", expect.Pass), expectation("it ends", "false", expect.Fail)),
				run("v129", expectation("it starts", "true", expect.Pass), expectation("it ends", "", expect.Error)),
			},
		}},
	}
}

func TestMarkdown(t *testing.T) {
	const want = `| lab | 1.27 | 1.28 | 1.28 +SidecarContainers | 1.29 | 1.33 | 1.36 | 1.37 |
| --- | --- | --- | --- | --- | --- | --- | --- |
| [new](catalog/new/README.md) | not recorded | – | – | – | – | – | – |
| [some](catalog/some/README.md) | 2 passed | 2 passed | 1 passed, **1 failed** | 1 passed, **1 could not be decided** | not recorded | left out | – |

## What differs

### new

Not run yet.

Not recorded.

### some

Some &lt;b&gt;\|&lt;/b&gt; text.

1.36 was left out: no node image was available.

**native**: A helper.

Alike on 1.27, 1.28, 1.28 +SidecarContainers, 1.29: 1 expectation.

| | 1.27, 1.28 | 1.28 +SidecarContainers | 1.29 |
| --- | --- | --- | --- |
| it ends | false | **false, failed** | **could not be decided** |
`
	if diff := cmp.Diff(want, Markdown(sample())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestClustersOfOneTitleHaveTheirNames(t *testing.T) {
	gates := map[string]bool{"SidecarContainers": true}
	lab := Lab{Report: &report.Report{Clusters: []report.Cluster{
		{Name: "v128_on", Kubernetes: "1.28", FeatureGates: gates}, {Name: "v129", Kubernetes: "1.29"},
		{Name: "v128_not_kubelet", Kubernetes: "1.28", FeatureGates: gates}}}}
	got := lab.heads([]document.Cell{{Text: "v128_on"}, {Text: "v129"}, {Text: "v128_not_kubelet"}})
	want := []string{"1.28 +SidecarContainers (v128_on)", "1.29", "1.28 +SidecarContainers (v128_not_kubelet)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestFill(t *testing.T) {
	text := "before\n" + begin + "\nold\n" + end + "\nafter\n"
	got, err := Fill(text, "new\n")
	if want := "before\n" + begin + "\n\nnew\n\n" + end + "\nafter\n"; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if again, err := Fill(got, "new\n"); err != nil || again != got {
		t.Errorf("filled again it is %q, %v", again, err)
	}
	if _, err := Fill("nothing", "new"); err == nil || !strings.Contains(err.Error(), "no place") {
		t.Errorf("error = %v, want that there is no place", err)
	}
}
