package validate

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/catalog"
)

// ofTypes are the summaries of what dsl/value finds by the types of values.
func ofTypes(list diag.List) []string {
	summaries := []string{"Impossible comparison", "Impossible value", "Not a number", "Not true or false", "Invalid function argument", "Operation failed"}
	var found []string
	for _, d := range list {
		if slices.Contains(summaries, d.Summary) {
			found = append(found, d.String())
		}
	}
	return found
}

// TestNoFalseAlarms looks at every scenario of the project that is meant to be
// right: those of the tests, and the examples of the pages.
func TestNoFalseAlarms(t *testing.T) {
	var files []string
	for _, root := range []string{"../../cmd", "../../labs", "../../clusters", "../../dsl/testdata/valid"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".hcl") || strings.HasSuffix(path, ".hcl.json") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(files) < 30 {
		t.Fatalf("only %d scenarios were found", len(files))
	}
	for _, file := range files {
		m, list := dsl.Load(file, dsl.Options{NoValues: true, ClusterSets: catalog.ClusterSets()})
		if !list.HasErrors() {
			list = append(list, Check(m)...)
		}
		for _, text := range ofTypes(list) {
			t.Errorf("%s: %s", file, text)
		}
	}
}

// TestNoFalseAlarmsInPages looks at the examples of the pages.
func TestNoFalseAlarmsInPages(t *testing.T) {
	examples := 0
	for _, page := range []string{"../../README.md", "../../dsl/README.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range regexp.MustCompile("(?s)```hcl\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			src := block[1]
			if !regexp.MustCompile(`(?m)^(scenario|cluster|variable|locals|lab)\b`).MatchString(src) {
				src = "cluster \"c\" { kubernetes = \"1.29\" }\nscenario \"s\" {\n  clusters = [cluster.c]\n" + src + "\n}\n"
			}
			_, list := dsl.LoadFS(fstest.MapFS{"x.hcl": {Data: []byte(src)}}, "x.hcl", dsl.Options{NoValues: true})
			for _, text := range ofTypes(list) {
				if !strings.Contains(text, "there is no file") {
					t.Errorf("%s: %s", page, text)
				}
			}
			examples++
		}
	}
	if examples < 10 {
		t.Errorf("only %d examples were found", examples)
	}
}
