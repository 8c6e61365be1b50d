package main

import (
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
)

// module is the path of the project's module.
const module = "github.com/kind-lab/lab/"

// published are packages that nothing but tests imports here, and that are made
// for the tests of others: they are part of the product.
var published = map[string]bool{"labs/labtest": true, "clusters/e2e": true}

// testPackages are the folders of packages that tests import, and nothing else
// does: fakes and suites of tests. A folder below such a folder is part of it.
type testPackages map[string]bool

// readTestPackages finds them by the imports of all files.
func readTestPackages(root string) (testPackages, error) {
	byTests, byCode := map[string]bool{}, map[string]bool{}
	err := sources(root, func(s source) error {
		if s.isTestdata() {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), s.name, s.text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imported := range parsed.Imports {
			name, err := strconv.Unquote(imported.Path.Value)
			if err != nil {
				return err
			}
			folder, ours := strings.CutPrefix(name, module)
			switch {
			case !ours || isBelow(s.name, folder):
			case s.isTest():
				byTests[folder] = true
			default:
				byCode[folder] = true
			}
		}
		return nil
	}, ".go")
	found := testPackages{}
	for folder := range byTests {
		found[folder] = !byCode[folder] && !published[folder]
	}
	return found, err
}

func isBelow(name, folder string) bool { return strings.HasPrefix(name, folder+"/") }

// has says whether a file belongs to one of them.
func (p testPackages) has(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if p[dir] {
			return true
		}
	}
	return false
}
