package expect

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/collectors"
)

const seenMain = `job.myapp.pod.container["main"]`

// seen is an expectation over a crafted journal, whose verdict was a wrong one.
type seen struct {
	name, condition, outcome string
	within, hold             float64
	// before are the records that were there when it began, at 10 s.
	before, after []collectors.Record
	want          Status
	reason        string
}

func (s seen) judge(t *testing.T) {
	b := newRealFixture()
	b.scope.Locals = map[string]hcl.Expression{
		"web": b.src.expr(t, "job.myapp.complete"), "pick": b.src.expr(t, `"web"`),
	}
	for _, r := range s.before {
		b.tl.Add(r)
	}
	e := b.expect(t, s.condition, s.within, s.hold)
	e.Outcome = b.src.expr(t, s.outcome)
	v := b.run(t, e, 10, s.after...)
	if v.Status != s.want || !strings.Contains(v.Reason, s.reason) {
		t.Errorf("%v, want %v with %q: %s", v.Status, s.want, s.reason, v.Reason)
	}
}

func judgeAll(t *testing.T, all ...seen) {
	for _, s := range all {
		t.Run(s.name, s.judge)
	}
}

// runs is the Job's pod while "main" runs, since 2 s.
func runs() []collectors.Record {
	return []collectors.Record{
		jobRecord(1, collectors.Job{Active: 1, StartedAt: at(1)}),
		taskRecord(collectors.TypeTaskStart, 2, "main", "m0", 0),
		podRecord(3, "myapp-x", "p", "Running", "Running", mainRunning(2)),
	}
}

// ends is when "main" exits, at 8 s, as the runtime and then the API report it.
func ends(code int, phase, status string) []collectors.Record {
	return append(runs(), taskRecord(collectors.TypeTaskExit, 8, "main", "m0", code),
		podRecord(9, "myapp-x", "p", phase, status, mainDone(code, status)))
}

// TestThatItCameTrueIsNoProof is about conditions that become true because
// something was not seen. Before, they passed.
func TestThatItCameTrueIsNoProof(t *testing.T) {
	const clean = `job.myapp.pod.phase == "Succeeded" && !logged(` + seenMain + `, "ERROR")`
	dropped := append(runs(), logRecord(4, "main", "ERROR"))
	for range collectors.MaxLogLines {
		dropped = append(dropped, logRecord(5, "main", "x"))
	}
	over := podRecord(12, "myapp-x", "p", "Succeeded", "Completed", mainDone(0, "Completed"))
	judgeAll(t,
		seen{name: "the line is among those that were dropped", condition: clean, within: 5, before: dropped, after: []collectors.Record{over},
			want: Error, reason: `lines were no longer kept: the first 1 of the log of container "main"`},
		seen{name: "the line is there", condition: clean, within: 5, before: append(runs(), logRecord(4, "main", "ERROR")), after: []collectors.Record{over},
			want: Fail, reason: "was still false"},
		seen{name: "there is no such line", condition: clean, within: 5, before: runs(), after: []collectors.Record{over}, want: Pass, reason: "was true"},
		seen{name: "two readings of which one is stale", want: Error, reason: `the source "api" saw nothing`, within: 5,
			condition: seenMain + `.exit_code == 5 && job.myapp.pod.phase == "Running" && ` + seenMain + `.ready`,
			before:    append(runs(), gapRecord(9, 9, 0, collectors.SourceAPI, collectors.Object{})),
			after:     []collectors.Record{taskRecord(collectors.TypeTaskExit, 12, "main", "m0", 5)}},
	)
}

