package expect

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/value"
)

func podObject(name, uid string) collectors.Object {
	return collectors.Object{Kind: "Pod", Namespace: "ns", Name: name, UID: uid}
}

// podRecord is a pod of the Job "myapp".
func podRecord(received float64, name, uid, phase, status string, containers ...collectors.Container) collectors.Record {
	return collectors.Record{
		Time: at(received), Received: at(received), Precision: time.Second, Source: collectors.SourceAPI, Type: collectors.TypePod, Object: podObject(name, uid),
		Pod: &collectors.Pod{
			Owner: &collectors.Object{Kind: "Job", Namespace: "ns", Name: "myapp", UID: "j"}, Node: "node1",
			Phase: phase, Status: status, Ready: "0/1", CreatedAt: at(1), Containers: containers,
			Conditions: map[string]string{"Ready": "True", "Initialized": "False", "Other": "Unknown"},
		},
	}
}

func jobRecord(received float64, job collectors.Job) collectors.Record {
	return collectors.Record{
		Time: at(received), Received: at(received), Precision: time.Second, Source: collectors.SourceAPI, Type: collectors.TypeJob,
		Object: collectors.Object{Kind: "Job", Namespace: "ns", Name: "myapp", UID: "j"}, Job: &job,
	}
}

func taskRecord(kind collectors.Type, seconds float64, container, id string, code int) collectors.Record {
	return collectors.Record{
		Time: at(seconds), Received: at(seconds + 0.01), Precision: 1, Source: collectors.SourceRuntime, Type: kind,
		Object: podObject("myapp-x", "p"), Container: container, Task: &collectors.Task{ID: id, Node: "node1", ExitCode: code},
	}
}

func logRecord(seconds float64, container, text string) collectors.Record {
	return collectors.Record{
		Time: at(seconds), Received: at(seconds + 0.01), Precision: 1, Source: collectors.SourceLog, Type: collectors.TypeLog,
		Object: podObject("myapp-x", "p"), Container: container, Log: &collectors.Log{Text: text},
	}
}

// mainRunning is the container "main" as the API shows it while it runs.
func mainRunning(started float64) collectors.Container {
	on := true
	return collectors.Container{
		Name: "main", Kind: collectors.KindMain, Image: "busybox", ID: "m0", State: "running", Ready: true, Started: &on,
		Current: &collectors.ContainerRun{ID: "m0", StartedAt: at(started)},
	}
}

func mainDone(code int, reason string) collectors.Container {
	return collectors.Container{
		Name: "main", Kind: collectors.KindMain, Image: "busybox", ID: "m0", State: "terminated", Reason: reason,
		Current: &collectors.ContainerRun{ID: "m0", StartedAt: at(2), FinishedAt: at(8), ExitCode: code, Reason: reason},
	}
}

func timeline(records ...collectors.Record) *collectors.Timeline {
	tl := collectors.NewTimeline(base)
	for _, r := range records {
		tl.Add(r)
	}
	return tl
}

func apiTime(s float64) value.Opt[value.Time] {
	return value.Some(value.Time{Seconds: s, Precision: time.Second, Source: "api"})
}

// heardTime is when the API was first seen to tell of something.
func heardTime(s float64) value.Opt[value.Time] {
	return value.Some(value.Time{Seconds: s, Precision: time.Second, Source: "api", Late: true})
}

func runtimeTime(s float64) value.Opt[value.Time] {
	return value.Some(value.Time{Seconds: s, Precision: 1, Source: "runtime"})
}

var (
	waitingMain         = collectors.Container{Name: "main", Kind: collectors.KindMain, Image: "busybox"}
	startMain, exitMain = taskRecord(collectors.TypeTaskStart, 2.5, "main", "m0", 0), taskRecord(collectors.TypeTaskExit, 8.25, "main", "m0", 137)
	oomMain             = taskRecord(collectors.TypeTaskOOM, 8.2, "main", "m0", 0)
	fixedMain           = value.Container{Name: "main", Kind: "main", Image: "busybox", Ready: value.Some(false), Restarts: value.Some(0)}
)

