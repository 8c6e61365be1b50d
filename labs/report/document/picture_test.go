package document_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
)

// event is a Kubernetes event of the pod web.
func event(received float64, first time.Time, reason, message string, count int) collectors.Record {
	return collectors.Record{Time: reporttest.At(received), Received: reporttest.At(received), Precision: time.Second, Source: collectors.SourceAPI, Type: collectors.TypeEvent,
		Object: reporttest.PodObject("web"), Event: &collectors.Event{Reason: reason, Message: message, EventType: "Normal", Count: count, FirstAt: first}}
}

// object is a state of an object, or its removal.
func object(seconds float64, kind collectors.Type, of string, job *collectors.Job, content string) collectors.Record {
	r := collectors.Record{Time: reporttest.At(seconds), Received: reporttest.At(seconds), Precision: time.Second, Source: collectors.SourceAPI, Type: kind,
		Object: collectors.Object{Kind: of, Namespace: "lab", Name: "x"}, Job: job}
	if content != "" {
		r.Content = &collectors.Content{APIVersion: "v1", JSON: json.RawMessage(content)}
	}
	return r
}

func gap(from, to float64, source collectors.Source, count int) collectors.Record {
	r := collectors.Record{Time: reporttest.At(to), Received: reporttest.At(max(from, to)), Source: source, Type: collectors.TypeGap,
		Gap: &collectors.Gap{From: reporttest.At(from), To: reporttest.At(to), Reason: "the watch ended", Count: count}}
	if to < 0 {
		r.Time, r.Gap.To = r.Received, time.Time{}
	}
	return r
}

