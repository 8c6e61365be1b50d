package report

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSaveAndLoad(t *testing.T) {
	for name, want := range samples() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for range 2 { // the second replaces the first
				if err := Save(dir, want); err != nil {
					t.Fatal(err)
				}
			}
			got, err := Load(filepath.Join(dir, FileName))
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
	if err := Save(filepath.Join(dir, "missing"), samplePass()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("into a folder that is not there: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, FileName), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Save(dir, samplePass()); err == nil {
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
		{"nothing", "", "cut off", false},
		{"no JSON", "PASS", "not a report", false},
		{"cut off", `{"version": 1, "id": "x"`, "cut off", false},
		{"another file", `{"name": "x"}`, "not a report of lab", true},
		{"newer", `{"version": 2, "runs": "in another form"}`, "a newer lab wrote it", true},
		{"damaged", `{"version": 1, "runs": 7}`, "damaged", false},
		{"unknown status", `{"version": 1, "status": "flaky"}`, `unknown status "flaky"`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), FileName)
			if err := os.WriteFile(path, []byte(test.content), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := Load(path)
			if err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v, want it to say %q and the path", err, test.says)
			}
			if errors.Is(err, ErrVersion) != test.version {
				t.Errorf("%v is ErrVersion: %t, want %t", err, !test.version, test.version)
			}
		})
	}
	if _, err := Load(filepath.Join(t.TempDir(), FileName)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// FuzzLoad feeds any bytes as run.json. Whatever is accepted can be told in
// every form, and saved and loaded again.
func FuzzLoad(f *testing.F) {
	for name, r := range samples() {
		dir := f.TempDir()
		if err := Save(dir, r); err != nil {
			f.Fatal(name, err)
		}
		data, err := os.ReadFile(filepath.Join(dir, FileName))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Add([]byte(`{"version":1,"runs":[{"steps":[{"verdict":{"diagnostic":{"snippet":{"code":"a\nb","highlight_start":-3,"highlight_end":99}}}}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decode(data)
		if err != nil {
			return
		}
		var text, junit bytes.Buffer
		if err := WriteText(&text, r, Style{Color: len(data)%2 == 0, Width: len(data) % 150}); err != nil {
			t.Error(err)
		}
		if err := WriteJUnit(&junit, r); err != nil {
			t.Error(err)
		}
		if err := wellFormed(junit.Bytes()); err != nil {
			t.Error(err)
		}
		dir := t.TempDir()
		if err := Save(dir, r); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(filepath.Join(dir, FileName)); err != nil {
			t.Error(err)
		}
	})
}
