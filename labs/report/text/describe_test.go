package text

import (
	"testing"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
)

func TestNodesAreTold(t *testing.T) {
	for text, want := range map[string]string{
		`{"status":{"conditions":[{"type":"MemoryPressure","status":"False"},{"type":"Ready","status":"True","reason":"KubeletReady"}]}}`:                                       "node n1 is Ready",
		`{"spec":{"unschedulable":true},"status":{"conditions":[{"type":"DiskPressure","status":"Unknown"},{"type":"Ready","status":"Unknown","reason":"NodeStatusUnknown"}]}}`: "node n1 is not Ready (Unknown: NodeStatusUnknown), DiskPressure is Unknown, cordoned",
		`{}`: "node n1 has not reported its state",
		``:   "node n1 changed",
	} {
		r := collectors.Record{Type: collectors.TypeObject, Object: collectors.Object{Kind: "Node", Name: "n1"}, Content: &collectors.Content{APIVersion: "v1", JSON: []byte(text)}}
		if got := Describe(r); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestRecordsSayWhyAJobFailedAndWhatAGapIsOf(t *testing.T) {
	job := &collectors.Job{Failed: 3, Conditions: map[string]string{"Failed": "True", "Suspended": "False"},
		ConditionDetails: map[string]collectors.Condition{"Failed": {Reason: "BackoffLimitExceeded"}, "Suspended": {Reason: "JobResumed"}}}
	gap := &collectors.Gap{From: reporttest.At(1), To: reporttest.At(3), Count: -1, Reason: "the watch ended"}
	for want, r := range map[string]collectors.Record{
		"job myapp active 0, succeeded 0, failed 3, Failed (BackoffLimitExceeded)": {Type: collectors.TypeJob, Object: collectors.Object{Kind: "Job", Name: "myapp"}, Job: job},
		"gap: api did not see any Job for 2s: the watch ended":                     {Type: collectors.TypeGap, Source: collectors.SourceAPI, Object: collectors.Object{Kind: "Job"}, Gap: gap},
		"gap: log did not see anything for 2s: the watch ended":                    {Type: collectors.TypeGap, Source: collectors.SourceLog, Gap: gap},
	} {
		if got := Describe(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestEveryRecordIsDescribed has a record of each type, and of those that lack
// what belongs to their type.
func TestEveryRecordIsDescribed(t *testing.T) {
	object := func(kind string) collectors.Object { return collectors.Object{Kind: kind, Name: "web"} }
	for name, test := range map[string]struct {
		r    collectors.Record
		want string
	}{
		"a pod":                    {collectors.Record{Type: collectors.TypePod, Object: object("Pod"), Pod: &collectors.Pod{Status: "Running", Ready: "1/1"}}, "pod web Running (1/1)"},
		"a pod without STATUS":     {collectors.Record{Type: collectors.TypePod, Object: object("Pod"), Pod: &collectors.Pod{}}, "pod web without STATUS"},
		"a pod that is gone":       {collectors.Record{Type: collectors.TypePodGone, Object: object("Pod")}, "pod web is gone"},
		"a Job":                    {collectors.Record{Type: collectors.TypeJob, Object: object("Job"), Job: &collectors.Job{Active: 1}}, "job web active 1, succeeded 0, failed 0"},
		"a Job that is gone":       {collectors.Record{Type: collectors.TypeJobGone, Object: object("Job")}, "job web is gone"},
		"an object":                {collectors.Record{Type: collectors.TypeObject, Object: object("Deployment"), Content: &collectors.Content{}}, "deployment web changed"},
		"an object that is gone":   {collectors.Record{Type: collectors.TypeObjectGone, Object: object("Node")}, "node web is gone"},
		"an event":                 {collectors.Record{Type: collectors.TypeEvent, Object: object("Pod"), Event: &collectors.Event{Reason: "Pulled", Message: "it is there"}}, "event of pod web: Pulled: it is there"},
		"a start":                  {collectors.Record{Type: collectors.TypeTaskStart, Object: object("Pod"), Container: "main"}, "container web/main started"},
		"an exit":                  {collectors.Record{Type: collectors.TypeTaskExit, Object: object("Pod"), Container: "main", Task: &collectors.Task{ExitCode: 143}}, "container web/main exited 143 SIGTERM"},
		"an exit without its code": {collectors.Record{Type: collectors.TypeTaskExit, Object: object("Pod")}, "task-exit web"},
		"a log line":               {reporttest.LogRecord(1, "web", "main", "hello", ""), "log web/main: hello"},
		"a step that begins":       {collectors.Record{Type: collectors.TypeStepBegin, Step: &collectors.Step{Verb: "apply", Name: "job"}}, "step apply job begins"},
		"another version's":        {collectors.Record{Type: "dream", Object: object("Pod")}, "dream web"},
		"a gap that goes on":       {collectors.Record{Type: collectors.TypeGap, Source: collectors.SourceAPI, Object: object("Pod"), Gap: &collectors.Gap{Reason: "refused"}}, "gap: api has not seen web since then: refused"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Describe(test.r); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestStepsSayWhatTheyDid(t *testing.T) {
	for name, test := range map[string]struct {
		step collectors.Step
		want string
	}{
		"a command":               {collectors.Step{Verb: "exec", Name: "say", ExitCode: reporttest.Ptr(3)}, "step exec say ended with exit code 3"},
		"a command by its code":   {collectors.Step{Verb: "exec", Name: "say", ExitCode: reporttest.Ptr(1), Error: "exit code 1"}, "step exec say ended with exit code 1"},
		"a rejection":             {collectors.Step{Verb: "apply", Name: "job", Error: "denied"}, "step apply job was refused: denied"},
		"objects":                 {collectors.Step{Verb: "apply", Name: "all", Objects: []collectors.Object{{Kind: "Job", Name: "a"}, {Kind: "ConfigMap", Name: "b"}}}, "step apply all did job/a, configmap/b"},
		"an expectation":          {collectors.Step{Verb: "expect", Name: "it runs"}, "step expect it runs was decided"},
		"a wait":                  {collectors.Step{Verb: "wait", Name: "for it"}, "step wait for it was decided"},
		"nothing more to say":     {collectors.Step{Verb: "sleep", Name: "a little"}, "step sleep a little was done"},
		"a step without its name": {collectors.Step{Verb: "sleep"}, "step sleep was done"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Describe(collectors.Record{Type: collectors.TypeStep, Step: &test.step}); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestAPodTellsWhatChanged compares a pod with what it was before.
func TestAPodTellsWhatChanged(t *testing.T) {
	running, done := collectors.Container{Name: "a", State: "running"}, collectors.Container{Name: "a", State: "terminated", Reason: "Completed", Current: &collectors.ContainerRun{}}
	waiting := collectors.Container{Name: "b", State: "waiting", Reason: "CrashLoopBackOff", Restarts: 1}
	pod := func(all ...collectors.Container) *collectors.Pod {
		return &collectors.Pod{Status: "Running", Ready: "1/2", Containers: all}
	}
	deleted := pod(running, waiting)
	deleted.DeletedAt = reporttest.At(3)
	for name, test := range map[string]struct {
		before, now *collectors.Pod
		want        string
	}{
		"the first that is seen of it": {nil, pod(running, waiting), "Running (1/2): a running, b waiting (CrashLoopBackOff), 1 restart"},
		"one container ended":          {pod(running, waiting), pod(done, waiting), "Running (1/2): a exited 0"},
		"nothing":                      {pod(running), pod(running), "Running (1/2)"},
		"another container":            {pod(running), pod(running, waiting), "Running (1/2): b waiting (CrashLoopBackOff), 1 restart"},
		"it is deleted":                {pod(running, waiting), deleted, "Running (1/2): is being deleted"},
		"it was deleted before":        {deleted, deleted, "Running (1/2)"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := PodText(test.before, test.now); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
