package reporttest

import (
	"fmt"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
)

// Samples are the sample reports by their names.
func Samples() map[string]report.Report {
	return map[string]report.Report{"pass": Pass(), "fail": Fail(), "error": Error(), "interrupted": Interrupted(), "many": Many()}
}

// Begun is when the sample's runs began.
var Begun = time.Date(2025, 3, 4, 10, 0, 0, 250_000_000, time.UTC)

// At is so many seconds after Begun.
func At(seconds float64) time.Time {
	return Begun.Add(time.Duration(seconds * float64(time.Second)))
}

// Ptr points to a value.
func Ptr[T any](v T) *T { return &v }

// Clusters are those of the samples.
func Clusters() []report.Cluster {
	phases := func(create, run time.Duration) []report.Phase {
		return []report.Phase{{Name: "image", Elapsed: 120 * time.Millisecond}, {Name: "create", Elapsed: create}, {Name: "images", Elapsed: 1800 * time.Millisecond}, {Name: "run", Elapsed: run}, {Name: "destroy", Elapsed: 1300 * time.Millisecond}}
	}
	return []report.Cluster{
		{Name: "v127", Kubernetes: "1.27", Version: "1.27.3", Image: "kindest/node:v1.27.3", ImageSource: "have", Status: expect.Pass, Phases: phases(24*time.Second, 128*time.Second)},
		{Name: "v128", Kubernetes: "1.28", Version: "1.28.15", Image: "lab.local/node:v1.28.15", ImageSource: "build", Status: expect.Pass, Phases: phases(31*time.Second, 131*time.Second)},
		{Name: "v128_on", Kubernetes: "1.28", Version: "1.28.15", FeatureGates: map[string]bool{"SidecarContainers": true}, Image: "lab.local/node:v1.28.15", ImageSource: "build", Status: expect.Pass, Phases: phases(33*time.Second, 82*time.Second)},
		{Name: "v129", Kubernetes: "1.29", Version: "1.29.15", Image: "kindest/node:v1.29.15", ImageSource: "pull", Status: expect.Pass, Phases: phases(29*time.Second, 80*time.Second)},
	}
}

// Decided is an expectation that came out as expected.
func Decided(name, condition, got string, expected bool, from, to float64, reason string) report.Step {
	v := &expect.Verdict{Name: name, Status: expect.Pass, Condition: condition, Expected: expected, Got: got, BeganAt: from, DecidedAt: to, Reason: reason}
	return report.Step{Name: name, Verb: "expect", Status: expect.Pass, BeganAt: from, EndedAt: to, Detail: reason, Verdict: v}
}

// Skipped is an expectation that was skipped.
func Skipped(name, condition string, at float64) report.Step {
	s := Decided(name, condition, "", true, at, at, "when is false here: target.native_sidecars is false")
	s.Status, s.Verdict.Status = expect.Skip, expect.Skip
	return s
}

// Applied is a step that was done.
func Applied(name string, at float64) report.Step {
	return report.Step{Name: name, Verb: "apply", Status: expect.Pass, BeganAt: at, EndedAt: at + 0.4, Detail: "job/myapp created"}
}

// Rejection is how the API server rejects a sidecar that it does not know.
const Rejection = `Job in version "v1" cannot be handled as a Job: strict decoding error: unknown field "spec.template.spec.initContainers[0].restartPolicy"`

