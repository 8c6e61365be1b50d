package collectors

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// base is when the runs of these tests begin.
var base = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// at is base and so many seconds.
func at(seconds float64) time.Time {
	return base.Add(time.Duration(seconds * float64(time.Second)))
}

// whole is a time as the API tells it.
func whole(seconds float64) time.Time { return at(seconds).Truncate(time.Second) }

func podObject(name, uid string) Object {
	return Object{Kind: "Pod", Namespace: "ns", Name: name, UID: uid}
}

func podRecord(seconds float64, name, uid, status string, containers ...Container) Record {
	return Record{
		Time: at(seconds), Precision: time.Second, Source: SourceAPI, Type: TypePod, Object: podObject(name, uid),
		Pod: &Pod{Phase: "Running", Status: status, Ready: "0/1", CreatedAt: whole(0), Containers: containers},
	}
}

func task(kind Type, seconds float64, uid, container, id string, code int) Record {
	return Record{
		Time: at(seconds), Precision: 1, Source: SourceRuntime, Type: kind,
		Object: podObject("p", uid), Container: container, Task: &Task{ID: id, Node: "n", ExitCode: code},
	}
}

func logLine(seconds float64, container, text string) Record {
	return Record{
		Time: at(seconds), Precision: 1, Source: SourceLog, Type: TypeLog,
		Object: podObject("p", "u"), Container: container, Log: &Log{Text: text},
	}
}

func running(name, id string, started float64) Container {
	return Container{
		Name: name, Kind: KindMain, ID: id, State: "running", Ready: true,
		Current: &ContainerRun{ID: id, StartedAt: whole(started)},
	}
}

func terminated(name, id string, started, finished float64, code int, reason string) Container {
	return Container{
		Name: name, Kind: KindMain, ID: id, State: "terminated", Reason: reason,
		Current: &ContainerRun{ID: id, StartedAt: whole(started), FinishedAt: whole(finished), ExitCode: code, Reason: reason},
	}
}

func fold(records ...Record) *Timeline {
	t := NewTimeline(base)
	for _, r := range records {
		t.Add(r)
	}
	return t
}

func onlyContainer(t *testing.T, tl *Timeline) *ContainerState {
	t.Helper()
	pods := tl.Pods()
	if len(pods) != 1 || len(pods[0].Containers) != 1 {
		t.Fatalf("want one pod with one container, have %d pods", len(pods))
	}
	return pods[0].Containers[0]
}

// mergedRuns is a container's runs and the records that they were merged of.
type mergedRuns struct {
	name    string
	records []Record
	want    []RunState
}

func runtime(s float64) Moment { return Moment{at(s), 1, SourceRuntime} }

func api(s float64) Moment { return Moment{whole(s), time.Second, SourceAPI} }

func areMerged(t *testing.T, tests []mergedRuns) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := onlyContainer(t, fold(test.records...)).Runs
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRunsAreMerged(t *testing.T) {
	start := task(TypeTaskStart, 1.25, "u", "c", "id1", 0)
	exit := task(TypeTaskExit, 5.5, "u", "c", "id1", 137)
	unnamed := func(r Record) Record {
		r.Object, r.Container = Object{}, ""
		return r
	}
	areMerged(t, []mergedRuns{
		{"the API alone", []Record{podRecord(2, "p", "u", "Running", running("c", "id1", 1.25))},
			[]RunState{{ID: "id1", StartedAt: api(1)}}},
		{"the runtime is more precise, whichever comes first",
			[]Record{start, podRecord(2, "p", "u", "Running", running("c", "id1", 1.25))},
			[]RunState{{ID: "id1", StartedAt: runtime(1.25)}}},
		{"the runtime comes last",
			[]Record{podRecord(2, "p", "u", "Running", running("c", "id1", 1.25)), start},
			[]RunState{{ID: "id1", StartedAt: runtime(1.25)}}},
		{"a task that names no pod belongs to who the API says, before it",
			[]Record{unnamed(start), podRecord(2, "p", "u", "Running", running("c", "id1", 1.25))},
			[]RunState{{ID: "id1", StartedAt: runtime(1.25)}}},
		{"a task that names no pod belongs to who the API says, after it",
			[]Record{podRecord(2, "p", "u", "Running", running("c", "id1", 1.25)), unnamed(exit)},
			[]RunState{{ID: "id1", StartedAt: api(1), FinishedAt: runtime(5.5), Exited: true, ExitCode: 137, Signal: 9}}},
		{"an exit without a start",
			[]Record{podRecord(2, "p", "u", "Pending", Container{Name: "c"}), exit},
			[]RunState{{ID: "id1", FinishedAt: runtime(5.5), Exited: true, ExitCode: 137, Signal: 9}}},
		{"an exit before its start",
			[]Record{exit, start, podRecord(2, "p", "u", "Running", running("c", "id1", 1.25))},
			[]RunState{{ID: "id1", StartedAt: runtime(1.25), FinishedAt: runtime(5.5), Exited: true, ExitCode: 137, Signal: 9}}},
		{"the API's running does not undo an exit",
			[]Record{start, exit, podRecord(6, "p", "u", "Running", running("c", "id1", 1.25))},
			[]RunState{{ID: "id1", StartedAt: runtime(1.25), FinishedAt: runtime(5.5), Exited: true, ExitCode: 137, Signal: 9}}},
	})
}

