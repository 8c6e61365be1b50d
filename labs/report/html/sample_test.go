package html

import (
	"fmt"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
)

var begun = time.Date(2025, 3, 4, 10, 0, 0, 0, time.UTC)

func ptr[T any](v T) *T { return &v }

func byRuntime(at float64) *document.Instant {
	return &document.Instant{At: at, Source: "runtime", Precision: 1}
}

func byAPI(at float64) document.Instant {
	return document.Instant{At: at, Source: "api", Precision: time.Second}
}

const scenarioFile = `lab {
  name = "job-sidecar"
}

scenario "native" {
  apply "job" {
    manifests = [file("native.yaml")]
  }

  expect "the Job completes" {
    condition = job.myapp.complete
    within    = "75s"
  }

  expect "the sidecar is killed" {
    when      = target.native_sidecars
    condition = local.sidecar.exit_code == 137
  }
}
`

func decided(name, condition, got string, expected bool, from, to float64, status expect.Status, reason string) report.Step {
	return report.Step{Name: name, Verb: "expect", Status: status, BeganAt: from, EndedAt: to, Detail: reason, Verdict: &expect.Verdict{
		Name: name, Status: status, Reason: reason, Condition: condition, Expected: expected, Got: got, BeganAt: from, DecidedAt: to, Within: 75 * time.Second,
	}}
}

func contradict(v *expect.Verdict, line int) {
	v.Message = "The Job hangs: its helper never ends."
	v.References = []expect.Reference{
		{Expression: "job.myapp.complete", Value: "false", At: ptr(70.0), Source: "api", Precision: time.Second},
		{Expression: `local.main.finished_at`, Value: "18.251400123", At: ptr(18.251400123), Source: "runtime"},
	}
	v.Records = []collectors.Record{{
		Time: begun.Add(18251400123), Precision: 1, Source: collectors.SourceRuntime, Type: collectors.TypeTaskExit,
		Object: collectors.Object{Kind: "Pod", Name: "myapp-x7k2p"}, Container: "main-container-1", Task: &collectors.Task{},
	}}
	v.Diagnostic = &diag.Diagnostic{Severity: diag.SeverityError, Summary: "Expectation failed", Detail: v.Reason,
		Range: &diag.Range{Filename: "job-sidecar/scenario.hcl", Start: diag.Pos{Line: line, Column: 5}, End: diag.Pos{Line: line, Column: 20}}}
}

// sample is a document of one scenario on four clusters: as expected on two,
// contradicted on one, and undecidable for a gap on one.
func sample() document.Document {
	d := document.Document{
		Version: document.Version,
		Sources: []document.SourceFile{{Name: "scenario.hcl", Text: scenarioFile}, {Name: "native.yaml", Text: "apiVersion: batch/v1\nkind: Job\n"}},
		Reproduce: document.Reproduce{
			Command: "lab run --cluster v127,v128,v128_on,v129 job-sidecar", Host: "linux/amd64",
		},
	}
	d.Report = report.Report{
		Version: report.ModelVersion, ID: "20250304-100000-k3x9p2", File: "job-sidecar/scenario.hcl", Folder: ".lab/runs/20250304-100000-k3x9p2",
		LabVersion: "v0.3.0", StartedAt: begun.Add(-40 * time.Second), FinishedAt: begun.Add(90 * time.Second), Status: expect.Error,
		Clusters: []report.Cluster{
			sampleCluster("v127", "1.27.3", nil), sampleCluster("v128", "1.28.15", nil),
			sampleCluster("v128_on", "1.28.15", map[string]bool{"SidecarContainers": true}), sampleCluster("v129", "1.29.15", nil),
		},
	}
	d.Report.Clusters[3].Reused = true
	for i, c := range d.Report.Clusters {
		native := i >= 2
		d.Report.Runs = append(d.Report.Runs, sampleRun(c.Name, native, i))
		d.Pictures = append(d.Pictures, samplePicture(c.Name, native, float64(i)*0.4))
	}
	d.Pictures[3].Gaps = []document.GapPicture{{From: 41.2, To: 49.8, Source: "runtime", Reason: "the event stream ended", Lost: -1}}
	return d
}

func sampleCluster(name, version string, gates map[string]bool) report.Cluster {
	return report.Cluster{
		Name: name, Kubernetes: version[:4], Version: version, FeatureGates: gates, Image: "kindest/node:v" + version, ImageSource: "have",
		Runtime: "containerd://2.1.3", Cgroup: 2, Status: expect.Pass, Phases: []report.Phase{{Name: "create", Elapsed: 30 * time.Second}, {Name: "run", Elapsed: 80 * time.Second}},
	}
}