// mainWith is fixedMain with a change.
func mainWith(change func(*value.Container)) *value.Container {
	c := fixedMain
	change(&c)
	return &c
}

// containerCases are what was recorded of a container, with its value.
var containerCases = []struct {
	name    string
	records []collectors.Record
	want    *value.Container
}{
	{"nothing reported yet: all may come", []collectors.Record{podRecord(1, "myapp-x", "p", "Pending", "Pending", waitingMain)}, &fixedMain},
	{"it runs: the exit may come",
		[]collectors.Record{podRecord(3, "myapp-x", "p", "Running", "Running", mainRunning(2)), startMain},
		mainWith(func(c *value.Container) {
			c.State, c.Reason, c.Ready, c.Started = value.Some("running"), value.None[string](), value.Some(true), value.Some(true)
			c.StartedAt, c.ReadyAt, c.ByRuntime = runtimeTime(2.5), heardTime(3), true
			c.Runs = []value.ContainerRun{{StartedAt: runtimeTime(2.5)}}
		})},
	{"the runtime knows the end, the API says that it runs",
		[]collectors.Record{podRecord(3, "myapp-x", "p", "Running", "Running", mainRunning(2)), startMain, exitMain},
		mainWith(func(c *value.Container) {
			c.State, c.ByRuntime = value.Some("terminated"), true
			c.StartedAt, c.ReadyAt, c.FinishedAt = runtimeTime(2.5), heardTime(3), runtimeTime(8.25)
			c.ExitCode, c.Signal = value.Some(137), value.Some(9)
			c.Runs = []value.ContainerRun{{StartedAt: runtimeTime(2.5), FinishedAt: runtimeTime(8.25), ExitCode: value.Some(137)}}
		})},
	{"out of memory by the runtime",
		[]collectors.Record{podRecord(1, "myapp-x", "p", "Running", "Running", waitingMain), startMain, oomMain, exitMain},
		mainWith(func(c *value.Container) {
			c.State, c.ByRuntime = value.Some("terminated"), true
			c.StartedAt, c.FinishedAt = runtimeTime(2.5), runtimeTime(8.25)
			c.ExitCode, c.Signal, c.OOMKilled = value.Some(137), value.Some(9), value.Some(true)
			c.Runs = []value.ContainerRun{{StartedAt: runtimeTime(2.5), FinishedAt: runtimeTime(8.25), ExitCode: value.Some(137)}}
		})},
	{"ended by itself, by the API alone",
		[]collectors.Record{podRecord(9, "myapp-x", "p", "Running", "Completed", mainDone(3, "Error"))},
		mainWith(func(c *value.Container) {
			c.State, c.Reason = value.Some("terminated"), value.Some("Error")
			c.StartedAt, c.FinishedAt = apiTime(2), apiTime(8)
			c.ExitCode, c.Signal, c.OOMKilled = value.Some(3), value.None[int](), value.Some(false)
			c.Runs = []value.ContainerRun{{StartedAt: apiTime(2), FinishedAt: apiTime(8), ExitCode: value.Some(3)}}
		})},
	{"of a pod that is over and never ran it: nothing will come",
		[]collectors.Record{podRecord(9, "myapp-x", "p", "Failed", "Init:Error", waitingMain)},
		mainWith(func(c *value.Container) {
			c.State, c.Reason, c.Started = value.None[string](), value.None[string](), value.None[bool]()
			c.StartedAt, c.ReadyAt, c.FinishedAt = value.None[value.Time](), value.None[value.Time](), value.None[value.Time]()
			c.ExitCode, c.Signal, c.OOMKilled = value.None[int](), value.None[int](), value.None[bool]()
		})},
}

