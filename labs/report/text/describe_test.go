package text

import (
	"testing"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
)

func TestNodesAreTold(t *testing.T) {
	for text, want := range map[string]string{
		`{"status":{"conditions":[{"type":"MemoryPressure","status":"False"},{"type":"Ready","status":"True","reason":"KubeletReady"}]}}`:                                       "node n1 is Ready",
		`{"spec":{"unschedulable":true},"status":{"conditions":[{"type":"DiskPressure","status":"Unknown"},{"type":"Ready","status":"Unknown","reason":"NodeStatusUnknown"}]}}`: "node n1 is not Ready (Unknown: NodeStatusUnknown), DiskPressure is Unknown, cordoned",
		`{}`: "node n1 has not reported its state",
		``:   "node n1 changed",
	} {
		r := collectors.Record{Type: collectors.TypeObject, Object: collectors.Object{Kind: "Node", Name: "n1"}, Content: &collectors.Content{APIVersion: "v1", JSON: []byte(text)}}
		if got := Describe(r); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestRecordsSayWhyAJobFailedAndWhatAGapIsOf(t *testing.T) {
	job := &collectors.Job{Failed: 3, Conditions: map[string]string{"Failed": "True", "Suspended": "False"},
		ConditionDetails: map[string]collectors.Condition{"Failed": {Reason: "BackoffLimitExceeded"}, "Suspended": {Reason: "JobResumed"}}}
	gap := &collectors.Gap{From: reporttest.At(1), To: reporttest.At(3), Count: -1, Reason: "the watch ended"}
	for want, r := range map[string]collectors.Record{
		"job myapp active 0, succeeded 0, failed 3, Failed (BackoffLimitExceeded)": {Type: collectors.TypeJob, Object: collectors.Object{Kind: "Job", Name: "myapp"}, Job: job},
		"gap: api did not see any Job for 2s: the watch ended":                     {Type: collectors.TypeGap, Source: collectors.SourceAPI, Object: collectors.Object{Kind: "Job"}, Gap: gap},
		"gap: log did not see anything for 2s: the watch ended":                    {Type: collectors.TypeGap, Source: collectors.SourceLog, Gap: gap},
	} {
		if got := Describe(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
