package run

import (
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// TestTheTimesAreOfOneRun tells of a container that was started again: the end of
// its first run is no end of the second.
func TestTheTimesAreOfOneRun(t *testing.T) {
	base := time.Now()
	at := func(seconds int) collectors.Moment {
		return collectors.Moment{Time: base.Add(time.Duration(seconds) * time.Second), Precision: 1, Source: collectors.SourceRuntime}
	}
	c := container(collectors.NewTimeline(base), &collectors.ContainerState{Runs: []collectors.RunState{
		{ID: "a", StartedAt: at(1), FinishedAt: at(2), Exited: true, ExitCode: 3},
		{ID: "b", StartedAt: at(5)},
	}})
	if c.StartedAt == nil || *c.StartedAt != 5 || c.FinishedAt != nil || c.ExitCode != nil {
		t.Errorf("it is said to have started at %v, ended at %v with %v", c.StartedAt, c.FinishedAt, c.ExitCode)
	}
}
