package live

import (
	"strings"
	"testing"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/layout"
)

// TestObjectsAndEventsAreToldSparingly tells warnings and what is gone, and
// the rest only where all is asked for.
func TestObjectsAndEventsAreToldSparingly(t *testing.T) {
	web := collectors.Object{Kind: "Deployment", Name: "web"}
	for name, tt := range map[string]struct {
		record         collectors.Record
		short, verbose string
	}{
		"a change":        {collectors.Record{Type: collectors.TypeObject, Object: web, Content: &collectors.Content{}}, "", "deployment web changed"},
		"the end":         {collectors.Record{Type: collectors.TypeObjectGone, Object: web, Content: &collectors.Content{}}, "deployment web is gone", "deployment web is gone"},
		"a normal event":  {collectors.Record{Type: collectors.TypeEvent, Object: web, Event: &collectors.Event{EventType: "Normal", Reason: "Scaled", Message: "up"}}, "", "event of deployment web: Scaled: up"},
		"a warning event": {collectors.Record{Type: collectors.TypeEvent, Object: web, Event: &collectors.Event{EventType: "Warning", Reason: "BackOff", Message: "x"}}, "BackOff: x", "BackOff: x"},
	} {
		t.Run(name, func(t *testing.T) {
			for verbose, want := range map[bool]string{false: tt.short, true: tt.verbose} {
				tells := newPrinter(layout.Style{}, Options{Verbose: verbose})
				lines := tells.record(report.Event{Kind: report.EventRecord}, tt.record)
				if got := strings.Join(lines, "\n"); want == "" && got != "" || !strings.Contains(got, want) {
					t.Errorf("verbose %t: %q, want %q", verbose, got, want)
				}
			}
		})
	}
}