// TestALineThatArrivesWhileTheSourcesAreAsked holds that a condition over two
// sources is not true before both were asked: the line arrives 0.3 s after the
// API reports the end. Before, the expectation passed at the API's report.
func TestALineThatArrivesWhileTheSourcesAreAsked(t *testing.T) {
	b := newRealFixture()
	for _, r := range runs() {
		b.tl.Add(r)
	}
	d := New(b.expect(t, `job.myapp.pod.phase == "Succeeded" && !logged(`+seenMain+`, "ERROR")`, 5, 0), b.scope)
	if v, done := d.Begin(at(10)); done {
		t.Fatalf("at the beginning: %v: %s", v.Status, v.Reason)
	}
	d.Observe(at(10), nil)
	for _, r := range []collectors.Record{
		podRecord(12, "myapp-x", "p", "Succeeded", "Completed", mainDone(0, "Completed")), logRecord(12.29, "main", "ERROR"),
	} {
		b.tl.Add(r)
		if v, done := d.Observe(r.Received, &r); done {
			t.Fatalf("before the sources were asked: %v: %s", v.Status, v.Reason)
		}
		if r.Pod != nil && !d.Asks() {
			t.Error("it does not ask the sources")
		}
	}
	d.Observe(at(12), nil) // they have reported all that happened by then
	if v, _ := d.Observe(at(15), nil); v.Status == Pass || v.Status == Pending {
		t.Errorf("%v: %s", v.Status, v.Reason)
	}
}

// TestAGapBeforeTheBeginning is about the past, which a gap may have hidden that
// was over when the expectation began. Before, it was forgotten.
func TestAGapBeforeTheBeginning(t *testing.T) {
	relisted := append(runs(), gapRecord(6, 4, 6, collectors.SourceAPI, collectors.Object{}),
		podRecord(6.1, "myapp-x", "p", "Running", "Running", mainRunning(2)))
	const api = `the source "api" saw nothing from 4.000s to 6.000s`
	unseen := append(runs(), gapRecord(6, 4, 6, collectors.SourceRuntime, collectors.Object{}))
	again := mainRunning(5)
	again.ID, again.Restarts, again.Current = "m2", 2, &collectors.ContainerRun{ID: "m2", StartedAt: at(5)}
	restarted := append(slices.Clone(unseen), podRecord(7, "myapp-x", "p", "Running", "Running", again))
	again.Last = &collectors.ContainerRun{ID: "m1", StartedAt: at(4), FinishedAt: at(4)}
	unended := append(slices.Clone(unseen), podRecord(7, "myapp-x", "p", "Running", "Running", again))
	counted := append(slices.Clone(unended), taskRecord(collectors.TypeTaskExit, 3.5, "main", "m0", 1))
	judgeAll(t,
		seen{name: "as many runs as the API counts", condition: `length(` + seenMain + `.runs) == 3`, before: counted, want: Pass},
		seen{name: "a status that may have been", condition: `!contains(job.myapp.pod.statuses, "Error")`, before: relisted, want: Error, reason: api},
		seen{name: "a status that may have been hidden", condition: `contains(job.myapp.pod.statuses, "Error")`, before: relisted, want: Error, reason: api},
		seen{name: "a status that was seen", condition: `contains(job.myapp.pod.statuses, "Running")`, before: relisted, want: Pass},
		seen{name: "all statuses", condition: `length(job.myapp.pod.statuses) == 1`, before: relisted, want: Error, reason: api},
		seen{name: "events", condition: `length(job.myapp.pod.events) == 0`, before: relisted, want: Error, reason: api},
		seen{name: "runs", condition: `length(` + seenMain + `.runs) == 2`, before: restarted, want: Error, reason: `the source "runtime" saw nothing`},
		seen{name: "the start order", condition: `job.myapp.pod.start_order == ["main"]`, before: restarted, want: Error, reason: `the source "runtime" saw nothing`},
		seen{name: "one run, and no restart", condition: `length(` + seenMain + `.runs) == 1`, before: unseen, want: Pass},
		seen{name: "the start order of one run", condition: `job.myapp.pod.start_order == ["main"]`, before: unseen, want: Pass},
		seen{name: "as many runs as the API counts, of which one has no end", condition: `length(` + seenMain + `.runs) == 3`, before: unended, want: Error, reason: `the source "runtime" saw nothing`},
		seen{name: "what is so now", condition: `pod["myapp-x"].phase == "Running"`, before: relisted, want: Pass},
		seen{name: "without a gap", condition: `!contains(job.myapp.pod.statuses, "Error")`, before: runs(), want: Pass},
	)
}

