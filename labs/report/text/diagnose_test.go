package text

import (
	"bytes"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
	"github.com/kind-lab/lab/labs/report/layout"
)

// diagnosis is an expectation that does not come out, with what was observed.
type diagnosis struct {
	name string
	// body is what the block holds beside its name.
	body         string
	within, hold time.Duration
	invariant    bool
	records      []collectors.Record
}

const podName = "myapp-x7k2p"

var (
	ownJob = collectors.Object{Kind: "Job", Namespace: "lab-native", Name: "myapp", UID: "uid-job"}
	second = time.Second
)

// ownPod is the Job's pod as the API shows it.
func ownPod(seconds float64, status, ready string, containers ...collectors.Container) collectors.Record {
	r := reporttest.PodRecord(seconds, podName, status, ready, containers...)
	r.Pod.Owner, r.Pod.Phase, r.Pod.CreatedAt = &ownJob, "Running", reporttest.At(1)
	for i := range r.Pod.Containers {
		c := &r.Pod.Containers[i]
		c.Kind, c.Image, c.ID = "main", "busybox:1.35", c.Name+"-id"
	}
	return r
}

func ownJobRecord(seconds float64, j collectors.Job) collectors.Record {
	return collectors.Record{Time: reporttest.At(seconds), Received: reporttest.At(seconds), Precision: time.Second, Source: collectors.SourceAPI,
		Type: collectors.TypeJob, Object: ownJob, Job: &j}
}

func started(seconds float64, container string) collectors.Record {
	return reporttest.TaskRecord(seconds, podName, container, collectors.TypeTaskStart, 0)
}

func exited(seconds float64, container string, code int) collectors.Record {
	return reporttest.TaskRecord(seconds, podName, container, collectors.TypeTaskExit, code)
}

func running(names ...string) []collectors.Container {
	var all []collectors.Container
	for _, name := range names {
		all = append(all, collectors.Container{Name: name, State: "running", Ready: true})
	}
	return all
}

// byAPI are containers of which the API alone tells when they ended.
func byAPI(ends map[string]float64) []collectors.Container {
	var all []collectors.Container
	for _, name := range []string{"main", "side"} {
		all = append(all, collectors.Container{Name: name, State: "terminated", Reason: "Completed",
			Current: &collectors.ContainerRun{ID: name + "-id", StartedAt: reporttest.At(1.75), FinishedAt: reporttest.At(ends[name])}})
	}
	return all
}

