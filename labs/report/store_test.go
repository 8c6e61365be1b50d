package report_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
)

func TestSaveAndLoad(t *testing.T) {
	for name, want := range reporttest.Samples() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for range 2 { // the second replaces the first
				if err := report.Save(dir, want); err != nil {
					t.Fatal(err)
				}
			}
			got, err := report.Load(filepath.Join(dir, report.FileName))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("what was loaded is not what was saved (-want +got):\n%s", diff)
			}
			if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
				t.Errorf("files are left behind: %v %v", left, err)
			}
		})
	}
}

func TestSaveFails(t *testing.T) {
	dir := t.TempDir()
	if err := report.Save(filepath.Join(dir, "missing"), reporttest.Pass()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("into a folder that is not there: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, report.FileName), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := report.Save(dir, reporttest.Pass()); err == nil {
		t.Error("a folder was replaced by the report")
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("files are left behind: %v %v", left, err)
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, test := range []struct {
		name, content, says string
		version             bool
	}{
		{"nothing", "", "incomplete", false},
		{"no JSON", "PASS", "not a report", false},
		{"cut off", `{"version": 1, "id": "x"`, "incomplete", false},
		{"another file", `{"name": "x"}`, "not a report of lab", true},
		{"newer", `{"version": 2, "runs": "in another form"}`, "A newer lab wrote the report", true},
		{"damaged", `{"version": 1, "runs": 7}`, "damaged", false},
		{"unknown status", `{"version": 1, "status": "flaky"}`, `unknown status "flaky"`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), report.FileName)
			if err := os.WriteFile(path, []byte(test.content), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := report.Load(path)
			if err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v, want it to say %q and the path", err, test.says)
			}
			if errors.Is(err, report.ErrVersion) != test.version {
				t.Errorf("%v is ErrVersion: %t, want %t", err, !test.version, test.version)
			}
		})
	}
	if _, err := report.Load(filepath.Join(t.TempDir(), report.FileName)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// FuzzLoad feeds any bytes as run.json. Whatever is accepted can be saved and
// loaded again.
func FuzzLoad(f *testing.F) {
	reporttest.AddReports(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, report.FileName), data, 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := report.Load(filepath.Join(dir, report.FileName))
		if err != nil {
			return
		}
		if err := report.Save(dir, r); err != nil {
			t.Fatal(err)
		}
		if _, err := report.Load(filepath.Join(dir, report.FileName)); err != nil {
			t.Error(err)
		}
	})
}
