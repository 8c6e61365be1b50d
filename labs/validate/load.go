package validate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/catalog"
	"github.com/kind-lab/lab/labs/render"
)

// Load reads and checks the scenario that is named: a file, a folder that holds
// a scenario.hcl, or a lab of the catalog. The error says that there is none of
// that name; what is wrong with one that is there is in the diagnostics. If
// o.ClusterSets is nil, the sets are those of the catalog, and if o.Renderer is nil,
// Helm and Kustomize render.
func Load(name string, o dsl.Options) (*dsl.Module, diag.List, error) {
	if o.CheckVersion == nil {
		o.CheckVersion = Version
	}
	if o.Renderer == nil {
		o.Renderer = render.Renderer{}
	}
	if o.ClusterSets == nil {
		o.ClusterSets = catalog.ClusterSets()
	}
	if _, err := os.Stat(name); err == nil {
		m, problems := dsl.Load(name, o)
		return m, checked(m, problems), nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("reading the scenario: %w", err)
	}
	folder, err := catalog.Open(name)
	if err != nil {
		names, _ := catalog.Names()
		return nil, nil, fmt.Errorf("no file or folder %s, and no lab of that name. The catalog has: %s", name, strings.Join(names, ", "))
	}
	m, problems := dsl.LoadFS(folder, "scenario.hcl", o)
	m.Path = name
	return m, checked(m, problems), nil
}

// checked adds what cannot work on Kubernetes to the mistakes in a scenario;
// where it has some of the language's, as far as that is known.
func checked(m *dsl.Module, problems diag.List) diag.List {
	if problems.HasErrors() {
		problems = append(problems, Clusters(m)...)
	} else {
		problems = append(problems, Check(m)...)
	}
	problems.Sort()
	return problems
}

// Version checks a constraint of Kubernetes versions.
func Version(constraint string) error {
	_, err := clusters.ParseConstraint(constraint)
	return err
}