func TestSeveralRunsAreMerged(t *testing.T) {
	start := task(TypeTaskStart, 1.25, "u", "c", "id1", 0)
	exit := task(TypeTaskExit, 5.5, "u", "c", "id1", 137)
	areMerged(t, []mergedRuns{
		{"out of memory, as both tell it",
			[]Record{start, task(TypeTaskOOM, 5.4, "u", "c", "id1", 0), exit,
				podRecord(7, "p", "u", "OOMKilled", terminated("c", "id1", 1.25, 5.5, 137, "OOMKilled"))},
			[]RunState{{ID: "id1", StartedAt: runtime(1.25), FinishedAt: runtime(5.5), Exited: true, ExitCode: 137, Signal: 9,
				Reason: "OOMKilled", OOM: true, Reported: true}}},
		{"two runs, the first by the API alone",
			[]Record{podRecord(8, "p", "u", "Running", Container{Name: "c", State: "running", Restarts: 1, ID: "id2",
				Last:    &ContainerRun{ID: "id1", StartedAt: whole(1.25), FinishedAt: whole(5.5), ExitCode: 1, Reason: "Error"},
				Current: &ContainerRun{StartedAt: whole(6.1)}}), task(TypeTaskStart, 6.1, "u", "c", "id2", 0)},
			[]RunState{{ID: "id1", StartedAt: api(1), FinishedAt: api(5), Exited: true, ExitCode: 1, Reason: "Error", Reported: true},
				{ID: "id2", StartedAt: runtime(6.1)}}},
		{"one that waits to be restarted has ended once",
			[]Record{podRecord(6, "p", "u", "Error", terminated("c", "id1", 1, 5, 1, "Error")),
				podRecord(7, "p", "u", "CrashLoopBackOff", Container{Name: "c", State: "waiting", ID: "id1",
					Last: &ContainerRun{ID: "id1", StartedAt: whole(1), FinishedAt: whole(5), ExitCode: 1, Reason: "Error"}})},
			[]RunState{{ID: "id1", StartedAt: api(1), FinishedAt: api(5), Exited: true, ExitCode: 1, Reason: "Error", Reported: true}}},
		{"a run so short that the API never had it",
			[]Record{podRecord(2, "p", "u", "Running", running("c", "id2", 1.5)),
				task(TypeTaskExit, 1.013, "u", "c", "id1", 2), task(TypeTaskStart, 1, "u", "c", "id1", 0), task(TypeTaskStart, 1.5, "u", "c", "id2", 0)},
			[]RunState{{ID: "id1", StartedAt: runtime(1), FinishedAt: runtime(1.013), Exited: true, ExitCode: 2},
				{ID: "id2", StartedAt: runtime(1.5)}}},
	})
}

func TestPodState(t *testing.T) {
	tl := fold(
		podRecord(1, "p", "u1", "Pending", Container{Name: "c"}),
		podRecord(2, "p", "u1", "Running", running("c", "id1", 1.5)),
		podRecord(3, "p", "u1", "Pending", Container{Name: "c"}),
		Record{Time: at(4), Precision: time.Second, Source: SourceAPI, Type: TypePodGone, Object: podObject("p", "u1")},
		podRecord(5, "p", "u2", "ContainerCreating", Container{Name: "c"}),
	)
	pods := tl.Pods()
	if len(pods) != 2 {
		t.Fatalf("a pod made anew has a state of its own: want 2 states, have %d", len(pods))
	}
	old, fresh := pods[0], pods[1]
	if want := []string{"Pending", "Running"}; !slices.Equal(old.Statuses, want) {
		t.Errorf("statuses %v, want %v", old.Statuses, want)
	}
	if !old.GoneAt.Time.Equal(at(4)) || !old.Over() {
		t.Errorf("the old pod is gone at %v", old.GoneAt)
	}
	if !old.Last.Time.Equal(at(3)) || !old.First.Time.Equal(at(1)) {
		t.Errorf("first and last are of %v and %v", old.First.Time, old.Last.Time)
	}
	if got := old.Containers[0].ReadyAt; !got.Time.Equal(at(2)) || got.Source != SourceAPI {
		t.Errorf("ready at %v", got)
	}
	if fresh.GoneAt.Known() || fresh.Containers[0].ReadyAt.Known() || len(fresh.Containers[0].Runs) > 0 {
		t.Errorf("the new pod has something of the old: %+v", fresh)
	}
}

func TestStatesAreSnapshots(t *testing.T) {
	tl := fold(podRecord(1, "p", "u", "Pending", Container{Name: "c"}))
	before := tl.Pods()[0]
	tl.Add(task(TypeTaskStart, 1.5, "u", "c", "id", 0))
	tl.Add(podRecord(2, "p", "u", "Running", running("c", "id", 1.5)))
	if len(before.Statuses) != 1 || len(before.Containers[0].Runs) != 0 {
		t.Errorf("a state changed after it was given: %+v", before)
	}
	if same := tl.Pods()[0]; same != tl.Pods()[0] {
		t.Error("a state is made anew although nothing changed")
	}
}

// TestAnEventChangesItsPod tells of a pod that nothing else is heard of any more,
// as of one that does not fit on any node.
func TestAnEventChangesItsPod(t *testing.T) {
	for _, uid := range []string{"u", ""} {
		tl := fold(podRecord(1, "p", "u", "Pending"), podRecord(1, "q", "v", "Pending"))
		before := tl.Pods()
		tl.Add(Record{
			Time: at(2), Precision: time.Second, Source: SourceAPI, Type: TypeEvent, Object: podObject("p", uid),
			Event: &Event{Reason: "FailedScheduling", FirstAt: whole(2), LastAt: whole(2), Count: 1},
		})
		after := tl.Pods()
		if after[0] == before[0] {
			t.Errorf("with UID %q: what goes by the pod's state does not see its event", uid)
		}
		if after[1] != before[1] {
			t.Errorf("with UID %q: another pod's state is made anew", uid)
		}
	}
}
