package reporttest

import (
	"time"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
)

// Instant is a time as the runtime knows it.
func Instant(at float64) *document.Instant {
	return &document.Instant{At: at, Source: "runtime", Precision: 1}
}

// Coarse is a time as the API knows it, to the second.
func Coarse(at float64) *document.Instant {
	return &document.Instant{At: at, Source: "api", Precision: time.Second}
}

// Document is a run of all kinds of containers on three clusters.
func Document() document.Document {
	containers := func(shift float64) []document.ContainerPicture {
		return []document.ContainerPicture{
			{Name: "setup", Kind: "init", Runs: []document.RunPicture{
				{StartedAt: Instant(2 + shift), FinishedAt: Instant(2.013 + shift), Exited: true, ExitCode: 1, Reason: "Error"},
				{StartedAt: Instant(12 + shift), FinishedAt: Instant(15.5 + shift), Exited: true},
			}},
			{Name: "proxy", Kind: "sidecar", Runs: []document.RunPicture{
				{StartedAt: Instant(16 + shift), ReadyAt: Coarse(18 + shift), KillingAt: Coarse(46 + shift), FinishedAt: Instant(76.2 + shift), Exited: true, ExitCode: 137, Signal: 9},
			}},
			{Name: "the-container-with-the-longest-name-of-all", Kind: "main", Runs: []document.RunPicture{
				{StartedAt: Instant(17 + shift), FinishedAt: Instant(46 + shift), Exited: true},
			}},
			{Name: "never-seen-to-start", Kind: "main", Runs: []document.RunPicture{{FinishedAt: Coarse(30 + shift), Exited: true, ExitCode: 2}}},
			{Name: "debugger", Kind: "ephemeral", Runs: []document.RunPicture{{StartedAt: Coarse(40 + shift)}}},
			{Name: "waiting", Kind: "main"},
		}
	}
	run := func(cluster string) report.ScenarioRun {
		return report.ScenarioRun{Scenario: "all | kinds", Description: "What *each* kind of container looks like.", Cluster: cluster, Status: expect.Pass,
			StartedAt: Begun, FinishedAt: At(90), Steps: []report.Step{Decided("it <ends>", "true", "true", true, 1, 2, "was true at once")}}
	}
	d := document.Document{Version: document.Version, Reproduce: document.Reproduce{Command: "lab run 'a b/scenario.hcl'", Host: "linux/amd64"},
		Sources: []document.SourceFile{{Name: "scenario.hcl", Text: "scenario \"all | kinds\" {}\n"}}}
	d.Report = report.Report{Version: report.ModelVersion, ID: "r1", File: "a b/scenario.hcl", LabVersion: "v0.3.0", StartedAt: Begun, FinishedAt: At(100), Status: expect.Pass,
		Clusters: Clusters()[:3], Runs: []report.ScenarioRun{run("v127"), run("v128"), run("v128_on")}}
	d.Pictures = []document.Picture{
		{Scenario: "all | kinds", Cluster: "v127", Seconds: 80, Pods: []document.PodPicture{{Name: "web-x2c4b", Title: "web-*", Containers: containers(0)}}},
		{Scenario: "all | kinds", Cluster: "v128", Seconds: 90, Pods: []document.PodPicture{
			{Name: "web-x2c4c", Title: "web-*", Containers: containers(4)[:3]}, {Name: "db-0", Title: "db-0", Containers: containers(9)[3:]},
		}},
		{Scenario: "all | kinds", Cluster: "v128_on", Seconds: 3},
	}
	return d
}