// deploymentRecord is a Deployment with a number of replicas.
func deploymentRecord(received float64, replicas string) collectors.Record {
	return collectors.Record{
		Time: at(received), Received: at(received), Source: collectors.SourceAPI, Type: collectors.TypeObject,
		Object:  collectors.Object{Kind: "Deployment", Namespace: "ns", Name: "web", UID: "d"},
		Content: &collectors.Content{APIVersion: "apps/v1", CreatedAt: at(1), JSON: []byte(`{"spec": {"replicas": ` + replicas + `}}`)},
	}
}

// TestObjectHasGaps is about object(). Before, it saw no gap.
func TestObjectHasGaps(t *testing.T) {
	const condition = `object("apps/v1", "Deployment", "web").spec.replicas == 2`
	had := []collectors.Record{deploymentRecord(2, "2")}
	gap := gapRecord(12, 11, 12, collectors.SourceAPI, collectors.Object{Kind: "Deployment"})
	judgeAll(t,
		seen{name: "held", condition: condition, hold: 5, before: had, want: Pass},
		seen{name: "held, with a gap", condition: condition, hold: 5, before: had, after: []collectors.Record{gap}, want: Error, reason: `the source "api" saw nothing`},
		seen{name: "never true, with a gap", condition: `object("apps/v1", "Deployment", "web").spec.replicas == 3`, outcome: "false", within: 5, before: had,
			after: []collectors.Record{gap}, want: Error, reason: `the source "api" saw nothing`},
		seen{name: "now, in a gap", condition: condition, before: append(had, gapRecord(9, 9, 0, collectors.SourceAPI, collectors.Object{Kind: "Deployment"})),
			want: Error, reason: `the source "api" saw nothing`},
		seen{name: "a gap of another kind", condition: condition, hold: 5, before: had,
			after: []collectors.Record{gapRecord(12, 11, 12, collectors.SourceAPI, collectors.Object{Kind: "Service"})}, want: Pass},
		seen{name: "not there, with a gap", condition: `object("v1", "ConfigMap", "none") != null`, outcome: "false", within: 5, before: had,
			after: []collectors.Record{gapRecord(12, 11, 12, collectors.SourceAPI, collectors.Object{})}, want: Error, reason: `the source "api" saw nothing`},
	)
}

// TestComputedLocalsAreFollowed is about locals whose names are computed. Before,
// gaps of what they read were ignored, and one that became true was not looked at
// again.
func TestComputedLocalsAreFollowed(t *testing.T) {
	const condition = "local[local.pick]"
	active := []collectors.Record{jobRecord(1, collectors.Job{Active: 1})}
	complete := jobRecord(12, collectors.Job{Conditions: map[string]string{"Complete": "True"}})
	judgeAll(t,
		seen{name: "came true", condition: condition, within: 5, before: active, after: []collectors.Record{complete}, want: Pass},
		seen{name: "never true", condition: condition, within: 5, outcome: "false", before: active, want: Pass},
		seen{name: "never true, with a gap", condition: condition, within: 5, outcome: "false", before: active,
			after: []collectors.Record{gapRecord(12, 11, 12, collectors.SourceAPI, collectors.Object{})}, want: Error, reason: `the source "api" saw nothing`},
	)
}