func diagnoses() []diagnosis {
	up := []collectors.Record{
		ownJobRecord(1, collectors.Job{Active: 1}), ownPod(1.2, "ContainerCreating", "0/2", running()...),
		started(2.25, "main"), started(2.5, "side"), ownPod(3.1, "Running", "2/2", running("main", "side")...),
	}
	with := func(more ...collectors.Record) []collectors.Record { return append(up[:len(up):len(up)], more...) }
	mainEnded := collectors.Container{Name: "main", State: "terminated", Reason: "Completed",
		Current: &collectors.ContainerRun{ID: "main-id", StartedAt: reporttest.At(1.75), FinishedAt: reporttest.At(7.75)}}
	notReady := ownPod(9.1, "NotReady", "1/2", mainEnded, running("side")[0])
	pulling := func(seconds float64, status, message string) collectors.Record {
		return ownPod(seconds, status, "0/1", collectors.Container{Name: "main", State: "waiting", Reason: status, Message: message})
	}
	gap := collectors.Record{Time: reporttest.At(14), Received: reporttest.At(14), Precision: time.Millisecond, Source: collectors.SourceAPI, Type: collectors.TypeGap,
		Gap: &collectors.Gap{From: reporttest.At(11.2), To: reporttest.At(14), Reason: "the watch was lost: http2: client connection lost", Count: -1}}
	const main, side = `job.myapp.pod.container["main"]`, `job.myapp.pod.container["side"]`
	return []diagnosis{
		{name: "never-observed", body: `condition = job.myapp.pod.status == "Running"`, within: 20 * second, records: nil},
		{name: "wrong-value", body: `condition = job.myapp.pod.status == "Completed"`, within: 20 * second, records: with(exited(8.125, "main", 0), notReady)},
		{name: "one-operand", within: 20 * second, records: with(exited(8.125, "main", 3), notReady),
			body: `condition = job.myapp.pod.ready == "1/2" && (` + main + `.exit_code == 0 || job.myapp.failed)`},
		{name: "order-wrong", body: `condition = ` + side + `.finished_at > ` + main + `.finished_at`, records: with(exited(8.105, "side", 0), exited(8.125, "main", 0))},
		{name: "order-of-three", body: `condition = ordered([` + main + `.started_at, ` + side + `.started_at, ` + side + `.finished_at, ` + main + `.finished_at])`,
			records: with(exited(8.145, "side", 0), exited(8.125, "main", 0))},
		{name: "order-undecidable", body: `condition = ` + main + `.finished_at < ` + side + `.finished_at`,
			records: []collectors.Record{ownJobRecord(1, collectors.Job{Active: 1}), ownPod(9.1, "Completed", "0/2", byAPI(map[string]float64{"main": 7.75, "side": 7.75})...)}},
		{name: "hold-broken", body: "condition = !job.myapp.complete", hold: 15 * second,
			records: with(exited(8.125, "main", 0), notReady, ownJobRecord(13.5, collectors.Job{Succeeded: 1, Conditions: map[string]string{"Complete": "True"}}))},
		{name: "came-true", body: "condition = job.myapp.pod.status == \"NotReady\"\noutcome = false", within: 15 * second, records: with(exited(8.125, "main", 0), notReady)},
		{name: "invariant-broken", body: `condition = alltrue([for c in job.myapp.pod.containers : c.restarts == 0])`, invariant: true,
			records: with(func() collectors.Record {
				r := ownPod(12.4, "Running", "2/2", running("main", "side")...)
				r.Pod.Containers[1].Restarts = 1
				return r
			}())},
		{name: "never-terminated", body: `condition = ` + side + `.exit_code == 0`, within: 20 * second, records: with(exited(8.125, "main", 0), notReady)},
		{name: "missing-image", body: "condition = " + main + ".exit_code == 0\nmessage = \"main ended with ${" + main + ".exit_code}\"", within: 20 * second,
			records: []collectors.Record{ownJobRecord(1, collectors.Job{Active: 1}), pulling(2.2, "ContainerCreating", ""),
				pulling(4, "ErrImagePull", "failed to pull and unpack image \"docker.io/library/busybox:nope\": failed to resolve reference:\n  docker.io/library/busybox:nope: not found"),
				pulling(17, "ImagePullBackOff", `Back-off pulling image "busybox:nope"`)}},
		{name: "stuck", body: "condition = job.myapp.pod.status == \"Completed\"", within: 20 * second,
			records: []collectors.Record{ownJobRecord(1, collectors.Job{Active: 1}), pulling(2.2, "ContainerCreating", ""),
				pulling(4, "ErrImagePull", `failed to pull and unpack image "nowhere.invalid/no/such:1.0": failed to resolve reference "nowhere.invalid/no/such:1.0": failed to do request: Head "https://nowhere.invalid/v2/no/such/manifests/1.0": dial tcp: lookup nowhere.invalid on 172.18.0.1:53: no such host`),
				pulling(17, "ImagePullBackOff", `Back-off pulling image "nowhere.invalid/no/such:1.0"`)}},
		{name: "evaluation-error", body: `condition = job.myapp.pod.container["sidecar"].exit_code == 0`, within: 20 * second, records: up},
		{name: "gap", body: "condition = job.myapp.complete\noutcome = false", within: 15 * second, records: with(gap)},
		{name: "list", body: `condition = job.myapp.pod.statuses == ["ContainerCreating", "Running", "Completed"]`, within: 10 * second, records: with(notReady)},
		{name: "by-a-local", body: "condition = local.ended", within: 10 * second, records: with(exited(8.125, "main", 0))},
	}
}

