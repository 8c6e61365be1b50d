package catalog_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/labs/catalog"
	"github.com/kind-lab/lab/labs/validate"
)

func names(t *testing.T) []string {
	t.Helper()
	names, err := catalog.Names()
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Fatal("there is no lab")
	}
	return names
}

func TestEveryLabIsValidAndToldOf(t *testing.T) {
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) {
			m, problems, err := validate.Load(name, dsl.Options{}) // as it is embedded
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range problems {
				t.Errorf("%s: %s", p.Summary, p.Detail)
			}
			if m.Name != name || m.Description == "" {
				t.Errorf("it calls itself %q, and is described as %q", m.Name, m.Description)
			}
			folder, err := catalog.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			readme, err := fs.ReadFile(folder, "README.md")
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(readme), "lab run "+name) {
				t.Errorf("its README does not say: lab run %s", name)
			}
		})
	}
}

// TestEveryLabRunsOnTheStandardClusters holds them alike, so that labs take each
// other's clusters from the pool, and says which READMEs have to tell of a version
// that is added to them.
func TestEveryLabRunsOnTheStandardClusters(t *testing.T) {
	for _, name := range names(t) {
		m, _, err := validate.Load(name, dsl.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(schema.SetNames(m.ClusterSets), catalog.StandardSet) {
			t.Errorf("%s does not take its clusters from the set %q: lab { cluster_sets = [%[2]q] }", name, catalog.StandardSet)
		}
		folder, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		readme, err := fs.ReadFile(folder, "README.md")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range catalog.Standard().Clusters {
			used := slices.ContainsFunc(m.Scenarios, func(s *dsl.Scenario) bool {
				return slices.ContainsFunc(s.Clusters, func(on *dsl.Cluster) bool { return on.Name == c.Name })
			})
			if !used {
				t.Errorf("no scenario of %s runs on the standard cluster %s", name, c.Name)
			}
			if !strings.Contains(string(readme), c.Name) && !strings.Contains(string(readme), c.Kubernetes) {
				t.Errorf("the README of %s says nothing of the standard cluster %s, Kubernetes %s", name, c.Name, c.Kubernetes)
			}
		}
	}
}

func TestEveryFolderIsALab(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(e.Name(), "scenario.hcl")); err == nil {
			folders = append(folders, e.Name())
		}
	}
	if got := names(t); !slices.Equal(got, folders) {
		t.Errorf("the catalog has %v, and the folders with a scenario.hcl are %v", got, folders)
	}
}