// TestALogBeforeItsContainerStarted is about logged(), which is unknown before
// there can be a line. Before, it was false.
func TestALogBeforeItsContainerStarted(t *testing.T) {
	created := []collectors.Record{jobRecord(1, collectors.Job{Active: 1}),
		podRecord(2, "myapp-x", "p", "Pending", "ContainerCreating", collectors.Container{Name: "main", State: "waiting", Reason: "ContainerCreating"})}
	starts := taskRecord(collectors.TypeTaskStart, 12, "main", "m0", 0)
	const never = `!logged(` + seenMain + `, "ERROR")`
	judgeAll(t,
		seen{name: "not started", condition: never, before: created, want: Fail, reason: "was still unknown"},
		seen{name: "started", condition: never, before: created, after: []collectors.Record{starts}, want: Pass, reason: "was true after 2.01s"},
		seen{name: "started, and logged", condition: never, before: created, want: Fail, hold: 5,
			after: []collectors.Record{starts, logRecord(13, "main", "ERROR")}, reason: "false"},
		seen{name: "perhaps started, unseen, so that it may have been false at the beginning", condition: `logged(` + seenMain + `, "works")`,
			before: append(created, gapRecord(9, 9, 0, collectors.SourceRuntime, collectors.Object{})),
			after:  []collectors.Record{logRecord(13, "main", "works")}, want: Error, reason: `the source "runtime" saw nothing`},
	)
}

// TestReadyWhileTheAPIWasAway is about a container that became ready in a gap in
// which nothing was lost: when it became ready is unknown for good. Before, the
// reason was forgotten once the gap was over, and the verdict was a Fail.
func TestReadyWhileTheAPIWasAway(t *testing.T) {
	unready := mainRunning(2)
	unready.Ready = false
	before := append(runs()[:2:2], podRecord(3, "myapp-x", "p", "Running", "NotReady", unready))
	over := gapRecord(9, 4, 9, collectors.SourceAPI, collectors.Object{})
	over.Gap.Count = 0
	judgeAll(t, seen{name: "reported late", condition: seenMain + `.ready_at > 3`, within: 5, want: Error, reason: `the source "api" saw nothing from 4.000s`,
		before: append(before, gapRecord(4.5, 4, 0, collectors.SourceAPI, collectors.Object{}),
			podRecord(8.9, "myapp-x", "p", "Running", "Running", mainRunning(2)), over)})
}

// TestAHoldThatMayNotHaveBegun is about a condition that is true at the beginning
// over what is known then, and no longer known before the sources were asked:
// another run began that nobody had reported. Before, that it then was unknown was
// a Fail.
func TestAHoldThatMayNotHaveBegun(t *testing.T) {
	failed := []collectors.Record{
		gapRecord(2.5, 2, 2.5, collectors.SourceRuntime, collectors.Object{}),
		taskRecord(collectors.TypeTaskStart, 3, "main", "m0", 0), taskRecord(collectors.TypeTaskExit, 4, "main", "m0", 1),
	}
	done := mainDone(1, "Error")
	done.ID, done.Current.ID = "m0", "m0"
	known := append([]collectors.Record{jobRecord(1, collectors.Job{Active: 1})}, append(failed, podRecord(5, "myapp-x", "p", "Running", "Error", done))...)
	again := taskRecord(collectors.TypeTaskStart, 10.2, "main", "m1", 0)
	again.Time = at(9.8) // it began before the expectation
	running := mainRunning(9)
	running.ID, running.Restarts = "m1", 1
	running.Current = &collectors.ContainerRun{ID: "m1", StartedAt: at(9)}
	running.Last = &collectors.ContainerRun{ID: "m0", StartedAt: at(3), FinishedAt: at(4), ExitCode: 1}
	b := newRealFixture()
	for _, r := range known {
		b.tl.Add(r)
	}
	d := New(b.expect(t, `max([for r in `+seenMain+`.runs : r.exit_code]...) > 0`, 0, 5), b.scope)
	d.Begin(at(10))
	observe := func(r collectors.Record) {
		b.tl.Add(r)
		d.Observe(r.Received, &r)
	}
	observe(again)
	d.Observe(at(10), nil) // the sources have reported all that happened by then
	observe(podRecord(11.5, "myapp-x", "p", "Running", "Running", running))
	d.Observe(at(11.5), nil)
	observe(taskRecord(collectors.TypeTaskExit, 12, "main", "m1", 2))
	var v Verdict
	for decided := false; !decided; {
		v, decided = d.Observe(d.Deadline(), nil)
	}
	if v.Status != Error {
		t.Errorf("%v, want %v: %s", v.Status, Error, v.Reason)
	}
}

