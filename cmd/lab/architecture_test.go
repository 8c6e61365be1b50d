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

var rules = []rule{
	{"the language knows hcl, cty and itself alone", below("dsl"), func(_, i string) bool {
		if ours(i) {
			return !below("dsl")(i)
		}
		return strings.Contains(i, ".") && !strings.HasPrefix(i, "github.com/hashicorp/hcl/v2") && !strings.HasPrefix(i, "github.com/zclconf/go-cty")
	}},
	{"data and judgement know no Kubernetes client", oneOf("collectors", "clusters", "labs/expect", "labs/report", "labs/report/compare", "labs/report/html", "labs/plan", "labs/replay", "labs/console"),
		func(_, i string) bool { return kubernetes(i) }},
	{"the engine sees no implementation", oneOf("labs/run"), func(_, i string) bool {
		return kubernetes(i) || strings.HasPrefix(i, "clusters/") || strings.HasPrefix(i, "collectors/") || strings.HasPrefix(i, "labs/step/")
	}},
	{"a step knows neither the language nor the engine, nor any implementation of clusters", below("labs/step"), func(_, i string) bool {
		return ours(i) && i != "clusters" && i != "collectors" && !below("labs/step")(i)
	}},
	{"collectors and clusters know only their own root and what is internal to it", func(p string) bool {
		return strings.HasPrefix(p, "collectors/") || strings.HasPrefix(p, "clusters/")
	}, func(p, i string) bool {
		root := strings.SplitN(p, "/", 2)[0]
		return ours(i) && i != root && part(i) != part(p) && part(i) != root+"/internal"
	}},
	{"only labs/world wires: nothing else of labs imports implementations of clusters", func(p string) bool {
		return below("labs")(p) && p != "labs/world"
	}, func(p, i string) bool {
		if p == "labs/labtest" && i == "clusters/e2e" { // the framework's side of what labs/world lends
			return false
		}
		return i != "clusters/gates" && (strings.HasPrefix(i, "clusters/") || strings.HasPrefix(i, "collectors/"))
	}},
	{"the language's tools and judgement do not reach for the world", func(p string) bool {
		return below("labs")(p) && p != "labs/world" && p != "labs/labtest"
	}, func(_, i string) bool { return i == "labs/world" || i == "labs/labtest" }},
	{"the e2e-framework is for Go tests, and no part of the program", func(p string) bool {
		return p != "clusters/e2e" && p != "labs/labtest"
	}, func(_, i string) bool { return strings.HasPrefix(i, "sigs.k8s.io/e2e-framework") }},
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
