package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/kind-lab/lab/"

// rule says what packages may not import, directly.
type rule struct {
	why string
	// of says whether it is about the package, both without the module.
	of func(pkg string) bool
	// forbids says whether the import breaks it; an import of this module is
	// without the module's path.
	forbids func(pkg, imported string) bool
}

func below(root string) func(string) bool {
	return func(pkg string) bool { return pkg == root || strings.HasPrefix(pkg, root+"/") }
}

func oneOf(names ...string) func(string) bool {
	return func(pkg string) bool {
		for _, n := range names {
			if pkg == n {
				return true
			}
		}
		return false
	}
}

func kubernetes(imported string) bool {
	return strings.HasPrefix(imported, "k8s.io/") || strings.HasPrefix(imported, "sigs.k8s.io/")
}

// part is the first two elements of a package's path: clusters/kind.
func part(pkg string) string {
	elements := strings.SplitN(pkg, "/", 3)
	return strings.Join(elements[:min(2, len(elements))], "/")
}

// aForm says whether a package shows a run. Text is below the others, which take
// their words from it.
var aForm = oneOf("labs/report/live", "labs/report/junit", "labs/report/markdown", "labs/report/html", "labs/report/compare")

// buildLevel is how high a package stands among those that builds of images
// share, from 1; 0 means that it is none of them.
func buildLevel(pkg string) int {
	name, found := strings.CutPrefix(pkg, "clusters/internal/")
	if !found {
		return 0
	}
	return map[string]int{"store": 1, "build": 2, "oci": 2, "gotool": 3, "debian": 3, "images": 3}[name]
}

var rules = []rule{
	{"the language knows hcl, cty, versions, typing mistakes and itself alone", below("dsl"), func(_, i string) bool {
		if ours(i) {
			return !below("dsl")(i)
		}
		return strings.Contains(i, ".") && !strings.HasPrefix(i, "github.com/hashicorp/hcl/v2") && !strings.HasPrefix(i, "github.com/zclconf/go-cty") &&
			i != "github.com/hashicorp/go-version" && i != "github.com/agext/levenshtein"
	}},
	{"data and judgement know no Kubernetes client", oneOf("collectors", "clusters", "labs/expect", "labs/plan", "labs/player", "labs/replay", "labs/console"),
		func(_, i string) bool { return kubernetes(i) }},
	{"a report knows no Kubernetes client", below("labs/report"), func(_, i string) bool { return kubernetes(i) }},
	{"the engine and the report's model know nothing of how a run is shown", oneOf("labs/run", "labs/report"),
		func(_, i string) bool { return strings.HasPrefix(i, "labs/report/") }},
	{"layout knows statuses and nothing of reports", oneOf("labs/report/layout"), func(_, i string) bool { return ours(i) && i != "labs/expect" }},
	{"a form of the report knows no other", aForm, func(_, i string) bool { return aForm(i) || i == "labs/report/forms" }},
	{"the engine sees no implementation", oneOf("labs/run"), func(_, i string) bool {
		return kubernetes(i) || strings.HasPrefix(i, "clusters/") || strings.HasPrefix(i, "collectors/") || strings.HasPrefix(i, "labs/step/") && i != "labs/step/failure"
	}},
	{"a step knows the language, and neither the engine nor any implementation of clusters", below("labs/step"), func(_, i string) bool {
		return ours(i) && i != "clusters" && i != "collectors" && !below("labs/step")(i) && !below("dsl")(i)
	}},
	{"collectors and clusters know only their own root and what is internal to it", func(p string) bool {
		return strings.HasPrefix(p, "collectors/") || strings.HasPrefix(p, "clusters/")
	}, func(p, i string) bool {
		root := strings.SplitN(p, "/", 2)[0]
		return ours(i) && i != root && i != "clusters/versions" && part(i) != part(p) && part(i) != root+"/internal"
	}},
	{"of what builds of images share, each knows only what lies below it", func(p string) bool { return buildLevel(p) > 0 }, func(p, i string) bool {
		return below("clusters/internal")(i) && buildLevel(i) >= buildLevel(p)
	}},
	{"only labs/wiring wires: nothing else of labs imports implementations of clusters", func(p string) bool {
		return below("labs")(p) && p != "labs/wiring"
	}, func(p, i string) bool {
		if p == "labs/labtest" && i == "clusters/e2e" { // the framework's side of what labs/wiring lends
			return false
		}
		return i != "clusters/gates" && i != "clusters/versions" && (strings.HasPrefix(i, "clusters/") || strings.HasPrefix(i, "collectors/"))
	}},
	{"the language's tools and judgement do not reach for the world", func(p string) bool {
		return below("labs")(p) && p != "labs/wiring" && p != "labs/labtest"
	}, func(_, i string) bool { return i == "labs/wiring" || i == "labs/labtest" }},
	{"the e2e-framework is for Go tests, and no part of the program", func(p string) bool {
		return p != "clusters/e2e" && p != "labs/labtest"
	}, func(_, i string) bool { return strings.HasPrefix(i, "sigs.k8s.io/e2e-framework") }},
	{"charts and kustomizations are rendered in one place", func(p string) bool {
		return p != "labs/render"
	}, func(_, i string) bool {
		return strings.HasPrefix(i, "helm.sh/") || strings.HasPrefix(i, "sigs.k8s.io/kustomize/")
	}},
	{"rendering reaches no cluster, and no other part but what the language says of it", oneOf("labs/render"), func(_, i string) bool {
		scheme := i == "k8s.io/client-go/kubernetes/scheme"
		return ours(i) && i != "dsl/value" || strings.HasPrefix(i, "k8s.io/client-go") && !scheme || strings.HasPrefix(i, "net")
	}},
	{"the table of versions is data alone", oneOf("clusters/versions"), func(_, i string) bool { return strings.Contains(i, ".") || ours(i) }},
	{"nothing imports cmd", func(string) bool { return true }, func(_, i string) bool { return below("cmd")(i) }},
}

func ours(imported string) bool {
	switch strings.SplitN(imported, "/", 2)[0] {
	case "cmd", "dsl", "labs", "clusters", "collectors":
		return true
	}
	return false
}

func TestImportsKeepToTheArchitecture(t *testing.T) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	packages := 0
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages++
		pkg := strings.TrimPrefix(p.ImportPath, module)
		for _, imported := range p.Imports {
			imported = strings.TrimPrefix(imported, module)
			for _, r := range rules {
				if r.of(pkg) && r.forbids(pkg, imported) {
					t.Errorf("%s imports %s: %s", pkg, imported, r.why)
				}
			}
		}
	}
	if packages < 15 {
		t.Errorf("only %d packages were looked at", packages)
	}
}

func TestTopLevelIsAsGiven(t *testing.T) {
	cmd := exec.Command("git", "ls-files")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("listing the files that git tracks: %v", err)
	}
	for _, file := range strings.Fields(string(out)) {
		top := strings.SplitN(file, "/", 2)[0]
		switch top {
		case "cmd", "dsl", "labs", "clusters", "collectors", "go.mod", "go.sum", "Makefile", "README.md":
		default:
			if !strings.HasPrefix(top, ".") {
				t.Errorf("%s is outside of the given top level", file)
			}
		}
	}
}