func TestContainerValues(t *testing.T) {
	for _, test := range containerCases {
		t.Run(test.name, func(t *testing.T) {
			got := Values(timeline(test.records...), "ns").Pods["myapp-x"].Containers[0]
			if diff := cmp.Diff(test.want, got, equateEmptyLines); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// equateEmptyLines takes logs without lines for the same, nil or not.
var equateEmptyLines = cmp.FilterValues(func(a, b value.Log) bool {
	return (a == nil || len(a.Lines()) == 0) && (b == nil || len(b.Lines()) == 0)
}, cmp.Ignore())

func TestValues(t *testing.T) {
	older, newer := podRecord(2, "myapp-a", "a", "Failed", "Error"), podRecord(30, "myapp-b", "b", "Running", "Running")
	newer.Pod.CreatedAt = at(29)
	other := podRecord(3, "other", "o", "Running", "Running")
	other.Pod.Owner = nil
	foreign := podRecord(3, "foreign", "f", "Running", "Running")
	foreign.Object.Namespace = "elsewhere"
	remade := podRecord(40, "other", "o2", "Pending", "Pending")
	remade.Pod.Owner, remade.Pod.CreatedAt = nil, at(39)
	tl := timeline(
		newer, older, other, foreign, remade,
		jobRecord(2, collectors.Job{Active: 1, Failed: 1, StartedAt: at(1), Conditions: map[string]string{"Suspended": "False"}}),
		collectors.Record{Time: at(1), Received: at(1), Source: collectors.SourceLab, Type: collectors.TypeStep,
			Step: &collectors.Step{Name: "job", Verb: "apply", StartedAt: at(0.5), FinishedAt: at(0.75), Error: "no"}},
	)
	o := Values(tl, "ns")
	if len(o.Pods) != 3 || o.Pods["other"].UID != "o2" || o.Pods["foreign"] != nil {
		t.Errorf("pods: %v", o.Pods)
	}
	job := o.Jobs["myapp"]
	if job == nil || len(job.Pods) != 2 || job.Pods[0].Name != "myapp-a" || job.Pods[1] != o.Pods["myapp-b"] {
		t.Fatalf("the newest pod is last: %+v", job)
	}
	if job.Complete || job.Active != 1 || job.Failures != 1 || job.StartedAt != apiTime(1) || job.CompletedAt.State != value.Unknown {
		t.Errorf("job: %+v", job)
	}
	pod := o.Pods["myapp-a"]
	if diff := cmp.Diff(map[string]bool{"Ready": true, "Initialized": false, "Other": false}, pod.Conditions); diff != "" {
		t.Errorf("conditions: %s", diff)
	}
	if pod.IP.State != value.Absent || o.Pods["myapp-b"].IP.State != value.Unknown || pod.DeletedAt.State != value.Unknown {
		t.Errorf("what may come: %+v", pod)
	}
	if s := o.Steps["job"]; s == nil || s.StartedAt.Seconds != 0.5 || s.Error != value.Some("no") {
		t.Errorf("step: %+v", s)
	}
}

func TestValuesOfAFailedJob(t *testing.T) {
	o := Values(timeline(jobRecord(9, collectors.Job{Conditions: map[string]string{"Failed": "True"}})), "")
	if j := o.Jobs["myapp"]; !j.Failed || j.CompletedAt.State != value.Absent {
		t.Errorf("a failed Job has no completion to come: %+v", j)
	}
}

func TestLogValues(t *testing.T) {
	tl := timeline(podRecord(3, "myapp-x", "p", "Running", "Running", mainRunning(2)), logRecord(4.5, "main", "hello"), logRecord(4.6, "side", "no"))
	want := []value.Line{{At: value.Time{Seconds: 4.5, Precision: 1, Source: "log"}, Text: "hello"}}
	if diff := cmp.Diff(want, Values(tl, "ns").Pods["myapp-x"].Containers[0].Log.Lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
