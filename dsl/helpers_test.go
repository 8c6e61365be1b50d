package dsl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/dsl/value"
)

// problem is what a test wants to be reported: words of the summary or the detail,
// in any case, apart by "|".
type problem = string

// unmark takes the signs « and » out of a source and returns the ranges, in
// bytes, that they stood around.
func unmark(src string) (string, [][2]int) {
	var b strings.Builder
	var open []int
	var ranges [][2]int
	for _, r := range src {
		switch r {
		case '«':
			open = append(open, len(ranges))
			ranges = append(ranges, [2]int{b.Len(), -1})
		case '»':
			ranges[open[len(open)-1]][1] = b.Len()
			open = open[:len(open)-1]
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), ranges
}

// wantProblems loads a source in which « and » stand around the places of the
// wanted errors, in the order of the source, and compares places and words.
func wantProblems(t *testing.T, file, src string, opts Options, want ...problem) *Module {
	t.Helper()
	text, ranges := unmark(src)
	m, list := LoadFS(fstest.MapFS{file: {Data: []byte(text)}}, file, opts)
	compareProblems(t, text, mistakes(list), ranges, want)
	return m
}

// wantWarnings is wantProblems for warnings, of a source without errors.
func wantWarnings(t *testing.T, src string, want ...problem) {
	t.Helper()
	text, ranges := unmark(src)
	_, list := LoadFS(fstest.MapFS{"x.hcl": {Data: []byte(text)}}, "x.hcl", Options{})
	if list.HasErrors() {
		t.Fatalf("errors: %s", list.Error())
	}
	compareProblems(t, text, list, ranges, want)
}

func compareProblems(t *testing.T, text string, got diag.List, ranges [][2]int, want []problem) {
	t.Helper()
	if len(ranges) != len(want) {
		t.Fatalf("the test marks %d places and wants %d problems", len(ranges), len(want))
	}
	if len(got) != len(want) {
		t.Fatalf("%d problems, want %d:\n%s", len(got), len(want), got.Error())
	}
	for i, d := range got {
		if d.Range == nil {
			t.Errorf("no place: %s", d)
			continue
		}
		if at := [2]int{d.Range.Start.Byte, d.Range.End.Byte}; at != ranges[i] {
			t.Errorf("%s\nis about %q, want %q", d, text[at[0]:at[1]], text[ranges[i][0]:ranges[i][1]])
		}
		says(t, d, want[i])
	}
}

// says checks that a diagnostic has all words that are wanted.
func says(t *testing.T, d diag.Diagnostic, want problem) {
	t.Helper()
	said := strings.ToLower(d.Summary + "\n" + d.Detail)
	for _, word := range strings.Split(want, "|") {
		if !strings.Contains(said, strings.ToLower(word)) {
			t.Errorf("%q is not in: %s", word, d)
		}
	}
}

// good loads a source without mistakes; warnings are all right.
func good(t *testing.T, src string, opts Options) *Module {
	t.Helper()
	m, list := LoadFS(fstest.MapFS{"x.hcl": {Data: []byte(src)}}, "x.hcl", opts)
	if list.HasErrors() {
		t.Fatalf("%s\n%s", list.Error(), src)
	}
	return m
}

// inScenario is a file with a cluster c and a scenario s that holds a text.
func inScenario(text string) string {
	return "cluster \"c\" { kubernetes = \"1.29\" }\nscenario \"s\" {\n  clusters = [cluster.c]\n" + text + "\n}\n"
}

// titles are the scenarios of a module with their rows.
func titles(m *Module) []string {
	var all []string
	for _, s := range m.Scenarios {
		all = append(all, s.Title())
	}
	return all
}

// stepNames are the names of steps.
func stepNames(steps []*Step) []string {
	var all []string
	for _, s := range steps {
		all = append(all, s.Name)
	}
	return all
}

// clusterNames are the names of clusters.
func clusterNames(clusters []*Cluster) []string {
	var all []string
	for _, c := range clusters {
		all = append(all, c.Name)
	}
	return all
}

// same compares two values of a test.
func same[T any](t *testing.T, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// localOf is a local of a module, as it is shown.
func localOf(m *Module, name string) string { return value.Format(m.Locals.GetAttr(name)) }

// details are what diagnostics say, without their places.
func details(list diag.List) []string {
	var all []string
	for _, d := range list {
		all = append(all, d.Summary+": "+d.Detail)
	}
	return all
}

// sourcesIn reads the files that match patterns, by their names. Each pattern must
// match one.
func sourcesIn(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	sources := map[string]string{}
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sources[file] = string(data)
		}
	}
	return sources
}
