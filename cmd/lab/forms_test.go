package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/forms"
	"github.com/kind-lab/lab/labs/report/layout"
)

// recordedRun is the recording of a lab in the catalog.
func recordedRun(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("..", "..", "labs", "catalog", "job-sidecar", "recordings", "*.lab.tgz"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no recording of job-sidecar: %v", err)
	}
	return found[0]
}

// reportWith runs `lab report` with these forms.
func reportWith(t *testing.T, all []forms.Form, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errors bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errors, env: func(string) (string, bool) { return "", false }}
	cmd := a.reportIn(all)
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&errors)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	err = cmd.ExecuteContext(t.Context())
	return out.String(), errors.String(), err
}

// TestAFormIsAWriterAndARow adds a form to the table and looks for it in all
// that the command makes of the table.
func TestAFormIsAWriterAndARow(t *testing.T) {
	fake := forms.Form{Name: "fake", About: "for this test", Write: func(w io.Writer, d document.Document, _ layout.Style) error {
		_, err := fmt.Fprintf(w, "%d runs, %d pictures\n", len(d.Report.Runs), len(d.Pictures))
		return err
	}}
	all := append(forms.All(), fake)
	listed := strings.Join(forms.Names(all), ", ")

	out, _, err := reportWith(t, all, "--format", "fake", recordedRun(t))
	if err != nil || out == "0 runs, 0 pictures\n" || !strings.HasSuffix(out, " pictures\n") {
		t.Errorf("the report is %q (%v)", out, err)
	}
	file := filepath.Join(t.TempDir(), "report.fake")
	if _, said, err := reportWith(t, all, "--format", "fake", "-o", file, recordedRun(t)); err != nil {
		t.Errorf("%v: %s", err, said)
	}
	if written, err := os.ReadFile(file); err != nil || string(written) != out {
		t.Errorf("the file has %q (%v), want %q", written, err, out)
	}
	if help, _, _ := reportWith(t, all, "--help"); !strings.Contains(help, "fake      for this test") || !strings.Contains(help, listed) {
		t.Errorf("the help does not name it:\n%s", help)
	}
	if _, _, err := reportWith(t, all, "--format", "pdf", recordedRun(t)); err == nil || !strings.Contains(err.Error(), listed) {
		t.Errorf("the error for an unknown form does not name it: %v", err)
	}
	if offered, _, _ := reportWith(t, all, "__complete", "--format", ""); !strings.Contains(offered, "\nfake\n") {
		t.Errorf("it is not offered:\n%s", offered)
	}
}

// TestTheReadmeNamesEveryForm looks for the forms in the table of commands.
func TestTheReadmeNamesEveryForm(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := ""
	for line := range strings.Lines(string(readme)) {
		if strings.HasPrefix(line, "| `lab report") {
			row = line
		}
	}
	for _, form := range forms.All() {
		if !strings.Contains(row, "`"+form.Name+"`") {
			t.Errorf("README.md does not name %s: %q", form.Name, row)
		}
	}
}
