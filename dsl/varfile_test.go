package dsl

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/kind-lab/lab/dsl/value"
)

// TestPrecedenceOfValues gives a variable a value from every set of places, and
// wants that of the strongest.
func TestPrecedenceOfValues(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"first", "second"} {
		write(t, dir, name+".hcl", fmt.Sprintf("v = %q\n", name))
	}
	// From the weakest to the strongest.
	places := []string{"default", "1.auto", "2.auto", "environment", "first", "second", "--var"}
	for set := range 1 << len(places) {
		if set == 0 {
			continue // no value is an error, and tested
		}
		has := func(i int) bool { return set&(1<<i) != 0 }
		src, opts, strongest := "variable \"v\" {}\n", Options{}, ""
		files := fstest.MapFS{}
		for i, place := range places {
			if !has(i) {
				continue
			}
			strongest = place
			switch place {
			case "default":
				src = "variable \"v\" { default = \"default\" }\n"
			case "1.auto", "2.auto":
				files[place+".labvars"] = &fstest.MapFile{Data: []byte(fmt.Sprintf("v = %q\n", place))}
			case "environment":
				opts.Env = func(name string) (string, bool) { return "environment", name == "LAB_VAR_v" }
			case "first", "second":
				opts.VarFiles = append(opts.VarFiles, filepath.Join(dir, place+".hcl"))
			case "--var":
				opts.Vars = map[string]string{"v": "--var"}
			}
		}
		files["x.hcl"] = &fstest.MapFile{Data: []byte(src)}
		m, list := LoadFS(files, "x.hcl", opts)
		if got := value.Format(m.Vars.GetAttr("v")); list.HasErrors() || got != fmt.Sprintf("%q", strongest) {
			t.Errorf("set %07b: got %s, want %q\n%s", set, got, strongest, list.Error())
		}
	}
}

// TestTheLaterFileWins names the same files in another order.
func TestTheLaterFileWins(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.hcl"), filepath.Join(dir, "b.json")
	write(t, dir, "a.hcl", "v = \"a\"\nw = \"a\"\n")
	write(t, dir, "b.json", `{"v": "b"}`)
	const src = "variable \"v\" {}\nvariable \"w\" {}\n"
	same(t, "a, b", `{v = "b", w = "a"}`, value.Format(good(t, src, Options{VarFiles: []string{a, b}}).Vars))
	same(t, "b, a", `{v = "a", w = "a"}`, value.Format(good(t, src, Options{VarFiles: []string{b, a}}).Vars))
}

// TestWrongFilesOfValues points at what is wrong in a file of values, which
// lies outside the scenario's folder.
func TestWrongFilesOfValues(t *testing.T) {
	for name, tt := range map[string]struct {
		file, text string
		want       []problem
	}{
		"an undeclared variable": {"v.hcl", "n = 1\n«nn» = 2\n", []problem{`"nn"`}},
		"another type":           {"v.hcl", "n = «\"many\"»\n", []problem{`"n"|number`}},
		"a reference":            {"v.hcl", "n = «var».x\n", []problem{"var"}},
		"a function":             {"v.hcl", "n = «abs(-1)»\n", []problem{"function"}},
		"a block":                {"v.hcl", "n = 1\n«x» {}\n", []problem{"block"}},
		"in JSON":                {"v.json", `{"n": «"many"»}`, []problem{`"n"|number`}},
		"undeclared in JSON":     {"v.json", `{«"nn"»: 1, "n": 1}`, []problem{`"nn"`}},
		"the same twice":         {"v.hcl", "n = 1\n«n» = 2\n", []problem{"n"}},
	} {
		t.Run(name, func(t *testing.T) {
			text, ranges := unmark(tt.text)
			file := filepath.Join(t.TempDir(), tt.file)
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, list := LoadFS(fstest.MapFS{"x.hcl": {Data: []byte("variable \"n\" {\n  type = number\n  default = 0\n}\n")}}, "x.hcl", Options{VarFiles: []string{file}})
			wrong := mistakes(list)
			compareProblems(t, text, wrong, ranges, tt.want)
			if len(wrong) > 0 && (wrong[0].Range.Filename != file || wrong[0].Snippet == nil) {
				t.Errorf("in %s, snippet %v", wrong[0].Range.Filename, wrong[0].Snippet)
			}
		})
	}
}

// TestGivenIsAFileOfValues loads a module with some values and again with what
// Given wrote of it: the variables must be the same.
func TestGivenIsAFileOfValues(t *testing.T) {
	const src = `
variable "text" { default = "x" }
variable "needed" { type = string }
variable "list" {
  type    = list(object({ n = number, s = optional(string, "d") }))
  default = []
}
variable "map" {
  type    = map(bool)
  default = { a = true }
}
variable "same" { default = 3 }
variable "secret" {
  default   = "hunter2"
  sensitive = true
}
`
	m := good(t, src, Options{Vars: map[string]string{
		"text": "with \"quotes\", ${x} and\nlines", "needed": "", "list": "[{ n = 1 }]", "map": "{}", "same": "3",
	}})
	file := filepath.Join(t.TempDir(), "given.hcl")
	if err := os.WriteFile(file, m.Given(), 0o644); err != nil {
		t.Fatal(err)
	}
	again := good(t, src, Options{VarFiles: []string{file}})
	if !again.Vars.RawEquals(m.Vars) && value.Format(again.Vars) != value.Format(m.Vars) {
		t.Errorf("got %s, want %s", value.Format(again.Vars), value.Format(m.Vars))
	}
	same(t, "given again", string(m.Given()), string(again.Given()))
	same(t, "of the defaults", "needed = \"y\"\n", string(good(t, src, Options{Vars: map[string]string{"needed": "y"}}).Given()))
	same(t, "without values", "", string(good(t, "variable \"v\" {}\n", Options{NoValues: true}).Given()))
	same(t, "of no module", "", string(emptyModule().Given()))
}

// TestRead keeps which files of the folder a module has read.
func TestRead(t *testing.T) {
	files := fstest.MapFS{
		"f/scenario.hcl":      {Data: []byte("locals {\n  a = file(\"sub/a.txt\")\n  b = templatefile(\"b.tpl\", {})\n  c = fileexists(\"c.txt\")\n}\n")},
		"f/more.hcl":          {Data: []byte("variable \"v\" { default = 1 }\n")},
		"f/sub/a.txt":         {Data: []byte("a")},
		"f/b.tpl":             {Data: []byte("b")},
		"f/c.txt":             {Data: []byte("c")},
		"f/unread.txt":        {Data: []byte("u")},
		"f/x.auto.labvars":    {Data: []byte("v = 2\n")},
		"outside/scenario.md": {Data: []byte("")},
	}
	m, list := LoadFS(files, "f", Options{})
	if list.HasErrors() {
		t.Fatal(list.Error())
	}
	same(t, "read", []string{"b.tpl", "more.hcl", "scenario.hcl", "sub/a.txt"}, m.Read())
	same(t, "of no module", []string(nil), emptyModule().Read())
}
