package value

import (
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// partialLog is a log of which lines are missing.
type partialLog struct {
	kept Lines
	why  string
}

func (l partialLog) Lines() []Line { return l.kept }

func (l partialLog) First(pattern *regexp.Regexp) (Line, bool) { return l.kept.First(pattern) }

func (l partialLog) Lacks(*regexp.Regexp) string { return l.why }

// The reasons why the sources of unseenScope did not see something.
const (
	podBlind   = "the watch of the pods broke off"
	lifeBlind  = "the events of the runtime broke off"
	logLacks   = "the log was rotated"
	listLacks  = "the pod was seen late"
	jobMissed  = "the watch of the Jobs broke off"
	deployGone = "the watch of the deployments broke off"
)

// unseenScope has a pod and objects that are seen in part.
func unseenScope() *Scope {
	line := Line{Time{Seconds: 2}, "ready"}
	return &Scope{
		Pods: map[string]*Pod{
			"blind": {Name: "blind", Phase: "Running", Blind: podBlind},
			"part": {
				Name: "part", Phase: "Running", Statuses: []string{"Pending", "Running"}, StatusesLack: listLacks,
				StartOrder: []string{"a", "b"}, OrderLacks: listLacks, Events: []Event{{Reason: "Started", Type: "Normal", Count: 1}}, EventsLack: listLacks,
				Containers: []*Container{
					{Name: "a", State: Some("running"), Blind: lifeBlind, StartedAt: runtime(1), EndBlind: lifeBlind, Image: "busybox"},
					{Name: "b", ExitCode: Some(0), StartedAt: runtime(1), FinishedAt: runtime(3), Runs: []ContainerRun{{runtime(1), runtime(3), Some(0)}}, RunsLack: listLacks,
						Log: partialLog{Lines{line}, logLacks}},
					{Name: "c", StartedAt: runtime(2), FinishedAt: runtime(4), ReadyAt: runtime(2), ReadyBlind: podBlind, ByRuntime: true, Log: Lines{line}},
				},
			},
			"whole": {Name: "whole", Phase: "Failed", Statuses: []string{"Error"}, Containers: []*Container{{Name: "a", ExitCode: Some(1), StartedAt: runtime(1), Log: Lines{line}}}},
		},
		Jobs: map[string]*Job{
			"part":  {Name: "part", Pods: []*Pod{{Name: "p1", Phase: "Failed"}}, PodsLack: listLacks},
			"blind": {Name: "blind", Complete: true, Blind: jobMissed},
		},
		Steps: map[string]*Step{"a": {ExitCode: Some(0)}},
		Objects: map[ObjectKey]*Object{
			{Kind{"apps/v1", "Deployment"}, "web"}: {Name: "web", Blind: deployGone, Fields: map[string]any{"a": "x"}},
		},
		Missed: map[Stream]string{JobStream: jobMissed, ObjectStream("Deployment"): deployGone},
	}
}

const partA, partB, partC = `pod.part.container["a"]`, `pod.part.container["b"]`, `pod.part.container["c"]`

// unseenCases are expressions with their results and the reasons for these.
var unseenCases = []struct {
	expr, want string
	unseen     []string
}{
	{`pod.blind.phase == "Running"`, NotObserved, []string{podBlind}},
	{`pod.part.phase == "Running"`, "true", nil},
	{`pod.absent.phase == "Running"`, NotObserved, nil},
	{partA + `.state == "running"`, NotObserved, []string{lifeBlind}},
	{partA + `.started_at > 0`, NotObserved, []string{lifeBlind}},
	{partA + `.image == "busybox"`, "true", nil},
	{partA + `.name == "a"`, "true", nil},
	{partC + `.ready_at > 0`, NotObserved, []string{podBlind}},
	{partC + `.started_at > 0`, "true", nil},

	// What was seen is enough for some, and not for others.
	{`contains(pod.part.statuses, "Running")`, "true", nil},
	{`contains(pod.part.statuses, "Error")`, NotObserved, []string{listLacks}},
	{`pod.part.statuses == ["Pending", "Running"]`, NotObserved, []string{listLacks}},
	{`pod.part.start_order[0] == "a"`, NotObserved, []string{listLacks}},
	{`index(pod.part.start_order, "a") == 0`, NotObserved, []string{listLacks}},
	{`length(pod.part.statuses) >= 2`, "true", nil},
	{`length(pod.part.statuses) == 2`, NotObserved, []string{listLacks}},
	{`length(pod.part.statuses) == 1`, "false", nil},
	{`length(pod.part.statuses) < 2`, "false", nil},
	{`anytrue([for e in pod.part.events : e.reason == "Started"])`, "true", nil},
	{`anytrue([for e in pod.part.events : e.reason == "Killing"])`, NotObserved, []string{listLacks}},
	{`alltrue([for e in pod.part.events : e.reason == "Killing"])`, "false", nil},
	{`alltrue([for e in pod.part.events : e.reason == "Started"])`, NotObserved, []string{listLacks}},
	{`anytrue([for p in job.part.pods : p.phase == "Failed"])`, "true", nil},
	{`job.part.pod.phase == "Failed"`, NotObserved, []string{listLacks}},
	{`length(` + partB + `.runs) == 1`, NotObserved, []string{listLacks}},
	{`overlaps(` + partB + `, ` + partC + `)`, "true", nil},

	// Logs.
	{`logged(` + partB + `, "ready")`, "true", nil},
	{`logged(` + partB + `, "panic")`, NotObserved, []string{logLacks}},
	{`log_time(` + partB + `, "ready") > 0`, NotObserved, []string{logLacks}},
	{`logged(` + partC + `, "panic")`, "false", nil},
	{`log_time(` + partC + `, "ready") == 2`, "true", nil},
	{`length(regexall("panic", ` + partB + `.log.text)) == 0`, NotObserved, []string{logLacks}},

	// Objects that may have been there.
	{`job.absent.complete`, NotObserved, []string{jobMissed}},
	{`job.blind.complete`, NotObserved, []string{jobMissed}},
	{`job[lower("BLIND")].complete`, NotObserved, []string{jobMissed}},
	{`job[lower("NONE")].complete`, NotObserved, []string{jobMissed}},
	{`deployment.web.a == "x"`, NotObserved, []string{deployGone}},
	{`deployment.other.a == "x"`, NotObserved, []string{deployGone}},
	{`object("apps/v1", "Deployment", "web").a == "x"`, NotObserved, []string{deployGone}},

	// A side that decides does not wait for what was not seen.
	{`pod.blind.phase == "Running" && false`, "false", nil},
	{`pod.part.phase == "Running" || job.blind.complete`, "true", nil},
	{`pod.blind.phase == "Running" || job.blind.complete`, NotObserved, []string{jobMissed, podBlind}},
	{`!(pod.blind.phase == "Running")`, NotObserved, []string{podBlind}},
	{`pod.blind.phase == "Running" ? true : true`, "true", nil},
	{`step.a.exit_code == 0`, "true", nil},
}

// TestWhatWasNotSeenIsToldAsTheReason asks what was not seen makes of values,
// and why they are not known.
func TestWhatWasNotSeenIsToldAsTheReason(t *testing.T) {
	for _, tt := range unseenCases {
		t.Run(tt.expr, func(t *testing.T) {
			f, diags := unseenScope().Find(parse(t, tt.expr))
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if got := Format(f.Value); got != tt.want {
				t.Errorf("is %s, want %s", got, tt.want)
			}
			if diff := cmp.Diff(tt.unseen, f.Unseen); diff != "" {
				t.Errorf("the reasons (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReads tells what a value was read from.
func TestReads(t *testing.T) {
	life := func(name string) Read { return Read{Stream: LifeStream, Name: "part", Container: name} }
	for _, tt := range []struct {
		expr string
		want Read
	}{
		{`pod.part.phase == "Running"`, Read{Stream: PodStream, Name: "part"}},
		{`pod.absent.phase == "Running"`, Read{Stream: PodStream, Name: "absent"}},
		{`pod[lower("ABSENT")].phase == "Running"`, Read{Stream: PodStream, Name: "absent"}},
		{`pod.part.container["b"].state == "x"`, life("b")},
		{`pod.part.container["c"].started_at > 0`, Read{Stream: RuntimeStream, Name: "part", Container: "c"}},
		{`pod.part.container["b"].started_at > 0`, life("b")},
		{`contains(pod.part.start_order, "a")`, Read{Stream: LifeStream, Name: "part"}},
		{`length(pod.part.events) > 0`, Read{Stream: EventStream, Name: "part"}},
		{`logged(pod.whole.container["a"], "^re")`, Read{Stream: LogStream, Name: "whole", Container: "a", Pattern: "^re"}},
		{`pod.whole.container["a"].log.text == "ready\n"`, Read{Stream: LogStream, Name: "whole", Container: "a"}},
		{`job.part.active == 0`, Read{Stream: JobStream, Name: "part"}},
		{`length(job.part.pods) > 0`, Read{Stream: PodStream, Job: "part"}},
		{`deployment.web.a == "x"`, Read{Stream: ObjectStream("Deployment"), Name: "web"}},
		{`object("v1", "Pod", "p").status.phase == "x"`, Read{Stream: ObjectStream("Pod"), Name: "p"}},
		{`length([for p in pod : p.phase]) == 3`, Read{Stream: PodStream}},
		{`step.a.exit_code == 0 && step.b.exit_code == 0`, Read{Stream: StepStream, Name: "b"}},
		// The condition is unknown, and both results are the same.
		{`pod.absent.phase == "x" ? pod.part.phase != "" : job.part.active >= 0`, Read{Stream: PodStream, Name: "part"}},
		{`pod.absent.phase == "x" ? pod.part.phase != "" : job.part.active >= 0`, Read{Stream: JobStream, Name: "part"}},
		{`can(pod.part.container["none"].ready)`, Read{Stream: PodStream, Name: "part"}},
	} {
		t.Run(tt.expr, func(t *testing.T) {
			f, diags := unseenScope().Find(parse(t, tt.expr))
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if !slices.Contains(f.Reads, tt.want) {
				t.Errorf("read from %+v, want %+v among them", f.Reads, tt.want)
			}
			if !slices.IsSortedFunc(f.Reads, compareReads) || len(slices.Compact(slices.Clone(f.Reads))) != len(f.Reads) {
				t.Errorf("read from %+v: not each once, in order", f.Reads)
			}
		})
	}
}

// TestLogsAreReadOnlyIfAsked holds that the answer does not depend on whether a
// log was at hand from the start.
func TestLogsAreReadOnlyIfAsked(t *testing.T) {
	for src, want := range map[string]bool{
		`pod.whole.phase == "Failed"`:                                                   false,
		`logged(pod.whole.container["a"], "ready")`:                                     false, // it looks by itself
		`pod.whole.container["a"].log.text == "ready\n"`:                                true,
		`pod.whole.container["a"].log.lines[0].text == "ready"`:                         true,
		`pod.whole.phase == "Failed" || pod.whole.container["a"].log.text == "x"`:       false,
		`pod.whole.phase == "Running" || pod.whole.container["a"].log.text == "x"`:      true,
		`alltrue([for p in pod : anytrue([for c in p.containers : c.log.text == ""])])`: true,
	} {
		if got := unseenScope().asksForLogs(parse(t, src)); got != want {
			t.Errorf("%s: asks for logs %t, want %t", src, got, want)
		}
	}
}

func TestStreamsNameTheirKind(t *testing.T) {
	for stream, want := range map[Stream]string{
		PodStream: "Pod", JobStream: "Job", EventStream: "Event", LifeStream: "", RuntimeStream: "", LogStream: "", StepStream: "",
		ObjectStream("Deployment"): "Deployment", ObjectStream("Pod"): "Pod",
	} {
		if got := stream.Kind(); got != want {
			t.Errorf("%s is of kind %q, want %q", stream, got, want)
		}
	}
}