// decide runs a diagnosis from the 10th second on.
func (d diagnosis) decide(t *testing.T) expect.Verdict {
	t.Helper()
	text := "scenario \"native\" {\n  locals {\n    ended = job.myapp.pod.container[\"side\"].exit_code == 0\n  }\n  expect \"it comes out\" {\n"
	for _, line := range bytes.Split([]byte(d.body), []byte("\n")) {
		text += "    " + string(line) + "\n"
	}
	file, diags := hclsyntax.ParseConfig([]byte(text+"  }\n}\n"), "job-sidecar/scenario.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	value.Prepare(file.Body.(*hclsyntax.Body))
	blocks := file.Body.(*hclsyntax.Body).Blocks[0].Body.Blocks
	expr := func(block int, name string) hcl.Expression {
		if a := blocks[block].Body.Attributes[name]; a != nil {
			return a.Expr
		}
		return nil
	}
	locals := map[string]hcl.Expression{"ended": expr(0, "ended")}
	tl := collectors.NewTimeline(reporttest.Begun)
	s := &expect.Scope{Timeline: tl, Namespace: "lab-native", Locals: locals, Files: map[string]*hcl.File{"job-sidecar/scenario.hcl": file},
		Evaluator: func(o expect.Observed) expect.Evaluator {
			return &value.Scope{Pods: o.Pods, Jobs: o.Jobs, Steps: o.Steps, ScenarioLocals: locals, Target: &value.Target{Minor: 29}}
		}}
	e := &dsl.Expect{Name: "it comes out", Condition: expr(1, "condition"), Outcome: expr(1, "outcome"), Message: expr(1, "message"), Within: d.within, Hold: d.hold}
	decider := expect.New(e, s)
	observe, begin, asks := decider.Observe, decider.Begin, decider.Asks
	invariant := expect.NewInvariant(&dsl.Invariant{Name: e.Name, Condition: e.Condition}, s)
	if d.invariant {
		begin, observe, asks = invariant.Begin, invariant.Observe, invariant.Asks
	}
	answered := func(now time.Time, last *collectors.Record) (expect.Verdict, bool) {
		v, done := observe(now, last)
		if !done && asks() { // the sources answer at once
			v, done = observe(now, nil)
		}
		return v, done
	}
	start := func(now time.Time) (expect.Verdict, bool) {
		v, done := begin(now)
		if !done && asks() {
			v, done = observe(now, nil)
		}
		return v, done
	}
	return d.drive(t, tl, start, answered, decider.Deadline)
}

func (d diagnosis) drive(t *testing.T, tl *collectors.Timeline, begin func(time.Time) (expect.Verdict, bool),
	observe func(time.Time, *collectors.Record) (expect.Verdict, bool), deadline func() time.Time) expect.Verdict {
	t.Helper()
	begins := reporttest.At(8.5)
	records := d.records
	for len(records) > 0 && !records[0].Received.After(begins) {
		tl.Add(records[0])
		records = records[1:]
	}
	v, done := begin(begins)
	for i := range records {
		tl.Add(records[i])
		v, done = observe(records[i].Received, &records[i])
	}
	for range 2 {
		if !done {
			v, done = observe(deadline(), nil)
		}
	}
	if !done || v.Status < expect.Fail {
		t.Fatalf("%s: %v: %s", d.name, v.Status, v.Reason)
	}
	return v
}

// TestDiagnoses shows what a reader gets of expectations that do not come out.
func TestDiagnoses(t *testing.T) {
	for _, d := range diagnoses() {
		t.Run(d.name, func(t *testing.T) {
			v := d.decide(t)
			verb := "expect"
			if d.invariant {
				verb = "invariant"
			}
			step := report.Step{Name: v.Name, Verb: verb, Status: v.Status, Verdict: &v, Detail: v.Reason}
			r := report.Report{Clusters: []report.Cluster{{Name: "v129", Version: "1.29.15"}},
				Runs: []report.ScenarioRun{{Scenario: "native", Cluster: "v129", StartedAt: reporttest.Begun, Status: v.Status, Steps: []report.Step{step}}}}
			p := newPage(layout.Style{Width: 110})
			p.evidence(r)
			reporttest.Golden(t, "diagnosis-"+d.name, []byte(p.String()))
		})
	}
}
