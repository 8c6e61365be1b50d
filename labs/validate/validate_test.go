package validate

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/catalog"
	"github.com/kind-lab/lab/labs/render"
)

// TestCheck checks scenarios that say, on the line of each mistake, in the
// scenario or in a manifest, what must be said about it. Nothing else may be.
func TestCheck(t *testing.T) {
	folders, err := filepath.Glob("testdata/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no folders: %v", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			m, list := dsl.Load(folder, dsl.Options{Providers: providers(), Renderer: render.Renderer{}})
			if list.HasErrors() {
				t.Fatal(list.Error())
			}
			want := expected(t, folder)
			for _, d := range Check(m) {
				at := fmt.Sprintf("%s:%d", d.Range.Filename, d.Range.Start.Line)
				if !take(want, at, strings.ToUpper(d.Severity)+": "+d.Summary+"; "+d.Detail) {
					t.Errorf("unexpected: %s: %s", d.Severity, d)
				}
				if d.Snippet == nil {
					t.Errorf("no snippet: %s", d)
				}
			}
			for at, texts := range want {
				for _, text := range texts {
					t.Errorf("%s: nothing says %q", at, text)
				}
			}
		})
	}
}

// take removes the first text wanted at a place that is in said.
func take(want map[string][]string, at, said string) bool {
	for i, text := range want[at] {
		severity, words, _ := strings.Cut(text, ": ")
		if strings.HasPrefix(said, severity) && strings.Contains(said, words) {
			want[at] = append(want[at][:i:i], want[at][i+1:]...)
			return true
		}
	}
	return false
}

func expected(t *testing.T, folder string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	mark := regexp.MustCompile(`(?:ERROR|WARNING): `)
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.IsDir() { // of a chart
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(data), "\n") {
			at := fmt.Sprintf("%s:%d", file, i+1)
			for _, part := range strings.Split(line, " # ")[1:] {
				if mark.MatchString(part) {
					want[at] = append(want[at], strings.TrimSpace(part))
				}
			}
		}
	}
	return want
}

// TestCatalog finds nothing to say about the labs that come with the program.
func TestCatalog(t *testing.T) {
	names, err := catalog.Names()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		folder, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		m, list := dsl.LoadFS(folder, dsl.ScenarioFile, dsl.Options{ClusterSets: catalog.ClusterSets()})
		if list = append(list, Check(m)...); len(list) > 0 {
			t.Errorf("%s: %s", name, list.Error())
		}
	}
}

// FuzzManifest reads any bytes as a manifest, and points at what is wrong with
// it.
func FuzzManifest(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	const src = `
cluster "a" { kubernetes = "1.28" }
scenario "s" {
  clusters = [cluster.a]
  apply "x" { manifests = [file("x.yaml"), "${file("x.yaml")}"] }
  expect "e" { condition = pod.web.container["main"].ready || job.x.complete }
}
`
	f.Fuzz(func(t *testing.T, data []byte) {
		fsys := fstest.MapFS{"s.hcl": {Data: []byte(src)}, "x.yaml": {Data: data}}
		m, list := dsl.LoadFS(fsys, "s.hcl", dsl.Options{})
		if list.HasErrors() {
			return // file() says no to bytes that are no text
		}
		if err := diag.WriteText(&strings.Builder{}, Check(m), diag.Style{Width: 80}); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		var src strings.Builder
		src.WriteString("cluster \"a\" { kubernetes = \"1.28\" }\n")
		for i := range n {
			fmt.Fprintf(&src, "scenario \"s%d\" {\n  clusters = [cluster.a]\n  apply \"job\" { manifests = [file(\"job.yaml\")] }\n", i)
			for j := range 10 {
				fmt.Fprintf(&src, "  expect \"e%d\" {\n    condition = job.myapp.complete && job.myapp.pod.container[\"main\"].exit_code == %d\n    when = target.minor > 27\n  }\n", j, j)
			}
			src.WriteString("}\n")
		}
		job, err := os.ReadFile("testdata/references/job.yaml")
		if err != nil {
			b.Fatal(err)
		}
		m, list := dsl.LoadFS(fstest.MapFS{"scenario.hcl": {Data: []byte(src.String())}, "job.yaml": {Data: job}}, "scenario.hcl", dsl.Options{})
		if len(list) > 0 {
			b.Fatal(list.Error())
		}
		b.Run(fmt.Sprintf("scenarios=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if list := Check(m); list.HasErrors() {
					b.Fatal(list.Error())
				}
			}
		})
	}
}
