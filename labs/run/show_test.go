package run_test

import (
	"testing"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/run/runtest"
)

func TestLinesAreShownOnceAndKeptOnce(t *testing.T) {
	for name, show := range map[string]bool{"shown": true, "not shown": false} {
		t.Run(name, func(t *testing.T) {
			told := &events{}
			_, dir := carryOutFile(t, t.Context(), &runtest.World{}, "testdata/small", plan.Options{Clusters: []string{"v129"}}, func(e *run.Engine) {
				e.Observer, e.ShowLogs = told, show
			})
			kept := 0
			for e, err := range journal.Entries(dir) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Record != nil && e.Record.Type == collectors.TypeLog {
					kept++
				}
			}
			shown, others := 0, 0
			for _, e := range told.told {
				switch {
				case e.Kind != report.EventRecord:
				case e.Record.Type == collectors.TypeLog:
					shown++
				default:
					others++
				}
			}
			want := 0
			if show {
				want = kept
			}
			if kept == 0 || others == 0 || shown != want {
				t.Errorf("%d lines are kept, %d shown, want %d; %d other records were reported", kept, shown, want, others)
			}
		})
	}
}