func sampleRun(cluster string, native bool, i int) report.ScenarioRun {
	completes := decided("the Job completes", "job.myapp.complete", fmt.Sprint(native), native, 1.6, 48.6, expect.Pass, "job.myapp.complete was "+fmt.Sprint(native)+" after 47s")
	killed := decided("the sidecar is killed", "local.sidecar.exit_code == 137", "true", true, 48.6, 48.6, expect.Pass, "local.sidecar.exit_code == 137 was true at once")
	run := report.ScenarioRun{
		Scenario: "native", Description: "A Job whose helper is a native sidecar.", Cluster: cluster, Namespace: "lab-native", Status: expect.Pass,
		StartedAt: begun, FinishedAt: begun.Add(84 * time.Second), Observed: report.Observed{Records: 120, Lines: 60},
		Steps: []report.Step{{Name: "job", Verb: "apply", Status: expect.Pass, BeganAt: 1.2, EndedAt: 1.6, Detail: "job/myapp created"}, completes, killed},
	}
	switch {
	case i == 1:
		run.Steps[1] = decided("the Job completes", "job.myapp.complete", "false", true, 1.6, 76.6, expect.Fail, "job.myapp.complete was still false after 75s")
		contradict(run.Steps[1].Verdict, 11)
		run.Steps[2] = decided("the sidecar is killed", "local.sidecar.exit_code == 137", "", true, 76.6, 76.6, expect.Skip, "when is false here")
		run.Status = expect.Fail
	case i == 0:
		run.Steps[2] = decided("the sidecar is killed", "local.sidecar.exit_code == 137", "", true, 48.6, 48.6, expect.Skip, "when is false here")
	case i == 3:
		run.Steps[2] = decided("the sidecar is killed", "local.sidecar.exit_code == 137", "unknown", true, 48.6, 49.9, expect.Error, "it is unknown: the runtime was not observed from 41.2s to 49.8s")
		contradict(run.Steps[2].Verdict, 17)
		run.Status = expect.Error
		run.Observed.Gaps = 1
	}
	return run
}

func samplePicture(cluster string, native bool, shift float64) document.Picture {
	end := 84.0
	sidecar := document.ContainerPicture{Name: "sidecar-container-1", Kind: "init", Image: "busybox:1.35", Runs: []document.RunPicture{{StartedAt: byRuntime(2.412345678 + shift)}}}
	main := document.ContainerPicture{Name: "main-container-1", Kind: "main", Image: "busybox:1.35"}
	statuses := []string{"Pending", "Init:0/1"}
	if native {
		killed := byAPI(18)
		sidecar.Kind = "sidecar"
		sidecar.Runs[0].ReadyAt = ptr(byAPI(3.1))
		sidecar.Runs[0].FinishedAt, sidecar.Runs[0].Exited, sidecar.Runs[0].ExitCode = byRuntime(48.301882+shift), true, 137
		sidecar.Runs[0].KillingAt = &killed
		main.Runs = []document.RunPicture{
			{StartedAt: byRuntime(3.2201 + shift), FinishedAt: byRuntime(6.5 + shift), Exited: true, ExitCode: 1, Reason: "Error"},
			{StartedAt: byRuntime(8.1 + shift), FinishedAt: byRuntime(18.251400123 + shift), Exited: true},
		}
		statuses = []string{"Pending", "Init:0/1", "PodInitializing", "Running", "Completed"}
	}
	debug := document.ContainerPicture{Name: "debugger", Kind: "ephemeral", Runs: []document.RunPicture{{StartedAt: byRuntime(30), FinishedAt: byRuntime(40.5), Exited: true, ExitCode: 137, OOM: true}}}
	pod := document.PodPicture{Name: "myapp-x7k2p", Title: "myapp-*", UID: "uid", Node: "node", CreatedAt: ptr(byAPI(1.4)), Containers: []document.ContainerPicture{sidecar, main, debug}}
	for i, s := range statuses {
		at := byAPI([]float64{1.5, 1.9, 2.9, 3.9, 49}[i] + shift)
		pod.Statuses = append(pod.Statuses, document.StatusChange{Instant: at, Status: s, Ready: "0/2", Phase: "Pending"})
		pod.Snapshots = append(pod.Snapshots, document.Snapshot{Instant: at, Title: s, YAML: fmt.Sprintf("kind: Pod\nmetadata:\n  name: myapp-x7k2p\n  resourceVersion: %q\nspec:\n  nodeName: node\nstatus:\n  phase: %s\n", fmt.Sprint(100+i), s)})
	}
	for i, c := range []string{"PodScheduled", "Initialized", "Ready"} {
		pod.Conditions = append(pod.Conditions,
			document.ConditionChange{Instant: byAPI(1.5), Type: c, Status: "False"}, document.ConditionChange{Instant: byAPI(2.5 + float64(i)), Type: c, Status: "True"})
	}
	p := document.Picture{Scenario: "native", Cluster: cluster, Seconds: end, Pods: []document.PodPicture{pod}}
	p.Objects = []document.ObjectPicture{{Kind: "Job", Name: "myapp", Conditions: []document.ConditionChange{{Instant: byAPI(49), Type: "Complete", Status: "True"}}}}
	p.Events = []document.EventPicture{
		{Instant: byAPI(1.6), Type: "Normal", Reason: "Scheduled", Object: "Pod/myapp-x7k2p", Message: "assigned to node", Count: 1},
		{Instant: byAPI(7), Type: "Warning", Reason: "BackOff", Object: "Pod/myapp-x7k2p", Message: "Back-off restarting failed container", Count: 3},
	}
	for n := range 60 {
		p.Lines = append(p.Lines, document.LinePicture{At: 2.5 + float64(n)*0.7 + shift, Pod: 0, Container: n % 2, Stream: []string{"stdout", "stderr"}[n/50], Text: fmt.Sprintf("line %d of %s: collecting logs", n, cluster)})
	}
	return p
}

