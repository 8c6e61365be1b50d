package document_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
)

// task is the start or end of a run of the pod web's container main.
func task(seconds float64, id string, kind collectors.Type, code int) collectors.Record {
	r := reporttest.TaskRecord(seconds, "web", "main", kind, code)
	r.Task.ID = id
	return r
}

// ready is the pod web whose container main runs.
func ready(seconds float64, id string, isReady bool) collectors.Record {
	return reporttest.PodRecord(seconds, "web", "Running", "1/1", collectors.Container{Name: "main", Kind: "main", State: "running", Ready: isReady, ID: id})
}

func TestStatusesAreChanges(t *testing.T) {
	with := func(seconds float64, status, columns, phase string) collectors.Record {
		r := reporttest.PodRecord(seconds, "web", status, columns)
		r.Pod.Phase = phase
		return r
	}
	p := picture(10, nil, with(1, "Pending", "0/1", "Pending"), with(2, "Pending", "0/1", "Pending"), with(3, "Running", "0/1", "Running"),
		with(4, "Running", "1/1", "Running"), with(5, "Running", "1/1", "Running"), with(6, "Running", "1/1", "Succeeded"), with(7, "Pending", "0/1", "Pending"))
	var got []string
	for _, s := range p.Pods[0].Statuses {
		got = append(got, fmt.Sprintf("%g %s %s %s", s.At, s.Status, s.Ready, s.Phase))
	}
	want := []string{"1 Pending 0/1 Pending", "3 Running 0/1 Running", "4 Running 1/1 Running", "6 Running 1/1 Succeeded", "7 Pending 0/1 Pending"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRunsAreReadyFromTheFirstTimeOn(t *testing.T) {
	p := picture(10, nil,
		reporttest.PodRecord(0.5, "web", "Pending", "0/1", collectors.Container{Name: "main", Kind: "main"}),
		task(1, "first", collectors.TypeTaskStart, 0), ready(2, "first", false), ready(3, "first", true), ready(4, "first", true),
		task(5, "first", collectors.TypeTaskExit, 1), task(6, "second", collectors.TypeTaskStart, 0), ready(7, "second", true))
	runs := p.Pods[0].Containers[0].Runs
	if len(runs) != 2 || runs[0].ReadyAt == nil || runs[0].ReadyAt.At != 3 || runs[1].ReadyAt == nil || runs[1].ReadyAt.At != 7 {
		t.Errorf("runs: %+v", runs)
	}
	done := ready(9, "second", true)
	done.Pod.Containers[0].State = "terminated"
	p = picture(10, nil, task(1, "second", collectors.TypeTaskStart, 0), done)
	if runs := p.Pods[0].Containers[0].Runs; runs[0].ReadyAt != nil {
		t.Errorf("a container that ended well became ready: %+v", runs[0].ReadyAt)
	}
}

func TestTheKubeletsKillingIsOfTheRunItEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		message string
		at      float64
		want    []bool // of the two runs, from 1 s to 5 s and from 6 s on
	}{
		"the first":               {"Stopping container main", 4, []bool{true, false}},
		"the second":              {"Stopping container main", 8, []bool{false, true}},
		"a probe":                 {"Container main failed liveness probe, will be restarted", 4, []bool{true, false}},
		"before any":              {"Stopping container main", -3, []bool{false, false}},
		"another container":       {"Stopping container main-2", 4, []bool{false, false}},
		"no container":            {"Need to kill the pod", 4, []bool{false, false}},
		"a start within a second": {"Stopping container main", 5.5, []bool{false, true}},
	} {
		t.Run(name, func(t *testing.T) {
			p := picture(10, nil, ready(0.5, "", false), task(1, "first", collectors.TypeTaskStart, 0), task(5, "first", collectors.TypeTaskExit, 0),
				task(6, "second", collectors.TypeTaskStart, 0), event(tt.at, time.Time{}, "Killing", tt.message, 1))
			for i, r := range p.Pods[0].Containers[0].Runs {
				if got := r.KillingAt != nil; got != tt.want[i] {
					t.Errorf("run %d: killing at %v, want one: %t", i, r.KillingAt, tt.want[i])
				}
			}
		})
	}
}

func TestAnEventOfAnotherReasonKillsNothing(t *testing.T) {
	p := picture(10, nil, ready(0.5, "", false), task(1, "first", collectors.TypeTaskStart, 0), event(2, time.Time{}, "Started", "Started container main", 1))
	if r := p.Pods[0].Containers[0].Runs[0]; r.KillingAt != nil {
		t.Errorf("killing at %v", r.KillingAt)
	}
}

// TestARunHasItsEnd holds for the ends of containers that the runtime reports.
func TestARunHasItsEnd(t *testing.T) {
	oom := task(3, "first", collectors.TypeTaskOOM, 0)
	for name, tt := range map[string]struct {
		records []collectors.Record
		want    document.RunPicture
	}{
		"it runs":    {[]collectors.Record{task(1, "first", collectors.TypeTaskStart, 0)}, document.RunPicture{StartedAt: reporttest.Instant(1)}},
		"it failed":  {[]collectors.Record{task(1, "first", collectors.TypeTaskStart, 0), task(4, "first", collectors.TypeTaskExit, 3)}, document.RunPicture{StartedAt: reporttest.Instant(1), FinishedAt: reporttest.Instant(4), Exited: true, ExitCode: 3}},
		"for memory": {[]collectors.Record{task(1, "first", collectors.TypeTaskStart, 0), oom}, document.RunPicture{StartedAt: reporttest.Instant(1), OOM: true}},
	} {
		t.Run(name, func(t *testing.T) {
			p := picture(10, nil, append([]collectors.Record{reporttest.PodRecord(0.5, "web", "Pending", "0/1", collectors.Container{Name: "main"})}, tt.records...)...)
			if diff := cmp.Diff([]document.RunPicture{tt.want}, p.Pods[0].Containers[0].Runs); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPodsOfOneNameAreTwoPods(t *testing.T) {
	old, young := reporttest.PodRecord(1, "web", "Running", "1/1"), reporttest.PodRecord(5, "web", "Pending", "0/1")
	young.Object.UID, young.Pod.Node, young.Pod.QOS = "younger", "n2", "Burstable"
	gone := reporttest.PodRecord(4, "web", "Completed", "0/1")
	gone.Type = collectors.TypePodGone
	p := picture(10, nil, old, gone, young)
	if len(p.Pods) != 2 {
		t.Fatalf("%d pods", len(p.Pods))
	}
	if a := p.Pods[0]; a.Title != "web" || a.GoneAt == nil || a.GoneAt.At != 4 || len(a.Statuses) != 2 {
		t.Errorf("the first: %+v", a)
	}
	if b := p.Pods[1]; b.Title != "web (no. 2)" || b.GoneAt != nil || b.Node != "n2" || b.QOS != "Burstable" || len(b.Statuses) != 1 {
		t.Errorf("the second: %+v", b)
	}
}

// TestTheJSONFormIsTheDocument holds that what is written can be read again, and
// that texts stand in it as they are.
func TestTheJSONFormIsTheDocument(t *testing.T) {
	var b strings.Builder
	d := reporttest.Document()
	d.Report.Runs[0].Description = "a <b> & c"
	if err := document.WriteJSON(&b, d); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `"a <b> & c"`) || !strings.HasSuffix(b.String(), "}\n") {
		t.Errorf("got %.300s", b.String())
	}
}
