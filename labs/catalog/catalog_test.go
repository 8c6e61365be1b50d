package catalog_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kind-lab/lab/dsl"
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

// TestEveryLabDeclaresTheStandardClusters holds them alike, so that labs take
// each other's clusters from the pool.
func TestEveryLabDeclaresTheStandardClusters(t *testing.T) {
	for _, name := range names(t) {
		m, _, err := validate.Load(name, dsl.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range catalog.StandardClusters() {
			i := slices.IndexFunc(m.Clusters, func(c *dsl.Cluster) bool { return c.Name == want.Name })
			if i < 0 {
				t.Errorf("%s does not declare %s", name, want.Name)
				continue
			}
			c := m.Clusters[i]
			if c.Existing != nil || c.Kubernetes != want.Kubernetes || !maps.Equal(c.FeatureGates, want.FeatureGates) || c.Image != "" ||
				c.ControlPlanes > 1 || c.Workers > 0 || len(c.Components)+len(c.RuntimeConfig)+len(c.ContainerdPatches)+len(c.KubeadmPatches) > 0 {
				t.Errorf("%s: %s is not Kubernetes %s with the gates %v alone", name, want.Name, want.Kubernetes, want.FeatureGates)
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