// ClassicRun is the scenario "classic" on a cluster.
func ClassicRun(cluster, pod string, shift float64) report.ScenarioRun {
	main := `job.myapp.pod.container["main-container-1"]`
	return report.ScenarioRun{
		Scenario: "classic", Description: "A Job whose helper is an ordinary container never completes.", Cluster: cluster,
		Namespace: "lab-classic", Status: expect.Pass, StartedAt: Begun, FinishedAt: At(38.4),
		Steps: []report.Step{
			Applied("job", 1.2),
			Decided("the main container exits 0", main+".exit_code == 0", "true", true, 1.6, 17.9+shift, main+".exit_code == 0 was true after 16.3s"),
			Decided("it ran for about 15 s", "abs(local.main.finished_at - local.main.started_at - 15) < 2", "true", true, 17.9+shift, 17.9+shift, "abs(local.main.finished_at - local.main.started_at - 15) < 2 was true at once"),
			Decided("the Job does not complete", "!job.myapp.complete", "true", true, 17.9+shift, 32.9+shift, "!job.myapp.complete was true for the whole 15s"),
			Decided("the helper still runs", `job.myapp.pod.container["sidecar-container-1"].state == "running"`, "true", true, 32.9+shift, 32.9+shift, "was true at once"),
			Decided("STATUS went Pending, ContainerCreating, Running, NotReady", `join(", ", job.myapp.pod.statuses) == "Pending, ContainerCreating, Running, NotReady"`, "true", true, 33, 33, "was true at once"),
		},
		Pods: []report.Pod{{
			Name: pod, Statuses: []string{"Pending", "ContainerCreating", "Running", "NotReady"},
			Containers: []report.Container{
				{Name: "main-container-1", Kind: "main", StartedAt: Ptr(2.104512345 + shift), FinishedAt: Ptr(17.139204112 + shift), ExitCode: Ptr(0), Source: "runtime"},
				{Name: "sidecar-container-1", Kind: "main", StartedAt: Ptr(2.330771002 + shift), Source: "runtime"},
			},
		}},
	}
}

// NativeRun is the scenario "native": native says whether the cluster has
// native sidecars, known whether its API has the field.
func NativeRun(cluster, pod string, known, native bool) report.ScenarioRun {
	main, sidecar := `local.main`, `local.sidecar`
	strict := Applied("strict", 1.2)
	if !known {
		strict.Detail, strict.Outcome = "refused as expected: "+Rejection, "refused"
	}
	lenient := Applied("lenient", 1.7)
	lenient.Detail = map[bool]string{true: "job/myapp unchanged", false: "job/myapp created"}[known]
	hangs := Decided("without native sidecars the pod hangs in Init:0/1", `job.myapp.pod.status == "Init:0/1"`, fmt.Sprint(!native), !native, 77, 82, "")
	run := report.ScenarioRun{
		Scenario: "native", Description: "The same helper as a native sidecar.", Cluster: cluster, Namespace: "lab-native",
		Status: expect.Pass, StartedAt: Begun, FinishedAt: At(84),
	}
	refused := Skipped("the refusal names the unknown field", "can(regex(…))", 1.6)
	if !known {
		refused = Decided("the refusal names the unknown field", "can(regex(…))", "true", true, 1.6, 1.6, "was true at once")
	}
	run.Steps = []report.Step{
		strict, refused, lenient,
		Decided("the API server keeps the sidecar's restartPolicy", sidecar+`.kind == "sidecar"`, fmt.Sprint(native), native, 2.1, 2.4, ""),
		Decided("the Job completes", "job.myapp.complete", fmt.Sprint(native), native, 2.4, 48.6, ""),
		hangs,
	}
	pods := report.Pod{Name: pod, Statuses: []string{"Pending", "Init:0/1"}, Containers: []report.Container{
		{Name: "sidecar-container-1", Kind: "init", StartedAt: Ptr(2.9), Source: "runtime"}, {Name: "main-container-1", Kind: "main"},
	}}
	ordered, killed := "the sidecar starts first and ends last", "the sidecar is killed after the grace period"
	if native {
		run.Steps = append(run.Steps,
			Decided(ordered, "ordered(["+sidecar+".started_at, "+main+".started_at])", "true", true, 82, 82, "was true at once"),
			Decided(killed, sidecar+".exit_code == 137", "true", true, 82, 82, "was true at once"))
		pods.Statuses = []string{"Pending", "Init:0/1", "PodInitializing", "Running", "Completed"}
		pods.Containers = []report.Container{
			{Name: "sidecar-container-1", Kind: "sidecar", StartedAt: Ptr(2.412), FinishedAt: Ptr(48.301882), ExitCode: Ptr(137), Source: "runtime"},
			{Name: "main-container-1", Kind: "main", StartedAt: Ptr(3.2201), FinishedAt: Ptr(18.2514), ExitCode: Ptr(0), Source: "runtime"},
		}
	} else {
		run.Steps = append(run.Steps, Skipped(ordered, "ordered([…])", 82), Skipped(killed, sidecar+".exit_code == 137", 82))
	}
	run.Pods = []report.Pod{pods}
	return run
}

