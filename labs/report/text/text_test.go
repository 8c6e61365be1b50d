package text

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
	"github.com/kind-lab/lab/labs/report/layout"
)

func printed(t *testing.T, r report.Report, s layout.Style) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, document.Document{Report: r}, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriteText(t *testing.T) {
	for name, r := range reporttest.Samples() {
		for _, width := range []int{80, 100, 140} {
			t.Run(fmt.Sprintf("%s-%d", name, width), func(t *testing.T) {
				reporttest.Golden(t, fmt.Sprintf("%s-%d", name, width), []byte(printed(t, r, layout.Style{Width: width})))
			})
		}
	}
}

func TestWriteTextOtherStyles(t *testing.T) {
	reporttest.Golden(t, "fail-color", []byte(printed(t, reporttest.Fail(), layout.Style{Color: true})))
	reporttest.Golden(t, "fail-ascii", []byte(printed(t, reporttest.Fail(), layout.Style{ASCII: true, Width: 80})))
}

func TestWriteTextStaysWithinItsWidth(t *testing.T) {
	for name, r := range reporttest.Samples() {
		for _, columns := range []int{1, 60, 73, 80, 100, 140, 200} {
			for line := range strings.Lines(printed(t, r, layout.Style{Width: columns})) {
				if strings.Contains(line, "│") || strings.Contains(line, r.Folder) { // source lines and paths stay whole
					continue
				}
				if w := ansi.StringWidth(strings.TrimRight(line, "\n")); w > max(layout.LeastWidth, columns) {
					t.Errorf("%s at %d columns has a line of %d: %q", name, columns, w, line)
				}
			}
		}
	}
}

func TestColorsSayNothingAlone(t *testing.T) {
	for name, r := range reporttest.Samples() {
		plain, colored := printed(t, r, layout.Style{}), ansi.Strip(printed(t, r, layout.Style{Color: true}))
		if name != "fail" && name != "error" && plain != colored { // snippets are marked with carets if there is no colour
			t.Errorf("%s: the coloured text says something else than the plain one", name)
		}
	}
}

func TestNothingThatATerminalObeysIsWritten(t *testing.T) {
	r := reporttest.Fail()
	evil := "\x1b]0;owned\x07\x1b[2J\x9b31m\u202etxt.exe\r\x00"
	r.File, r.Folder, r.Clusters[0].Name, r.Clusters[1].Error = evil, evil, evil, evil
	r.Runs[0].Cluster, r.Runs[0].Description, r.Runs[0].Steps[0].Detail, r.Runs[0].Steps[1].Name = evil, evil, evil, evil
	v := r.Runs[6].Steps[4].Verdict
	v.Reason, v.References[0].Value, v.Records[0].Object.Name, v.Records[1].Container = evil, evil, evil, evil
	v.Diagnostic.Detail, v.Diagnostic.Snippet.Code = evil, evil
	r.Runs[6].Pods[0].Name, r.Runs[6].Pods[0].Statuses[0], r.Runs[6].Pods[0].Containers[0].Source = evil, evil, evil
	r.Errors = []string{evil}
	var b bytes.Buffer
	if err := Write(&b, document.Document{Report: r}, layout.Style{}); err != nil {
		t.Fatal(err)
	}
	if i := strings.IndexFunc(b.String(), func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == 0x202e }); i >= 0 {
		t.Errorf("a control character is in %q", b.String()[i:min(b.Len(), i+40)])
	}
}

func TestWriteTextOfAlmostNothing(t *testing.T) {
	for name, r := range map[string]report.Report{
		"nothing":      {},
		"empty run":    {Runs: []report.ScenarioRun{{}}},
		"empty step":   {Runs: []report.ScenarioRun{{Steps: []report.Step{{}}}}},
		"odd statuses": {Status: 99, Runs: []report.ScenarioRun{{Status: -3, Steps: []report.Step{{Status: 42, Detail: "x"}, {Status: -1}}}}},
	} {
		if got := printed(t, r, layout.Style{}); !strings.HasSuffix(got, ".\n") {
			t.Errorf("%s: no closing line in %q", name, got)
		}
	}
}

func TestWritingFails(t *testing.T) {
	for name, err := range map[string]error{
		"text":    Write(reporttest.BrokenWriter{}, document.Document{Report: reporttest.Pass()}, layout.Style{}),
		"records": WriteRecords(reporttest.BrokenWriter{}, reporttest.Fail().Runs[6].Steps[4].Verdict.Records, reporttest.Begun),
	} {
		if !errors.Is(err, reporttest.ErrFull) {
			t.Errorf("%s: got %v, want the writer's error", name, err)
		}
	}
}
