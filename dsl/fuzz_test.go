package dsl

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/dsl/value"
)

// corpus adds the files of testdata with a suffix to the seeds.
func corpus(f *testing.F, ending string) {
	for _, pattern := range []string{"testdata/invalid/*", "testdata/valid/*", "testdata/valid/*/*"} {
		files, err := filepath.Glob(pattern + ending)
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
	}
}

// FuzzLoad loads any bytes as a scenario, writes its diagnostics, and evaluates
// all its expressions without observations.
func FuzzLoad(f *testing.F) {
	corpus(f, ".hcl")
	f.Fuzz(func(t *testing.T, src []byte) { loadAny(t, "x.hcl", src) })
}

// FuzzLoadJSON is FuzzLoad of the JSON syntax.
func FuzzLoadJSON(f *testing.F) {
	corpus(f, ".hcl.json")
	f.Fuzz(func(t *testing.T, src []byte) { loadAny(t, "x.hcl.json", src) })
}

func loadAny(t *testing.T, name string, src []byte) {
	fsys := fstest.MapFS{name: {Data: src}, "a.yaml": {Data: src}, "a.auto.labvars": {Data: []byte("image = 1")}}
	m, list := LoadFS(fsys, name, Options{Vars: map[string]string{"image": "x"}})
	if m == nil {
		t.Fatal("no module")
	}
	if err := diag.WriteText(&strings.Builder{}, list, diag.Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	for _, s := range m.Scenarios {
		scope := &value.Scope{Vars: m.Vars, Locals: m.Locals, ScenarioLocals: s.Locals, Dir: m.FS, PathScenario: m.Dir}
		for _, step := range append(s.Steps, s.Finally...) {
			scope.Extra = step.Scope(s)
			for _, expr := range step.Expressions() {
				_, diags := scope.Eval(expr)
				if diags.HasErrors() && !list.HasErrors() {
					t.Errorf("%s is wrong only when it is evaluated: %s", expr.Range(), diags)
				}
				scope.References(expr)
			}
		}
	}
}

// TestExpressionsAreAll checks that Step.Expressions returns all fields with
// expressions.
func TestExpressionsAreAll(t *testing.T) {
	m, list := Load("testdata/valid/verbs.hcl", Options{})
	if list.HasErrors() {
		t.Fatal(list.Error())
	}
	expression := reflect.TypeFor[hcl.Expression]()
	for _, step := range append(m.Scenarios[0].Steps, m.Scenarios[0].Finally...) {
		want := 0
		of := reflect.ValueOf(step.Action).Elem()
		for _, f := range reflect.VisibleFields(of.Type()) {
			if f.Type == expression && !of.FieldByIndex(f.Index).IsNil() {
				want++
			}
		}
		if got := len(step.Expressions()); got != want {
			t.Errorf("%s %q: %d expressions, want %d", step.Verb, step.Name, got, want)
		}
	}
}
