package dsl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/dsl/value"
)

// FuzzLoad loads any bytes as a scenario, writes what is wrong with it, and
// evaluates all that it asks for while nothing was observed.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/invalid/*.hcl", "testdata/valid/*.hcl", "testdata/valid/*/*.hcl"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("%s: no files: %v", pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		fsys := fstest.MapFS{"x.hcl": {Data: src}, "a.yaml": {Data: src}}
		m, list := LoadFS(fsys, "x.hcl", Options{Vars: map[string]string{"image": "x"}})
		if m == nil {
			t.Fatal("no module")
		}
		if err := diag.WriteText(&strings.Builder{}, list, diag.Style{Width: 80}); err != nil {
			t.Fatal(err)
		}
		for _, s := range m.Scenarios {
			scope := &value.Scope{Vars: m.Vars, Locals: m.Locals, ScenarioLocals: s.Locals, Dir: m.FS, PathScenario: m.Dir}
			for _, step := range s.Steps {
				for _, expr := range expressions(step) {
					_, diags := scope.Eval(expr)
					if diags.HasErrors() && !list.HasErrors() {
						t.Errorf("%s is wrong only when it is evaluated: %s", expr.Range(), diags)
					}
					scope.References(expr)
				}
			}
		}
	})
}

// expressions are those that a step evaluates.
func expressions(step *Step) []hcl.Expression {
	var all []hcl.Expression
	if a := step.Apply; a != nil {
		all = append(all, a.Manifests, a.ExpectError)
	}
	if e := step.Expect; e != nil {
		all = append(all, e.Condition, e.Outcome, e.When, e.Message)
	}
	var given []hcl.Expression
	for _, e := range all {
		if e != nil {
			given = append(given, e)
		}
	}
	return given
}
