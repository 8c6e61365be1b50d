package expect

import (
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
)

func TestPlace(t *testing.T) {
	kernel := taskRecord(collectors.TypeTaskOOM, 9, "main", "m0", 137)
	kernel.Source, kernel.Precision = collectors.SourceKernel, time.Second
	sooner := kernel
	sooner.Time = at(8.9)
	lossy := gapRecord(12, 9, 11, collectors.SourceAPI, collectors.Object{})
	lossy.Gap.Count = -1
	late := lossy
	late.Gap = &collectors.Gap{From: at(9), To: at(11), Count: 0}
	ahead := collectors.Record{Source: collectors.SourceLab, Type: collectors.TypeClock, Time: at(1), Received: at(1),
		Clock: &collectors.Clock{Node: "n", Offset: 2 * time.Second, Uncertainty: 500 * time.Millisecond}}
	for _, test := range []struct {
		name   string
		r      collectors.Record
		clock  bool
		placed Placement
	}{
		{"what the API tells", podRecord(11, "myapp-x", "p", "Running", "Running", mainRunning(2)), false, Unplaced},
		{"an exit before", taskRecord(collectors.TypeTaskExit, 9.9, "main", "m0", 0), false, InTime},
		{"an exit after", taskRecord(collectors.TypeTaskExit, 10.1, "main", "m0", 0), false, Later},
		{"a line before", logRecord(9.9, "main", "x"), false, InTime},
		{"a line after, by a clock that is ahead", logRecord(11, "main", "x"), true, InTime},
		{"a line that may be of either side", logRecord(12, "main", "x"), true, Unplaced},
		{"a line after, by that clock too", logRecord(13, "main", "x"), true, Later},
		{"a memory kill of about then", kernel, false, InTime},
		{"a memory kill of a second around it", taskAt(kernel, 9.5), false, Unplaced},
		{"a memory kill before", sooner, false, InTime},
		{"a gap that goes on", gapRecord(12, 9, 0, collectors.SourceAPI, collectors.Object{}), false, InTime},
		{"a gap that began after", gapRecord(12, 10.5, 0, collectors.SourceAPI, collectors.Object{}), false, Later},
		{"a gap in which something was lost", lossy, false, Later},
		{"a gap in which nothing was lost", late, false, InTime},
	} {
		t.Run(test.name, func(t *testing.T) {
			tl := collectors.NewTimeline(base)
			if test.clock {
				tl.Add(ahead)
			}
			if got := Place(tl, &test.r, at(10)); got != test.placed {
				t.Errorf("%v, want %v", got, test.placed)
			}
		})
	}
}

func taskAt(r collectors.Record, seconds float64) collectors.Record {
	r.Time = at(seconds)
	return r
}
