package text

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
)

func TestWriteRecords(t *testing.T) {
	records := append([]collectors.Record{
		reporttest.TaskRecord(17.139204112, "myapp-x7k2p", "main-container-1", collectors.TypeTaskStart, 0),
		{Time: reporttest.At(0.4), Precision: 1, Source: collectors.SourceLab, Type: collectors.TypeStep, Object: collectors.Object{Kind: "Step", Name: "job"},
			Step: &collectors.Step{Name: "job", Verb: "apply", Objects: []collectors.Object{{Kind: "Job", Name: "myapp"}}}},
		{Time: reporttest.At(0.5), Precision: 1, Source: collectors.SourceLab, Type: collectors.TypeStep, Step: &collectors.Step{Name: "strict", Verb: "apply", Error: reporttest.Rejection}},
		reporttest.LogRecord(2.25, "myapp-x7k2p", "main-container-1", "tab\there \x1b[2Jand there", ""),
		{Time: reporttest.At(20), Precision: time.Millisecond, Source: collectors.SourceRuntime, Type: collectors.TypeGap, Gap: &collectors.Gap{From: reporttest.At(19), Reason: "the stream ended", Count: 3}},
		{Time: reporttest.At(21), Precision: 1, Source: collectors.SourceRuntime, Type: collectors.TypeTaskOOM, Object: reporttest.PodObject("p"), Container: "c", Task: &collectors.Task{}},
		{Time: reporttest.At(22), Type: "of-a-later-version", Object: collectors.Object{Name: "x"}},
	}, reporttest.Fail().Runs[6].Steps[4].Verdict.Records...)
	before := fmt.Sprint(records)
	var b bytes.Buffer
	if err := WriteRecords(&b, records, reporttest.Begun); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "records", b.Bytes())
	if fmt.Sprint(records) != before {
		t.Error("the caller's records were put into another order")
	}
}
