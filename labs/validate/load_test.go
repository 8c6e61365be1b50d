package validate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/catalog"
	"github.com/kind-lab/lab/labs/render"
)

const (
	rightScenario = `cluster "c" { kubernetes = "1.29" }
scenario "s" {
  clusters = [cluster.c]
  sleep "x" { duration = "1s" }
}
`
	// oddGate is a mistake in a cluster, and oddManifest one in a step.
	oddGate     = "cluster \"g\" {\n  kubernetes    = \"1.29\"\n  feature_gates = { Sidecars = true }\n}\n"
	oddManifest = "scenario \"m\" {\n  clusters = [cluster.g]\n  apply \"x\" { manifests = \"- a\" }\n}\n"
)

func TestLoad(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"nothing is wrong":                         {rightScenario, nil},
		"what Kubernetes does not know":            {rightScenario + oddGate + oddManifest, []string{"Unknown feature gate", "Invalid manifest"}},
		"a mistake in the language, and a cluster": {rightScenario + oddGate + oddManifest + "locals { x = var.nope }\n", []string{"Unknown feature gate", "Unknown variable"}},
		"a version that is none":                   {strings.Replace(rightScenario, "1.29", "new", 1), []string{"Invalid Kubernetes version"}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			file := filepath.Join(folder, dsl.ScenarioFile)
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, named := range []string{file, folder} {
				m, list, err := Load(named, dsl.Options{})
				if err != nil || m == nil {
					t.Fatal(m, err)
				}
				var got []string
				for _, d := range list {
					got = append(got, d.Summary)
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s\n%s", named, diff, list.Error())
				}
			}
		})
	}
}

func TestLoadTakesLabsOfTheCatalogByTheirNames(t *testing.T) {
	names, err := catalog.Names()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir()) // where no file has the name
	for _, name := range names {
		m, list, err := Load(name, dsl.Options{})
		if err != nil || m.Path != name || len(m.Scenarios) == 0 || len(list) > 0 {
			t.Errorf("%s: %v, %v", name, list, err)
		}
	}
	_, _, err = Load("no-such-lab", dsl.Options{})
	if err == nil {
		t.Fatal("there is a no-such-lab")
	}
	for _, name := range append(names, "no file or folder no-such-lab") {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%q does not name %s", err, name)
		}
	}
}

func TestVersionConstraints(t *testing.T) {
	for constraint, right := range map[string]bool{
		"1.29": true, "1.29.3": true, "~> 1.28": true, "~> 1.28.3": true, ">= 1.27, < 1.30": false, "": false, "new": false, "1.29.x": false, "v": false, ">=": false,
	} {
		if err := Version(constraint); (err == nil) != right {
			t.Errorf("%q: %v", constraint, err)
		}
	}
}

// TestTheSameIsSaidInTheSameOrder checks each scenario of the tests again and
// again, and one with several mistakes at one place.
func TestTheSameIsSaidInTheSameOrder(t *testing.T) {
	folders, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	computed := t.TempDir()
	text := rightScenario + "locals { gates = { Zebra = true, Yak = true, Xerus = true, Wombat = true } }\ncluster \"g\" {\n  kubernetes    = \"1.29\"\n  feature_gates = local.gates\n}\n"
	if err := os.WriteFile(filepath.Join(computed, dsl.ScenarioFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, folder := range append(folders, computed) {
		m, list := dsl.Load(folder, dsl.Options{Providers: providers(), Renderer: render.Renderer{}})
		if list.HasErrors() {
			t.Fatal(list.Error())
		}
		first := Check(m)
		if len(first) == 0 {
			t.Errorf("%s: nothing is wrong", folder)
		}
		for range 20 {
			if again := Check(m); !slices.Equal(said(again), said(first)) {
				t.Fatalf("%s: at first\n%s\nand then\n%s", folder, strings.Join(said(first), "\n"), strings.Join(said(again), "\n"))
			}
		}
		for _, d := range first {
			if d.Range == nil || d.Range.Start.Line < 1 || d.Range.End.Byte < d.Range.Start.Byte {
				t.Errorf("%s: %s is at no place: %+v", folder, d.Summary, d.Range)
				continue
			}
			data, err := os.ReadFile(d.Range.Filename)
			if err != nil || d.Range.End.Byte > len(data) || strings.Count(string(data[:d.Range.Start.Byte]), "\n")+1 != d.Range.Start.Line {
				t.Errorf("%s: %s is at another line than its byte: %+v, %v", folder, d.Summary, d.Range, err)
			}
		}
	}
}