// TestOneStateOfAContainer is about a container whose end the runtime has
// reported and the API has not. Before, each attribute was of one of the two.
func TestOneStateOfAContainer(t *testing.T) {
	exits := taskRecord(collectors.TypeTaskExit, 12, "main", "m0", 0)
	api := podRecord(13, "myapp-x", "p", "Succeeded", "Completed", mainDone(0, "Completed"))
	judgeAll(t,
		seen{name: "terminated from the runtime's report on", condition: seenMain + `.exit_code == 0 && ` + seenMain + `.state == "terminated" && ` + seenMain + `.restarts == 0`,
			within: 5, hold: 3, before: runs(), after: []collectors.Record{exits, api}, want: Pass, reason: "for the whole 3s"},
		seen{name: "terminated now, 7 ms after the runtime's report", condition: seenMain + `.state == "terminated" && ` + seenMain + `.restarts == 0`, hold: 3,
			before: append(runs(), taskRecord(collectors.TypeTaskExit, 9.983, "main", "m0", 0)), after: []collectors.Record{api}, want: Pass},
		seen{name: "not ready with an exit code", condition: seenMain + `.exit_code == 0 && ` + seenMain + `.ready`, within: 5, outcome: "false",
			before: runs(), after: []collectors.Record{exits, api}, want: Pass},
		seen{name: "not running with an exit code", condition: seenMain + `.exit_code == 0 && ` + seenMain + `.state == "running"`, within: 5, outcome: "false",
			before: runs(), after: []collectors.Record{exits, api}, want: Pass},
	)
}

// TestWhatIsNotThereYetIsWaitedFor is about elements of lists that were not
// observed yet. Before, they were an immediate Error.
func TestWhatIsNotThereYetIsWaitedFor(t *testing.T) {
	created := []collectors.Record{jobRecord(1, collectors.Job{Active: 1}),
		podRecord(2, "myapp-x", "p", "Pending", "ContainerCreating", collectors.Container{Name: "main", State: "waiting", Reason: "ContainerCreating"})}
	event := collectors.Record{Time: at(12), Received: at(12), Source: collectors.SourceAPI, Type: collectors.TypeEvent, Object: podObject("myapp-x", "p"),
		Event: &collectors.Event{Reason: "Started", LastAt: at(12), FirstAt: at(12), Count: 1}}
	later := []collectors.Record{
		taskRecord(collectors.TypeTaskStart, 11, "main", "m0", 0), event, logRecord(12.5, "main", "works: 7"),
		taskRecord(collectors.TypeTaskExit, 13, "main", "m0", 0),
		podRecord(14, "myapp-x", "p", "Succeeded", "Completed", mainDone(0, "Completed")),
	}
	for _, condition := range []string{
		seenMain + `.runs[0].started_at > 5`, seenMain + `.runs[0].exit_code == 0`, seenMain + `.log.lines[0].text == "works: 7"`,
		`job.myapp.pod.events[0].reason == "Started"`, `job.myapp.pod.exit_order[0] == "main"`, `index(job.myapp.pod.exit_order, "main") == 0`,
		`max(job.myapp.pod.containers[*].finished_at...) > 9`, `max([for r in ` + seenMain + `.runs : r.exit_code]...) == 0`,
		`regex("works: ([0-9]+)", ` + seenMain + `.log.text)[0] == "7"`,
		`[for c in job.myapp.pod.containers : c.exit_code] == [0]`, `job.myapp.pod.containers[*].exit_code == [0]`,
	} {
		t.Run(condition, func(t *testing.T) {
			judgeAll(t,
				seen{name: "it comes", condition: condition, within: 9, before: created, after: later, want: Pass, reason: "was true after"},
				seen{name: "it does not come", condition: condition, within: 9, before: created, want: Fail, reason: "was still unknown"},
			)
		})
	}
}
