package dsl

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

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
	for _, src := range []string{
		rightLab, byteOrderMark + rightLab, strings.ReplaceAll(rightLab, "\n", "\r\n"), strings.Join(blocksOfALab(), ""),
		"locals {\n  x = 1e99999\n  y = \"e\u0301\" == local.é\n}\n", inScenario("locals {\n a = local.b\n b = local.a\n}"),
		inScenario("dynamic \"matrix\" {\nfor_each = [[1], [2]]\ncontent { n = matrix.value }\n}\nsleep \"\u2028\" { duration = null }"),
		"variable \"v\" {\n  sensitive = true\n  default = \"secret\"\n}\ncluster \"c\" {\n  kubernetes = var.v\n  provider = var.v\n  workers = var.v\n}\n",
	} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) { loadAny(t, "x.hcl", src) })
}

// FuzzLoadJSON is FuzzLoad of the JSON syntax.
func FuzzLoadJSON(f *testing.F) {
	corpus(f, ".hcl.json")
	for _, src := range []string{
		byteOrderMark + `{"locals": {"x": 1}}`, `[{"locals": {"x": "${[[[[1]]]]}"}}, {"locals": {"y": "${local.x} %{ if true }"}}]`, `{"locals": {"x": -1e99999, "y": [1e-99999]}}`,
		`{"scenario": {"s": {"clusters": "${[]}", "dynamic": {"sleep": {"for_each": [1], "labels": ["x"], "content": {"duration": "1s"}}}}}}`, `{"variable": {"v": {"type": "list(", "default": null}}}`,
	} {
		f.Add([]byte(src))
	}
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

// FuzzGiven gives a variable any text, and again what Given wrote of it: the value
// must be the same.
func FuzzGiven(f *testing.F) {
	for _, text := range []string{"", "x", "${var.x}", "%{ if }", "\"quoted\"\\", "a\nb\r\n\tc", "e\u0301", "宽\u2028", "\x00", "EOT\n", "$${", "\ufeff"} {
		f.Add(text)
	}
	const src = "variable \"v\" {\n  type    = string\n  default = \"a default\"\n}\n"
	f.Fuzz(func(t *testing.T, text string) {
		fsys := fstest.MapFS{"x.hcl": {Data: []byte(src)}}
		m, list := LoadFS(fsys, "x.hcl", Options{Vars: map[string]string{"v": text}})
		if list.HasErrors() || !utf8.ValidString(text) {
			return
		}
		fsys["given.auto.labvars"] = &fstest.MapFile{Data: m.Given()}
		again, list := LoadFS(fsys, "x.hcl", Options{})
		if list.HasErrors() || !again.Vars.RawEquals(m.Vars) {
			t.Errorf("%q is given as %q, which is %s: %s", text, m.Given(), value.Format(again.Vars), list.Error())
		}
	})
}
