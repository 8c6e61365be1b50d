package forms

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
	"github.com/kind-lab/lab/labs/report/layout"
)

// documents are the sample reports, and a document with pictures.
func documents() map[string]document.Document {
	docs := map[string]document.Document{"nothing": {}, "bars": reporttest.Document(), "hostile": reporttest.Hostile()}
	for name, r := range reporttest.Samples() {
		docs[name] = document.Document{Version: document.Version, Report: r}
	}
	return docs
}

// TestEveryWriterIsInTheTable looks for packages beside this one that write a
// document or a report and that the table does not import.
func TestEveryWriterIsInTheTable(t *testing.T) {
	table, err := os.ReadFile("forms.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join("..", "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	writer := regexp.MustCompile(`(?m)^func Write\(w io\.Writer, \w+ (document\.Document|report\.Report)\b`)
	writers := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !writer.Match(source) || strings.HasSuffix(file, "_test.go") {
			continue
		}
		writers++
		if pkg := filepath.Base(filepath.Dir(file)); !strings.Contains(string(table), pkg+".Write") {
			t.Errorf("%s writes a form that is not in the table", pkg)
		}
	}
	if writers < 4 {
		t.Errorf("%d writers were found", writers)
	}
}

// TestNamesAreUnique holds that a name finds one form, and that no two forms are
// kept in one file.
func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{"": true}
	for _, f := range All() {
		if found, ok := Find(All(), f.Name); !ok || found.About != f.About || seen[f.Name] {
			t.Errorf("%q is not found by its name", f.Name)
		}
		if f.Kept != "" && seen[f.Kept] {
			t.Errorf("%s is kept twice", f.Kept)
		}
		seen[f.Name], seen[f.Kept] = true, true
	}
	if _, ok := Find(All(), "pdf"); ok {
		t.Error("an unknown name finds a form")
	}
}

// TestFormsArePureFunctions writes each document twice in each form.
func TestFormsArePureFunctions(t *testing.T) {
	for name, d := range documents() {
		before, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range All() {
			t.Run(f.Name+"/"+name, func(t *testing.T) {
				var first, second bytes.Buffer
				if err := errors.Join(f.Write(&first, d, layout.Style{}), f.Write(&second, d, layout.Style{})); err != nil {
					t.Fatal(err)
				}
				if first.Len() == 0 || !bytes.Equal(first.Bytes(), second.Bytes()) {
					t.Error("two writings of a document differ, or there is nothing")
				}
			})
		}
		if after, err := json.Marshal(d); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: a form changed the document (%v)", name, err)
		}
	}
}

// TestNothingIsObeyed looks for control characters and for a secret in what is
// written of a document with both.
func TestNothingIsObeyed(t *testing.T) {
	for _, f := range All() {
		t.Run(f.Name, func(t *testing.T) {
			var b bytes.Buffer
			if err := f.Write(&b, reporttest.Hostile(), layout.Style{}); err != nil {
				t.Fatal(err)
			}
			control := func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x202e || r == 0x9b }
			if i := strings.IndexFunc(b.String(), control); i >= 0 {
				t.Errorf("a control character is in %q", b.String()[i:min(b.Len(), i+40)])
			}
			if strings.Contains(b.String(), reporttest.Secret) {
				t.Error("the secret is in it")
			}
		})
	}
}

func TestWritingFails(t *testing.T) {
	for _, f := range All() {
		if err := f.Write(reporttest.BrokenWriter{}, reporttest.Document(), layout.Style{}); !errors.Is(err, reporttest.ErrFull) {
			t.Errorf("%s: got %v, want the writer's error", f.Name, err)
		}
	}
}

// FuzzForms writes any report in every form.
func FuzzForms(f *testing.F) {
	reporttest.AddReports(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var r report.Report
		if json.Unmarshal(data, &r) != nil {
			return
		}
		for _, form := range All() {
			var b bytes.Buffer
			style := layout.Style{Color: len(data)%2 == 0, Width: len(data) % 150}
			if err := form.Write(&b, document.Document{Report: r}, style); err != nil {
				t.Errorf("%s: %v", form.Name, err)
			}
			if form.Name == "junit" {
				wellFormed(t, b.Bytes())
			}
		}
	})
}

// wellFormed reads XML to its end.
func wellFormed(t *testing.T, data []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Error(err)
			return
		}
	}
}
