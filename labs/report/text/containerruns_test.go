package text

import (
	"strings"
	"testing"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
	"github.com/kind-lab/lab/labs/report/layout"
)

// ranTimeline is a pod whose container main was terminated, and whose container
// side still runs; and a pod that only the API tells of.
func ranTimeline() *collectors.Timeline {
	timeline := collectors.NewTimeline(reporttest.Begun)
	oom := collectors.Container{Name: "main", Kind: "main", State: "terminated", Reason: "OOMKilled", ID: "main-id",
		Current: &collectors.ContainerRun{ID: "main-id", StartedAt: reporttest.At(1.75), FinishedAt: reporttest.At(6.75), ExitCode: 137, Reason: "OOMKilled"}}
	side := collectors.Container{Name: "side", Kind: "sidecar", State: "running", ID: "side-id"}
	byAPI := collectors.Container{Name: "main", Kind: "main", State: "terminated", ID: "x",
		Current: &collectors.ContainerRun{ID: "x", StartedAt: reporttest.At(2.75), FinishedAt: reporttest.At(5.75)}}
	for _, r := range []collectors.Record{
		reporttest.TaskRecord(2, "web", "side", collectors.TypeTaskStart, 0),
		reporttest.TaskRecord(2.5, "web", "main", collectors.TypeTaskStart, 0),
		reporttest.TaskRecord(6.25, "web", "main", collectors.TypeTaskExit, 137),
		reporttest.PodRecord(7, "web", "Running", "1/2", oom, side),
		reporttest.PodRecord(8, "東京", "Completed", "0/1", byAPI),
	} {
		timeline.Add(r)
	}
	return timeline
}

func containerRuns(t *testing.T, timeline *collectors.Timeline, prefix string, style layout.Style) string {
	t.Helper()
	var b strings.Builder
	if err := WriteContainerRuns(&b, timeline, prefix, style); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRunsOfContainers(t *testing.T) {
	const head, web, tokyo = "POD   CONTAINER  KIND     RUN      STARTED        ENDED    RAN  EXIT                   BY\n", `
web   main       main     0    2.500000000  6.250000000  3.750  137 SIGKILL OOMKilled  runtime
web   side       sidecar  0    2.000000000         runs                                runtime
`, "東京  main       main     0             ~3           ~6     ~3  0                      API\n"
	for name, test := range map[string]struct{ prefix, want string }{
		"all pods":               {"", head + strings.TrimPrefix(web, "\n") + tokyo},
		"pods of another prefix": {"db", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := containerRuns(t, ranTimeline(), test.prefix, layout.Style{}); got != test.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, test.want)
			}
		})
	}
	if got := containerRuns(t, ranTimeline(), "we", layout.Style{}); strings.Count(got, "\n") != 3 || strings.Contains(got, "東京") {
		t.Errorf("of the pods we*:\n%s", got)
	}
	if got := containerRuns(t, collectors.NewTimeline(reporttest.Begun), "", layout.Style{}); got != "" {
		t.Errorf("of no pods:\n%s", got)
	}
}

func TestRunsOfContainersStayWithinThePage(t *testing.T) {
	timeline := ranTimeline()
	timeline.Add(reporttest.PodRecord(8, strings.Repeat("東京-", 20), "Running", "1/1", collectors.Container{Name: strings.Repeat("name-", 20), Kind: "main",
		State: "terminated", ID: "y", Current: &collectors.ContainerRun{ID: "y", ExitCode: 1, Reason: "ContainerCannotRun"}}))
	for columns := 80; columns <= 200; columns += 20 {
		checkWithin(t, containerRuns(t, timeline, "", layout.Style{Width: columns}), columns)
	}
}
