package dsl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFormat(t *testing.T) {
	for name, tt := range map[string]struct{ src, want, wrong string }{
		"alignment":         {"locals{\na=1\n  long = 2 # c\n x =   3 # d\n}\n", "locals {\n  a    = 1\n  long = 2 # c\n  x    = 3 # d\n}\n", ""},
		"heredoc is kept":   {"locals {\nx = <<EOT\n   a\n b\nEOT\n}\n", "locals {\n  x = <<EOT\n   a\n b\nEOT\n}\n", ""},
		"a byte order mark": {"\xef\xbb\xbflocals {}\n", "locals {}\n", ""},
		"empty":             {"", "", ""},
		"no parse":          {"locals {\n", "locals {\n", "Unclosed configuration block"},
	} {
		t.Run(name, func(t *testing.T) {
			got, list := Format([]byte(tt.src), "x.hcl")
			if string(got) != tt.want || !strings.Contains(list.Error(), tt.wrong) || tt.wrong == "" && len(list) > 0 {
				t.Errorf("got %q, %s", got, list.Error())
			}
		})
	}
}

// TestFilesAreFormatted checks that the scenario files in the repository are
// formatted.
func TestFilesAreFormatted(t *testing.T) {
	for _, pattern := range []string{"testdata/valid/*.hcl", "testdata/valid/*/*.hcl", "../labs/catalog/*/*.hcl"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, name := range files {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if out, _ := Format(src, name); string(out) != string(src) {
				t.Errorf("%s is not formatted: `lab fmt` does it", name)
			}
		}
	}
}

// FuzzFormat checks that Format does not change the meaning of a source, and
// changes nothing the second time.
func FuzzFormat(f *testing.F) {
	corpus(f, ".hcl")
	f.Fuzz(func(t *testing.T, src []byte) {
		once, list := Format(src, "x.hcl")
		if list.HasErrors() {
			return
		}
		twice, list := Format(once, "x.hcl")
		if list.HasErrors() {
			t.Fatalf("%q cannot be parsed any more: %s", once, list.Error())
		}
		if string(twice) != string(once) {
			t.Errorf("%q formatted again is %q", once, twice)
		}
	})
}