func TestAnEmptyPicture(t *testing.T) {
	if diff := cmp.Diff(document.Picture{Scenario: "s", Cluster: "c"}, picture(10, nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTheAxisReachesTheLastThing holds for each kind of things that it is within
// the axis.
func TestTheAxisReachesTheLastThing(t *testing.T) {
	step := collectors.Record{Time: reporttest.At(9), Received: reporttest.At(9), Source: collectors.SourceLab, Type: collectors.TypeStep, Step: &collectors.Step{Name: "x"}}
	for name, records := range map[string][]collectors.Record{
		"a pod":   {reporttest.PodRecord(9, "web", "Running", "1/1")},
		"a start": {reporttest.PodRecord(1, "web", "Running", "1/1", collectors.Container{Name: "a"}), reporttest.TaskRecord(9, "web", "a", collectors.TypeTaskStart, 0)},
		"an end": {reporttest.PodRecord(1, "web", "Running", "1/1", collectors.Container{Name: "a"}), reporttest.TaskRecord(2, "web", "a", collectors.TypeTaskStart, 0),
			reporttest.TaskRecord(9, "web", "a", collectors.TypeTaskExit, 0)},
		"a line":   {line(9, "web", "a", "x"), line(3, "web", "a", "y")},
		"an event": {event(9, time.Time{}, "Pulled", "x", 1)},
		"a Job":    {object(9, collectors.TypeJob, "Job", &collectors.Job{}, "")},
		"a gap":    {gap(2, 9, collectors.SourceAPI, 0)},
		"a step":   {step},
	} {
		if got := picture(10, nil, records...).Seconds; got != 9 {
			t.Errorf("%s: the axis ends at %g s, want 9", name, got)
		}
	}
}

func TestEventsAreToldOnceInTheirOrder(t *testing.T) {
	second := reporttest.Begun.Truncate(time.Second)
	p := picture(10, nil,
		event(6, second.Add(6*time.Second), "BackOff", "restarting", 1),
		event(2.5, second.Add(2*time.Second), "Pulled", "image", 1),
		event(8, second.Add(6*time.Second), "BackOff", "restarting", 4),
		event(9, second.Add(6*time.Second), "BackOff", "restarting", 2),
		event(9, second.Add(9*time.Second), "BackOff", "restarting", 1),
		event(20, second.Add(12*time.Second), "Pulled", "another image", 1),
	)
	var got []string
	for _, e := range p.Events {
		got = append(got, fmt.Sprintf("%.2f %s %s %s x%d %v", e.At, e.Object, e.Reason, e.Message, e.Count, e.Precision))
	}
	want := []string{ // the begin is a quarter of a second after a whole one
		"2.50 Pod/web Pulled image x1 1s", "6.00 Pod/web BackOff restarting x4 1s", "9.00 Pod/web BackOff restarting x1 1s", "11.75 Pod/web Pulled another image x1 1s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGaps(t *testing.T) {
	going := gap(4, -1, collectors.SourceRuntime, -1)
	going.Object, going.Container = reporttest.PodObject("web"), "main"
	p := picture(10, nil, going, gap(-3, 2, collectors.SourceAPI, 7), gap(1, 3, collectors.SourceLog, 0), line(8, "web", "main", "later"))
	want := []document.GapPicture{
		{From: 0, To: 2, Source: "api", Reason: "the watch ended", Lost: 7},
		{From: 1, To: 3, Source: "log", Reason: "the watch ended"},
		{From: 4, To: 8, Source: "runtime", Reason: "the watch ended", Lost: -1, Object: "Pod/web", Container: "main"},
	}
	if diff := cmp.Diff(want, p.Gaps); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestObjectsWithTheirConditions(t *testing.T) {
	conditions := func(text string) string { return `{"status":{"conditions":[` + text + `]}}` }
	p := picture(10, nil,
		object(1, collectors.TypeJob, "Job", &collectors.Job{}, ""),
		object(2, collectors.TypeObject, "Deployment", nil, conditions(`{"type":"Available","status":"False"},{"type":"Progressing","status":"True"}`)),
		object(3, collectors.TypeJob, "Job", &collectors.Job{Conditions: map[string]string{"Complete": "True"}}, ""),
		object(4, collectors.TypeObject, "Deployment", nil, conditions(`{"type":"Available","status":"True"}`)),
		object(5, collectors.TypeObject, "Deployment", nil, conditions(`{"type":"Available","status":"True"}`)),
		object(6, collectors.TypeObject, "ConfigMap", nil, `{"status":"fine"}`),
		object(7, collectors.TypeJobGone, "Job", nil, ""),
		object(8, collectors.TypeJobGone, "Job", nil, ""),
		object(9, collectors.TypeObjectGone, "ConfigMap", nil, "{}"),
	)
	var got []string
	for _, o := range p.Objects {
		for _, c := range o.Conditions {
			got = append(got, fmt.Sprintf("%s %g %s=%s", o.Kind, c.At, c.Type, c.Status))
		}
		if o.GoneAt != nil {
			got = append(got, fmt.Sprintf("%s gone at %g", o.Kind, o.GoneAt.At))
		}
	}
	want := []string{"Job 3 Complete=True", "Job gone at 7", "Deployment 2 Available=False", "Deployment 2 Progressing=True",
		"Deployment 4 Available=True", "Deployment 4 Progressing=", "ConfigMap gone at 9"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSnapshotsOfAPod(t *testing.T) {
	state := func(seconds float64, version, status string) collectors.Record {
		r := reporttest.PodRecord(seconds, "web", status, "1/1")
		r.Pod.ResourceVersion = version
		return r
	}
	fold := func(snapshots func(*document.PictureBuilder)) []document.Snapshot {
		b := document.NewPictureBuilder("s", "c", reporttest.Begun, 10, document.NewCleaner([]string{"hunter2"}))
		for _, r := range []collectors.Record{state(1, "7", "Pending"), state(2, "8", "Running"), state(3, "9", "Running"), state(4, "10", "hunter2")} {
			b.Add(r)
		}
		snapshots(b)
		return b.Picture().Pods[0].Snapshots
	}
	var got []string
	for _, s := range fold(func(*document.PictureBuilder) {}) {
		got = append(got, fmt.Sprintf("%g %s", s.At, s.Title))
		if !strings.HasPrefix(s.YAML, "# What the journal recorded of the pod.") || !strings.Contains(s.YAML, "\nstatus: "+s.Title+"\n") || strings.Contains(s.YAML, "hunter2") {
			t.Errorf("the state of %g s is %s", s.At, s.YAML)
		}
	}
	if want := []string{"1 Pending", "2 Running", "4 (sensitive)"}; !slices.Equal(got, want) {
		t.Errorf("of the journal: %q, want %q", got, want)
	}
	files := fold(func(b *document.PictureBuilder) {
		uid := reporttest.PodObject("web").UID
		b.Snapshot(uid, "8", "yaml of 8")
		b.Snapshot(uid, "99", "of a version that no record has")
		b.Snapshot("another", "9", "of another pod")
		b.Snapshot(uid, "9", "yaml of 9")
	})
	if len(files) != 2 || files[0].YAML != "yaml of 8" || files[0].At != 2 || files[0].Title != "Running" || files[1].YAML != "yaml of 9" {
		t.Errorf("of the API: %+v", files)
	}
}

func TestManySnapshotsAreTheFirstAndTheLast(t *testing.T) {
	var records []collectors.Record
	for i := range 350 {
		records = append(records, reporttest.PodRecord(float64(i), "web", fmt.Sprint(i), "1/1"))
	}
	all := picture(10, nil, records...).Pods[0].Snapshots
	if len(all) != 200 {
		t.Fatalf("%d snapshots", len(all))
	}
	for place, want := range map[int]string{0: "0", 99: "99", 100: "250", 199: "349"} {
		if all[place].Title != want {
			t.Errorf("snapshot %d is state %s, want %s", place, all[place].Title, want)
		}
	}
}
