package expect

import (
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
)

func clockAt(seconds float64, offset, uncertainty time.Duration) collectors.Record {
	return collectors.Record{
		Time: at(seconds), Received: at(seconds), Precision: time.Nanosecond, Source: collectors.SourceLab, Type: collectors.TypeClock,
		Clock: &collectors.Clock{Node: "node1", Offset: offset, Uncertainty: uncertainty},
	}
}

// TestStepsAndNodesByTheirClocks has a step that ended at 5 s by this machine's
// clock, and a container that started at some time by the node's.
func TestStepsAndNodesByTheirClocks(t *testing.T) {
	const ms = time.Millisecond
	same := clockAt(0, 0, 0)
	same.Clock.Same = true
	unknown := clockAt(0, 0, 0)
	unknown.Clock.Unknown = true
	ahead := []collectors.Record{clockAt(0, 3*time.Second, 20*ms), clockAt(9, 3*time.Second, 20*ms)}
	jumped := []collectors.Record{clockAt(0, 0, 20*ms), clockAt(9, 3*time.Second, 20*ms)}
	const order, start = `step.signal.finished_at < job.myapp.pod.container["main"].started_at`, `job.myapp.pod.container["main"].started_at`
	for _, test := range []struct {
		name      string
		clocks    []collectors.Record
		started   float64
		condition string
		want      Status
	}{
		{"an old recording, after", nil, 5.0001, order, Pass},
		{"an old recording, before", nil, 4.9999, order, Fail},
		{"the same clock, after", []collectors.Record{same}, 5.0001, order, Pass},
		{"the same clock, before", []collectors.Record{same}, 4.9999, order, Fail},
		{"ahead, surely before the step", ahead, 7.5, order, Fail},
		{"ahead, hardly before the step", ahead, 7.99, order, Error},
		{"ahead, hardly after the step", ahead, 8.01, order, Error},
		{"ahead, surely after the step", ahead, 8.5, order, Pass},
		{"jumped, surely before the step", jumped, 1.9, order, Fail},
		{"jumped, between the two", jumped, 6, order, Error},
		{"jumped, surely after the step", jumped, 8.5, order, Pass},
		{"not measured", []collectors.Record{unknown}, 9, order, Error},
		{"how long after", ahead, 9, start + " - step.signal.finished_at < 1.1", Pass},
		{"how long after, hardly", ahead, 9, start + " - step.signal.finished_at < 1.01", Error},
		{"a time of the node alone", jumped, 6, start + " > 5.9", Pass},
		{"seen by this machine", ahead, 8.5, `step.signal.finished_at < job.myapp.pod.container["main"].ready_at`, Pass},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newRealFixture()
			side := collectors.Container{Name: "main", Image: "busybox:1.35", ID: "m0", State: "running", Ready: true}
			records := append([]collectors.Record{jobRecord(1, collectors.Job{Active: 1})}, test.clocks[:min(1, len(test.clocks))]...)
			records = append(records, collectors.Record{
				Time: at(5), Received: at(5), Precision: time.Nanosecond, Source: collectors.SourceLab, Type: collectors.TypeStep,
				Object: collectors.Object{Kind: "Step", Name: "signal"}, Step: &collectors.Step{Name: "signal", Verb: "signal", StartedAt: at(4), FinishedAt: at(5)},
			}, collectors.Record{
				Time: at(test.started), Received: at(8.6), Precision: time.Nanosecond, Source: collectors.SourceRuntime, Type: collectors.TypeTaskStart,
				Object: podObject("myapp-x", "p"), Container: "main", Task: &collectors.Task{ID: "m0", Node: "node1"},
			}, podRecord(8.7, "myapp-x", "p", "Running", "Running", side))
			records = append(records, test.clocks[min(1, len(test.clocks)):]...)
			v := b.run(t, b.expect(t, test.condition, 0, 0), 10, records...)
			if v.Status != test.want || v.Status == Error && !strings.Contains(v.Reason, " apart") {
				t.Errorf("%v, want %v: %s", v.Status, test.want, v.Reason)
			}
		})
	}
}

// TestAClockThatIsMeasuredLateChangesWhatIsKnown decides an order only once the
// clock is known.
func TestAClockThatIsMeasuredLateChangesWhatIsKnown(t *testing.T) {
	b := newRealFixture()
	unknown := clockAt(1, 0, 0)
	unknown.Clock.Unknown = true
	over := mainDone(0, "Completed")
	step := collectors.Record{
		Time: at(2), Received: at(2), Precision: time.Nanosecond, Source: collectors.SourceLab, Type: collectors.TypeStep,
		Object: collectors.Object{Kind: "Step", Name: "job"}, Step: &collectors.Step{Name: "job", Verb: "apply", StartedAt: at(1), FinishedAt: at(2)},
	}
	e := b.expect(t, `step.job.finished_at < job.myapp.pod.container["main"].finished_at`, 20, 0)
	v := b.run(t, e, 10, jobRecord(1, collectors.Job{Active: 1}), unknown, step, podRecord(9, "myapp-x", "p", "Succeeded", "Completed", over), clockAt(12, 0, time.Millisecond))
	if v.Status != Pass || v.DecidedAt != 12 {
		t.Errorf("%v at %v, want Pass when the clock is measured: %s", v.Status, v.DecidedAt, v.Reason)
	}
}
