package dsl

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/kind-lab/lab/dsl/value"
)

// TestTypesOfVariables converts a value to a type from each place that a value
// may come from: all must have the same result, or all be rejected.
func TestTypesOfVariables(t *testing.T) {
	for name, tt := range map[string]struct {
		ty, given, want string // want is empty if the value is refused
	}{
		"a string":                {"string", `"x"`, `"x"`},
		"a number as a string":    {"string", `5`, `"5"`},
		"a bool as a string":      {"string", `true`, `"true"`},
		"a list as a string":      {"string", `["x"]`, ""},
		"a number":                {"number", `1.5`, "1.5"},
		"a string as a number":    {"number", `"12"`, "12"},
		"no number":               {"number", `"many"`, ""},
		"a bool":                  {"bool", `false`, "false"},
		"a string as a bool":      {"bool", `"true"`, "true"},
		"no bool":                 {"bool", `"yes"`, ""},
		"a list":                  {"list(string)", `["a", 1]`, `["a", "1"]`},
		"an empty list":           {"list(number)", `[]`, "[]"},
		"a list of others":        {"list(number)", `["a"]`, ""},
		"a list is no object":     {"list(string)", `{ a = 1 }`, ""},
		"a set":                   {"set(string)", `["b", "a", "b"]`, `["a", "b"]`},
		"a map":                   {"map(number)", `{ a = 1, b = "2" }`, "{a = 1, b = 2}"},
		"a map of others":         {"map(bool)", `{ a = "x" }`, ""},
		"a tuple":                 {"tuple([string, number])", `["a", "1"]`, `["a", 1]`},
		"a short tuple":           {"tuple([string, number])", `["a"]`, ""},
		"an object":               {"object({ a = string, b = number })", `{ a = 1, b = "2" }`, `{a = "1", b = 2}`},
		"an object with more":     {"object({ a = string })", `{ a = "x", z = 1 }`, `{a = "x"}`},
		"an object with less":     {"object({ a = string, b = number })", `{ a = "x" }`, ""},
		"an optional attribute":   {"object({ a = string, b = optional(number) })", `{ a = "x" }`, `{a = "x", b = null}`},
		"an optional default":     {"object({ a = string, b = optional(number, 7) })", `{ a = "x" }`, `{a = "x", b = 7}`},
		"a default that is given": {"object({ b = optional(number, 7) })", `{ b = 8 }`, `{b = 8}`},
		"defaults in a list":      {"list(object({ b = optional(string, \"d\") }))", `[{}, { b = "e" }]`, `[{b = "d"}, {b = "e"}]`},
		"any keeps a list":        {"any", `[1, "a"]`, `[1, "a"]`},
		"any keeps an object":     {"any", `{ a = [true] }`, `{a = [true]}`},
		"a list of any":           {"list(any)", `[1, "a"]`, `["1", "a"]`},
		"null":                    {"string", `null`, "null"},
	} {
		t.Run(name, func(t *testing.T) {
			declared := "variable \"v\" { type = " + tt.ty + " }\n"
			file := filepath.Join(t.TempDir(), "values.hcl")
			if err := os.WriteFile(file, []byte("v = "+tt.given+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			wantValue(t, "default", "variable \"v\" {\n  type = "+tt.ty+"\n  default = "+tt.given+"\n}\n", Options{}, tt.want)
			wantValue(t, "--var-file", declared, Options{VarFiles: []string{file}}, tt.want)
			if tt.ty == "string" || tt.ty == "number" || tt.ty == "bool" || tt.ty == "any" {
				return // these are read as a text, not as an expression
			}
			wantValue(t, "--var", declared, Options{Vars: map[string]string{"v": tt.given}}, tt.want)
			env := func(name string) (string, bool) { return tt.given, name == "LAB_VAR_v" }
			wantValue(t, "environment", declared, Options{Env: env}, tt.want)
		})
	}
}

// wantValue loads a file with a variable v and compares its value. An empty want
// is an error about v.
func wantValue(t *testing.T, from, src string, opts Options, want string) {
	t.Helper()
	m, list := LoadFS(fstest.MapFS{"x.hcl": {Data: []byte(src)}}, "x.hcl", opts)
	wrong := mistakes(list)
	switch {
	case want == "" && len(wrong) != 1:
		t.Errorf("%s: got %s, and %d errors", from, value.Format(m.Vars.GetAttr("v")), len(wrong))
	case want == "":
		says(t, wrong[0], `variable|"v"|type`)
	case len(wrong) > 0 || value.Format(m.Vars.GetAttr("v")) != want:
		t.Errorf("%s: got %s, want %s: %s", from, value.Format(m.Vars.GetAttr("v")), want, wrong.Error())
	}
}

// TestPlainTextOfVariables reads a text from the command line as it is for a
// plain type, and as an expression for others.
func TestPlainTextOfVariables(t *testing.T) {
	for name, tt := range map[string]struct{ ty, given, want string }{
		"a string with brackets":     {"string", `[1]`, `"[1]"`},
		"a string in quotes":         {"string", `"x"`, `"\"x\""`},
		"an empty string":            {"string", ``, `""`},
		"a template is a text":       {"string", `${1 + 1}`, `"$${1 + 1}"`},
		"a number":                   {"number", `1e3`, "1000"},
		"a number with blanks":       {"number", ` 5`, ""},
		"an empty number":            {"number", ``, ""},
		"a bool":                     {"bool", `true`, "true"},
		"any is an expression":       {"any", `[1]`, `[1]`},
		"a list by an expression":    {"list(number)", `[for i in [1, 2] : i * 2]`, "[2, 4]"},
		"a list with a reference":    {"list(string)", `[var.v]`, ""},
		"a list with a function":     {"list(string)", `[upper("x")]`, ""},
		"a list that is not closed":  {"list(string)", `["x"`, ""},
		"a list without quotes":      {"list(string)", `[x]`, ""},
		"a map":                      {"map(string)", `{ a = "b" }`, `{a = "b"}`},
		"a text where a map belongs": {"map(string)", `a=b`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			wantValue(t, "--var", "variable \"v\" { type = "+tt.ty+" }\n", Options{Vars: map[string]string{"v": tt.given}}, tt.want)
		})
	}
}

// TestWrongVariables points at what is wrong with a variable.
func TestWrongVariables(t *testing.T) {
	for name, tt := range map[string]struct {
		src  string
		want []problem
	}{
		"no value":              {`«variable "v"» { type = string }`, []problem{`"v"|default|LAB_VAR_v|--var`}},
		"a type in quotes":      {"variable \"v\" {\n type = «\"string\"»\n default = \"\"\n}", []problem{"type"}},
		"an unknown type":       {"variable \"v\" {\n type = «strng»\n default = \"\"\n}", []problem{"strng"}},
		"a list of nothing":     {"variable \"v\" {\n type = «list»\n default = []\n}", []problem{"list"}},
		"a default of another":  {"variable \"v\" {\n type = number\n default = «[]»\n}", []problem{"default|number"}},
		"a default by another":  {"variable \"a\" { default = 1 }\nvariable \"v\" { default = «var».a }", []problem{"plain value"}},
		"a default by a local":  {"locals { l = 1 }\nvariable \"v\" { default = «local».l }", []problem{"plain value"}},
		"the same name":         {"variable \"v\" { default = 1 }\nvariable «\"v\"» { default = 1 }", []problem{`"v"|x.hcl:1`}},
		"a name with a blank":   {`variable «"a b"» { default = 1 }`, []problem{"name"}},
		"a name with a digit":   {`variable «"1a"» { default = 1 }`, []problem{"name"}},
		"an empty name":         {`variable «""» { default = 1 }`, []problem{"name"}},
		"no name":               {`variable «{» default = 1 }`, []problem{"name"}},
		"two names":             {`variable "a" «"b"» { default = 1 }`, []problem{"label|variable"}},
		"sensitive as a text":   {"variable \"v\" {\n default = 1\n sensitive = «\"yes\"»\n}", []problem{"sensitive|true or false"}},
		"a description of list": {"variable \"v\" {\n default = 1\n description = «[]»\n}", []problem{"description|string"}},
		"an unknown argument":   {"variable \"v\" {\n default = 1\n «defaulty» = 2\n}", []problem{`"defaulty"`}},
		"an unknown block":      {"variable \"v\" {\n default = 1\n «validate» {}\n}", []problem{`"validate"`}},
	} {
		t.Run(name, func(t *testing.T) { wantProblems(t, "x.hcl", tt.src, Options{}, tt.want...) })
	}
}

// TestWithoutValues checks a file whose variables have none.
func TestWithoutValues(t *testing.T) {
	m := good(t, `
variable "image" { type = string }
variable "n" { type = number }
variable "list" { type = list(string) }
locals { both = "${var.image}-${var.n}" }
cluster "c" {
  kubernetes = var.image
  workers    = var.n
  images     = var.list
}
cluster "all" {
  for_each   = toset(var.list)
  kubernetes = each.key
}
scenario "s" {
  clusters = [cluster.c]
  matrix { n = var.list }
  sleep "x" { duration = var.image }
  expect "e" { condition = var.n > 1 }
}
`, Options{NoValues: true})
	if m.Vars.GetAttr("image").IsKnown() || m.Locals.GetAttr("both").IsKnown() {
		t.Errorf("vars %s, locals %s", value.Format(m.Vars), value.Format(m.Locals))
	}
	if c := m.Clusters[0]; c.Kubernetes != "" || c.Workers != 0 || c.Images != nil {
		t.Errorf("got %+v", c)
	}
	wantProblems(t, "x.hcl", "variable \"n\" { type = number }\nlocals { x = «var.m» }", Options{NoValues: true}, `"m"`)
}