// Pass came out as expected on all clusters.
func Pass() report.Report {
	return report.Report{
		Version: report.ModelVersion, ID: "20250304-100000-k3x9p2", File: "job-sidecar/scenario.hcl", Folder: ".lab/runs/20250304-100000-k3x9p2",
		LabVersion: "v0.3.0", StartedAt: Begun.Add(-40 * time.Second), FinishedAt: Begun.Add(131 * time.Second), Status: expect.Pass,
		Clusters: Clusters(),
		Runs: []report.ScenarioRun{
			ClassicRun("v127", "myapp-x7k2p", 0), ClassicRun("v128", "myapp-4b9dz", 0.4), ClassicRun("v128_on", "myapp-nn28f", 0.1), ClassicRun("v129", "myapp-ggh5t", 0.2),
			NativeRun("v127", "myapp-c2c2c", false, false), NativeRun("v128", "myapp-vv7lw", true, false),
			NativeRun("v128_on", "myapp-b56qs", true, true), NativeRun("v129", "myapp-zz42x", true, true),
		},
	}
}

// PodObject names a pod of the samples.
func PodObject(name string) collectors.Object {
	return collectors.Object{Kind: "Pod", Namespace: "lab-native", Name: name, UID: "uid-" + name}
}

// TaskRecord is the start or the end of a container, by the runtime.
func TaskRecord(seconds float64, pod, container string, kind collectors.Type, code int) collectors.Record {
	return collectors.Record{
		Time: At(seconds), Received: At(seconds + 0.02), Precision: 1, Source: collectors.SourceRuntime, Type: kind,
		Object: PodObject(pod), Container: container, Task: &collectors.Task{ID: container + "-id", Node: "node", ExitCode: code},
	}
}

// PodRecord is a state of a pod, by the API.
func PodRecord(seconds float64, pod, status, ready string, containers ...collectors.Container) collectors.Record {
	return collectors.Record{
		Time: At(seconds), Received: At(seconds), Precision: time.Second, Source: collectors.SourceAPI, Type: collectors.TypePod,
		Object: PodObject(pod), Pod: &collectors.Pod{Status: status, Ready: ready, Containers: containers},
	}
}

// Contradict makes a step's verdict one that failed or could not be decided.
func Contradict(s *report.Step, status expect.Status, got, reason, line string, number int) {
	v := s.Verdict
	s.Status, s.Detail, v.Status, v.Got, v.Reason = status, reason, status, got, reason
	v.Within, v.DecidedAt = 75*time.Second, v.BeganAt+75
	v.Diagnostic = &diag.Diagnostic{
		Severity: diag.SeverityError, Summary: "Expectation failed", Detail: reason + ".",
		Range: &diag.Range{Filename: "job-sidecar/scenario.hcl", Start: diag.Pos{Line: number, Column: 17}, End: diag.Pos{Line: number, Column: 17 + len(v.Condition)}},
		Snippet: &diag.Snippet{Context: fmt.Sprintf("expect %q", s.Name), Code: "    " + line, StartLine: number,
			HighlightStart: 16, HighlightEnd: 4 + len(line),
			Values: []diag.Value{{Reference: "job.myapp.complete", Statement: "is false"}}},
	}
}

