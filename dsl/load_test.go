package dsl

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/dsl/diag"
)

var update = flag.Bool("update", false, "write golden files anew")

// TestInvalid loads files with mistakes. A comment on the line of each mistake has
// the expected diagnostic. There must be no other diagnostics.
func TestInvalid(t *testing.T) {
	files, err := filepath.Glob("testdata/invalid/*.hcl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			_, list := Load(file, Options{ClusterSets: testSets(), Providers: testProviders()})
			want := expected(t, file)
			for _, d := range list {
				line := 0
				if d.Range != nil {
					line = d.Range.Start.Line
				}
				if !take(want, line, d.Summary+"; "+d.Detail) {
					t.Errorf("unexpected: %s", d)
				}
				if d.Snippet == nil && d.Range != nil {
					t.Errorf("no snippet: %s", d)
				}
			}
			for line, texts := range want {
				for _, text := range texts {
					t.Errorf("%s:%d: nothing says %q", file, line, text)
				}
			}
		})
	}
}

// take removes the first text that is expected on a line and is part of said.
func take(want map[int][]string, line int, said string) bool {
	for i, text := range want[line] {
		if strings.Contains(said, text) {
			want[line] = append(want[line][:i:i], want[line][i+1:]...)
			return true
		}
	}
	return false
}

func expected(t *testing.T, file string) map[int][]string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := map[int][]string{}
	for i, line := range strings.Split(string(data), "\n") {
		parts := regexp.MustCompile(`\s*# ERROR: `).Split(line, -1)
		want[i+1] = append(want[i+1], parts[1:]...)
	}
	return want
}

// TestInvalidText compares the diagnostics of the whole corpus with golden files.
func TestInvalidText(t *testing.T) {
	files, err := filepath.Glob("testdata/invalid/*.hcl")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		_, list := Load(file, Options{ClusterSets: testSets(), Providers: testProviders()})
		var b strings.Builder
		if err := diag.WriteText(&b, list, diag.Style{Width: 100}); err != nil {
			t.Fatal(err)
		}
		golden(t, strings.TrimSuffix(file, ".hcl")+".golden", b.String())
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
