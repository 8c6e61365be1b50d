package text

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
	"github.com/kind-lab/lab/labs/report/layout"
)

func TestClocksAreTold(t *testing.T) {
	clock := func(seconds float64, c collectors.Clock) collectors.Record {
		return collectors.Record{Time: reporttest.At(seconds), Received: reporttest.At(seconds), Source: collectors.SourceLab, Type: collectors.TypeClock, Clock: &c}
	}
	ahead := collectors.Clock{Node: "n1", Offset: 3 * time.Second, Uncertainty: time.Millisecond}
	back := collectors.Clock{Node: "n1", Offset: -2 * time.Second, Uncertainty: time.Millisecond, Jumped: true}
	same := collectors.Clock{Node: "n1", Same: true, Reason: "both have the same boot id"}
	unknown := collectors.Clock{Unknown: true, Reason: "it is away"}
	for name, test := range map[string]struct {
		records    []collectors.Record
		text, said string
	}{
		"not measured": {nil, "", ""},
		"the same":     {[]collectors.Record{clock(0, same)}, "", "the clock of node n1 is this machine's own: both have the same boot id"},
		"ahead": {[]collectors.Record{clock(0, ahead)}, "the cluster's clock was 2.999 s to 3.001 s ahead of this machine's: the order",
			"the clock of node n1 is 3.000 s ahead of this machine's, within 1ms"},
		"behind": {[]collectors.Record{clock(0, back)}, "the cluster's clock was 1.999 s to 2.001 s behind this machine's: the order",
			"the clock of node n1 is -2.000 s ahead of this machine's, within 1ms"},
		"set": {[]collectors.Record{clock(0, ahead), clock(0, back)}, "was -2.001 s to 3.001 s ahead of this machine's, one of the two was changed or stopped (once)", ""},
		"unknown": {[]collectors.Record{clock(0, unknown)}, "a clock of the cluster could not be measured",
			"the API server's clock could not be measured: it is away"},
	} {
		t.Run(name, func(t *testing.T) {
			timeline := collectors.NewTimeline(reporttest.At(0))
			for _, r := range test.records {
				timeline.Add(r)
				if said := Describe(r); test.said != "" && said != test.said {
					t.Errorf("the record says %q, want %q", said, test.said)
				}
			}
			r := reporttest.Pass()
			r.Runs = r.Runs[:1]
			r.Runs[0].Observed.Clocks = report.ClocksOf(timeline)
			var b bytes.Buffer
			if err := Write(&b, document.Document{Report: r}, layout.Style{}); err != nil {
				t.Fatal(err)
			}
			flat := strings.Join(strings.Fields(b.String()), " ")
			if test.text == "" && strings.Contains(flat, "clock") || !strings.Contains(flat, test.text) {
				t.Errorf("the report has not %q:\n%s", test.text, b.String())
			}
		})
	}
}