// Fail has the expectation "the Job completes" not met on two clusters,
// and a step that failed.
func Fail() report.Report {
	r := Pass()
	r.Status = expect.Fail
	for i, pod := range map[int]string{6: "myapp-b56qs", 7: "myapp-zz42x"} {
		run := &r.Runs[i]
		run.Status = expect.Fail
		s := &run.Steps[4]
		Contradict(s, expect.Fail, "false", "job.myapp.complete was still false after 75s: job.myapp.complete is false", "condition = job.myapp.complete", 86)
		s.Verdict.References = []expect.Reference{{Expression: "job.myapp.complete", Value: "false", At: Ptr(48.0), Source: "api"}}
		exited := &collectors.ContainerRun{ID: "main-container-1-id", StartedAt: At(2.75), FinishedAt: At(17.75)}
		s.Verdict.Records = []collectors.Record{
			PodRecord(3.9, pod, "Running", "2/2", collectors.Container{Name: "sidecar-container-1", State: "running"}, collectors.Container{Name: "main-container-1", State: "running"}),
			TaskRecord(18.2514, pod, "main-container-1", collectors.TypeTaskExit, 0),
			PodRecord(19.1, pod, "Completed", "1/2", collectors.Container{Name: "sidecar-container-1", State: "running"}, collectors.Container{Name: "main-container-1", State: "terminated", Reason: "Completed", Current: exited}),
			TaskRecord(48.301882, pod, "sidecar-container-1", collectors.TypeTaskExit, 137),
			{Time: At(48.9), Received: At(48.9), Precision: time.Second, Source: collectors.SourceAPI, Type: collectors.TypeJob,
				Object: collectors.Object{Kind: "Job", Namespace: "lab-native", Name: "myapp"}, Job: &collectors.Job{Active: 1}},
		}
	}
	failed := &r.Runs[0]
	failed.Status = expect.Fail
	failed.Steps[0] = report.Step{Name: "job", Verb: "apply", Status: expect.Fail, BeganAt: 1.2, EndedAt: 1.4,
		Detail: "applying job/myapp: the API server refuses it: jobs.batch \"myapp\" is forbidden: exceeded quota: pods, requested: count/jobs.batch=1, used: count/jobs.batch=1, limited: count/jobs.batch=1"}
	for i := range failed.Steps[1:] {
		s := &failed.Steps[i+1]
		s.Status, s.Verdict, s.Detail = expect.Skip, nil, `step "job" could not be done`
	}
	failed.Pods = nil
	return r
}

// Error has a cluster that could not be created, a verdict that a gap
// forbids, and a cluster that could not be destroyed.
func Error() report.Report {
	r := Pass()
	r.Status = expect.Error
	c := &r.Clusters[1]
	c.Status, c.Phases = expect.Error, []report.Phase{{Name: "image", Elapsed: 90 * time.Millisecond}, {Name: "create", Elapsed: 190 * time.Second}, {Name: "destroy", Elapsed: time.Second}}
	c.Error = "creating cluster v128: the node did not become ready within 3m: the kubelet does not start.\n" +
		"What the node said last (journalctl -u kubelet):\n" +
		"  Mar 04 10:02:11 kubelet[712]: E0304 failed to run Kubelet: invalid configuration: cgroup \"kubepods\" has some missing controllers: hugetlb\n" +
		"To see whether this machine can run clusters: lab doctor"
	for _, i := range []int{1, 5} {
		run := &r.Runs[i]
		run.Status, run.Pods, run.StartedAt, run.FinishedAt = expect.Error, nil, time.Time{}, time.Time{}
		for j := range run.Steps {
			s := &run.Steps[j]
			*s = report.Step{Name: s.Name, Verb: s.Verb, Status: expect.Error, Detail: "the cluster could not be used: creating cluster v128: the node did not become ready within 3m: the kubelet does not start."}
		}
	}
	run := &r.Runs[7]
	run.Status = expect.Error
	s := &run.Steps[7]
	Contradict(s, expect.Error, "unknown", "local.sidecar.exit_code == 137 is unknown: the runtime was not observed from 41.2s to 49.8s (the event stream of node lab-k3x9p2-v129-control-plane ended and was opened anew)", "condition = local.sidecar.exit_code == 137 && abs(local.sidecar.finished_at - local.main.finished_at - 30) < 4", 102)
	s.Verdict.Diagnostic.Summary = "Expectation could not be decided"
	s.Verdict.Diagnostic.Detail += "\n\nIt ended with (not observed), (not observed) s after the main container."
	s.Verdict.Message = "It ended with (not observed), (not observed) s after the main container."
	s.Verdict.References = []expect.Reference{
		{Expression: `job.myapp.pod.container["sidecar-container-1"].exit_code`, Value: "(not observed)"},
		{Expression: `job.myapp.pod.container["sidecar-container-1"].finished_at`, Value: "(not observed)"},
		{Expression: `job.myapp.pod.container["main-container-1"].finished_at`, Value: "18.2514", At: Ptr(18.2514), Source: "runtime"},
	}
	s.Verdict.Records = []collectors.Record{{
		Time: At(49.8), Precision: time.Millisecond, Source: collectors.SourceRuntime, Type: collectors.TypeGap,
		Object: collectors.Object{Kind: "Node", Name: "lab-k3x9p2-v129-control-plane"},
		Gap:    &collectors.Gap{From: At(41.2), To: At(49.8), Reason: "the event stream ended: rpc error: code = Unavailable", Count: -1},
	}}
	r.Errors = []string{"v129: the cluster could not be destroyed, remove it with: lab gc lab-k3x9p2-v129: removing container lab-k3x9p2-v129-control-plane: Error response from daemon: removal is already in progress"}
	return r
}

