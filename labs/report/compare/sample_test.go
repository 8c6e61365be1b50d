package compare

import (
	"fmt"
	"time"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
)

var begun = time.Date(2025, 3, 4, 10, 0, 0, 0, time.UTC)

// runtimeAt is an instant of the runtime, apiAt one of the API.
func runtimeAt(at float64) *document.Instant {
	return &document.Instant{At: at, Source: "runtime", Precision: 1}
}

func apiAt(at float64) *document.Instant {
	return &document.Instant{At: at, Source: "api", Precision: time.Second}
}

// ran is a container that ran once; a negative end means that it still runs.
func ran(name, kind string, at func(float64) *document.Instant, from, to float64, code int) document.ContainerPicture {
	run := document.RunPicture{StartedAt: at(from)}
	if to >= 0 {
		run.FinishedAt, run.Exited, run.ExitCode, run.Reason = at(to), true, code, "Completed"
		if code != 0 {
			run.Reason = "Error"
		}
	}
	return document.ContainerPicture{Name: name, Kind: kind, Runs: []document.RunPicture{run}}
}

func statuses(all ...string) []document.StatusChange {
	var out []document.StatusChange
	for i, s := range all {
		out = append(out, document.StatusChange{Instant: *apiAt(float64(i)), Status: s})
	}
	return out
}

func verdict(name, got string, status expect.Status) report.Step {
	return report.Step{Name: name, Verb: "expect", Status: status, Verdict: &expect.Verdict{Name: name, Status: status, Got: got}}
}

// add adds a scenario on a cluster to a document.
func add(d *document.Document, scenario string, c report.Cluster, picture document.Picture, steps ...report.Step) {
	known := false
	for _, o := range d.Report.Clusters {
		known = known || o.Name == c.Name
	}
	if !known {
		d.Report.Clusters = append(d.Report.Clusters, c)
	}
	run := report.ScenarioRun{Scenario: scenario, Cluster: c.Name, StartedAt: begun, FinishedAt: begun.Add(time.Minute), Steps: steps, Status: expect.Pass}
	for _, s := range steps {
		run.Status = max(run.Status, s.Status)
	}
	d.Report.Runs = append(d.Report.Runs, run)
	picture.Scenario, picture.Cluster = scenario, c.Name
	d.Pictures = append(d.Pictures, picture)
}

func cluster(name, version string, gates ...string) report.Cluster {
	c := report.Cluster{Name: name, Version: version, FeatureGates: map[string]bool{}}
	for _, g := range gates {
		c.FeatureGates[g] = true
	}
	return c
}

func sampleRun(id string) document.Document {
	return document.Document{Version: document.Version, Report: report.Report{ID: id, File: "scenario.hcl"}}
}

// stopping is a pod of a main container that ends at 10 s and three sidecars
// that end then, in the order of the times.
func stopping(at func(float64) *document.Instant, ends ...float64) document.Picture {
	p := document.PodPicture{Name: "stopping", Title: "stopping", QOS: "BestEffort", Statuses: statuses("Pending", "Init:0/3", "PodInitializing", "Running", "Completed")}
	for i, end := range ends {
		p.Containers = append(p.Containers, ran(string(rune('a'+i)), "sidecar", at, 1+float64(i)*0.7, end, 0))
	}
	p.Containers = append(p.Containers, ran("main", "main", at, 4, 10, 0))
	return document.Picture{Seconds: 30, Pods: []document.PodPicture{p}}
}

// threeSidecars is what 1.28 and 1.29 do with them.
func threeSidecars(id string) document.Document {
	d := sampleRun(id)
	add(&d, "three", cluster("v128_on", "1.28.15", "SidecarContainers"), stopping(runtimeAt, 15.06, 15.01, 15.12), verdict("they end one after another", "false", expect.Pass))
	add(&d, "three", cluster("v129", "1.29.15"), stopping(runtimeAt, 25.3, 20.2, 15.1), verdict("they end one after another", "true", expect.Pass))
	return d
}

// jobSidecar has two scenarios on four clusters, of which the first comes out
// alike.
func jobSidecar(id string) document.Document {
	d := sampleRun(id)
	clusters := []report.Cluster{cluster("v127", "1.27.3"), cluster("v128", "1.28.15"), cluster("v128_on", "1.28.15", "SidecarContainers"), cluster("v129", "1.29.15")}
	for i, c := range clusters {
		wobble := float64(i) * 0.1
		add(&d, "classic", c, document.Picture{Pods: []document.PodPicture{{
			Name: fmt.Sprintf("myapp-%d", i), Title: "myapp-*", Statuses: statuses("Pending", "ContainerCreating", "Running", "NotReady"),
			Containers: []document.ContainerPicture{ran("main", "main", runtimeAt, 6+wobble, 21+wobble, 0), ran("sidecar", "main", runtimeAt, 7-wobble, -1, 0)},
		}}}, verdict("the Job does not complete", "true", expect.Pass))
	}
	for i, c := range clusters {
		pod := document.PodPicture{Name: fmt.Sprintf("myapp-%d", i), Title: "myapp-*", Statuses: statuses("Pending", "Init:0/1"),
			Containers: []document.ContainerPicture{ran("sidecar", "init", runtimeAt, 2, -1, 0), {Name: "main", Kind: "main"}}}
		job := document.ObjectPicture{Kind: "Job", Name: "myapp"}
		native := i >= 2
		if native {
			pod.Statuses = statuses("Pending", "Init:0/1", "PodInitializing", "Running", "Completed")
			pod.Containers = []document.ContainerPicture{ran("sidecar", "sidecar", runtimeAt, 2, 48, 137), ran("main", "main", runtimeAt, 3, 18, 0)}
			job.Conditions = []document.ConditionChange{{Instant: *apiAt(48), Type: "Complete", Status: "True"}}
		}
		strict := report.Step{Name: "strict", Verb: "apply", Status: expect.Pass}
		skipped := verdict("the refusal names the field", "", expect.Skip)
		if i == 0 {
			strict.Outcome = "refused"
			skipped = verdict("the refusal names the field", "true", expect.Pass)
		}
		add(&d, "native", c, document.Picture{Pods: []document.PodPicture{pod}, Objects: []document.ObjectPicture{job}},
			strict, skipped, verdict("the Job completes", fmt.Sprint(native), expect.Pass))
	}
	return d
}