// hostile is a document in which every text wants to be more than text.
func hostile() document.Document {
	evil := `</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1"><!-- ` + "\u2028\u2029\x1b[31mred\x1b]0;title\x07\x00\xff\xfe \u202eesrever {{.}} ${window.hacked=1}"
	d := sample()
	d.Report.File, d.Report.ID, d.Report.LabVersion, d.Reproduce.Command, d.Reproduce.Host = evil, evil, evil, evil, evil
	d.Report.Errors = []string{evil}
	c := &d.Report.Clusters[0]
	c.Version, c.Image, c.Error, c.Runtime = evil, evil, evil, evil
	for i := range d.Report.Runs {
		run := &d.Report.Runs[i]
		run.Scenario, run.Description = evil, evil
		for j := range run.Steps {
			s := &run.Steps[j]
			s.Name, s.Detail = evil, evil
			if v := s.Verdict; v != nil {
				v.Reason, v.Condition, v.Message, v.Got = evil, evil, evil, evil
				v.References = []expect.Reference{{Expression: evil, Value: evil, Source: evil, At: ptr(1.0)}}
			}
		}
		p := &d.Pictures[i]
		p.Pods[0].Name, p.Pods[0].Title, p.Pods[0].Containers[0].Name, p.Pods[0].Snapshots[0].YAML = evil, evil, evil, evil+"\n"+evil
		p.Events[0].Message, p.Events[0].Reason = evil, evil
		p.Lines = append(p.Lines, document.LinePicture{At: 80, Text: evil}, document.LinePicture{At: 81, Text: strings.Repeat("<b>long</b>", 1<<20/11)},
			document.LinePicture{At: 82, Text: strings.Repeat("\x1b[2J", 1<<18)}, document.LinePicture{At: 83, Text: "javascript:alert(1)", Pod: -1, Container: -1})
	}
	d.Sources[0].Text = evil + "\n" + scenarioFile
	d.Sources[1].Name = evil
	return d
}

// large is a document of 10,000 records and 100,000 lines on two clusters.
func large() document.Document {
	d := sample()
	d.Report.Clusters, d.Report.Runs, d.Pictures = d.Report.Clusters[2:], d.Report.Runs[2:], d.Pictures[2:]
	for i := range d.Pictures {
		p := &d.Pictures[i]
		p.Lines, p.Events = nil, nil
		pod := p.Pods[0]
		p.Pods = nil
		for n := range 20 {
			one := pod
			one.Name, one.Title = fmt.Sprintf("myapp-%05d", n), fmt.Sprintf("myapp-* (no. %d)", n+1)
			one.Statuses, one.Snapshots = nil, nil
			for k := range 75 {
				at := byAPI(1.5 + float64(k) + float64(n)/20)
				one.Statuses = append(one.Statuses, document.StatusChange{Instant: at, Status: []string{"Running", "CrashLoopBackOff", "Error"}[k%3], Ready: "1/2", Phase: "Running"})
				one.Snapshots = append(one.Snapshots, document.Snapshot{Instant: at, Title: "Running", YAML: strings.Repeat(fmt.Sprintf("  - name: value-%d\n    state: running\n", n), 80) + fmt.Sprintf("resourceVersion: %d\n", k)})
			}
			p.Pods = append(p.Pods, one)
		}
		for n := range 2000 {
			p.Events = append(p.Events, document.EventPicture{Instant: byAPI(float64(n) * 0.04), Type: "Normal", Reason: "Pulled", Object: "Pod/myapp", Message: fmt.Sprintf("event %d", n), Count: 1})
		}
		for n := range 50_000 {
			p.Lines = append(p.Lines, document.LinePicture{At: 2 + float64(n)*0.0016 + float64(n*7919%1000)*1e-9, Pod: n % 20, Container: n / 20 % 2, Stream: "stdout",
				Text: fmt.Sprintf("2025-03-04T10:00:%02d request id=%08x took %d ms", n%60, uint32(n)*2654435761, n%977)})
		}
	}
	return d
}