// Interrupted was stopped while the scenario native went on.
func Interrupted() report.Report {
	r := Pass()
	r.Status, r.Interrupted, r.FinishedAt = expect.Error, true, Begun.Add(12*time.Second)
	for i := 4; i < 8; i++ {
		run := &r.Runs[i]
		run.Status = expect.Error
		for j := 4; j < len(run.Steps); j++ {
			s := &run.Steps[j]
			s.Status, s.Verdict, s.Detail = expect.Error, nil, "interrupted: context canceled"
		}
	}
	return r
}

// Many ran on many clusters with awkward names, with pods of a
// Deployment that restarted.
func Many() report.Report {
	r := Pass()
	r.Clusters, r.Runs = nil, nil
	for minor := 27; minor <= 36; minor++ {
		name := fmt.Sprintf("v1%d", minor)
		if minor == 30 {
			name = "with_a_very_long_name_indeed_v130"
		}
		if minor == 31 {
			name = "東京リージョン"
		}
		c := report.Cluster{Name: name, Version: fmt.Sprintf("1.%d.%d", minor, minor%7), Status: expect.Pass, Phases: []report.Phase{{Name: "create", Elapsed: 30 * time.Second}}}
		if minor == 35 {
			c.FeatureGates = map[string]bool{"RestartAllContainersOnContainerExits": true, "SidecarContainers": false}
		}
		r.Clusters = append(r.Clusters, c)
		run := ClassicRun(name, "web-6d4cf56db6-x7k2p", 0)
		run.Pods = append(run.Pods, run.Pods[0], report.Pod{Name: "proxy", Statuses: []string{"Pending", "Running", "CrashLoopBackOff", "Running"},
			Containers: []report.Container{{Name: "proxy", Kind: "main", StartedAt: Ptr(12.0), Restarts: minor % 3, Source: "api"}}})
		run.Pods[1].Name = "web-6d4cf56db6-4b9dz"
		if minor%2 == 0 {
			run.Steps[2].Verdict.Got, run.Steps[2].Verdict.Expected = "false", false
			run.Pods[1].Statuses = []string{"Pending", "ContainerCreating", "Error"}
		}
		r.Runs = append(r.Runs, run)
	}
	return r
}

// LogRecord is a line of a container's log.
func LogRecord(seconds float64, pod, container, text, color string) collectors.Record {
	return collectors.Record{
		Time: At(seconds), Received: At(seconds), Precision: 1, Source: collectors.SourceLog, Type: collectors.TypeLog,
		Object: PodObject(pod), Container: container, Log: &collectors.Log{Text: text, Color: color},
	}
}
