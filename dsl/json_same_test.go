package dsl

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// inJSON writes a file of the native syntax in the JSON syntax: blocks as
// objects below their labels, expressions as interpolations. What is read as it
// is written (types, names of iterators) is a plain string.
func inJSON(t *testing.T, src []byte) string {
	t.Helper()
	body, diags := Parse(src, "x.hcl")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return jsonBody(t, src, body, "")
}

func jsonBody(t *testing.T, src []byte, body *hclsyntax.Body, kind string) string {
	type item struct {
		at   int
		text string
	}
	var items []item
	for name, attr := range body.Attributes {
		text := string(attr.Expr.Range().SliceBytes(src))
		if !asWritten(kind, name) {
			text = "${" + text + "}"
		}
		items = append(items, item{attr.SrcRange.Start.Byte, quote(t, name) + ": " + quote(t, text)})
	}
	for _, block := range body.Blocks {
		inner := block.Type
		if block.Type == "dynamic" {
			inner = "dynamic"
		}
		text := jsonBody(t, src, block.Body, inner)
		for _, label := range slices.Backward(block.Labels) {
			text = "{" + quote(t, label) + ": " + text + "}"
		}
		items = append(items, item{block.Range().Start.Byte, quote(t, block.Type) + ": " + text})
	}
	slices.SortFunc(items, func(a, b item) int { return a.at - b.at })
	var texts []string
	for _, i := range items {
		texts = append(texts, i.text)
	}
	return "{" + strings.Join(texts, ",\n") + "}"
}

// asWritten says whether an argument is not evaluated but read.
func asWritten(block, name string) bool {
	return block == "variable" && name == "type" || block == "dynamic" && name == "iterator"
}

func quote(t *testing.T, s string) string {
	t.Helper()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// allTypes are variables and locals of every type, and allOfAScenario is what a
// scenario can have.
const (
	allTypes = `
variable "list" {
  type    = list(object({ name = string, size = optional(number, 3) }))
  default = [{ name = "a" }, { name = "b", size = 1 }]
}
variable "any" { default = { "a b" = [1, true, null, "x"] } }
variable "flag" {
  type        = bool
  default     = false
  description = "With \"quotes\" and $${no interpolation} and %%{no directive}."
  sensitive   = true
}
variable "rule" {
  type    = number
  default = 4
  validation {
    condition     = var.rule > 3 && length(var.list) == 2
    error_message = "It is ${var.rule}."
  }
}
locals {
  text  = "é ${upper("ü")} 宽"
  sizes = [for o in var.list : o.size]
  cond  = local.sizes[0] > 2 ? "more" : "less"
  all   = var.any["a b"]
}
`
	allOfAScenario = `
  description = "one"
  locals { web = "web-${target.name}" }
  matrix {
    z = [1, 2]
    a = ["x"]
    exclude { z = 1 }
    include {
      z = 5
      a = "y"
    }
  }
  sleep "s" { duration = "${matrix.z}s" }
  expect "e" {
    condition = pod[local.web].container["main"].exit_code == matrix.z
    within    = "1m"
    outcome   = target.native_sidecars
    message   = "it was ${pod[local.web].status}"
  }
  sleep "again" { duration = "1500ms" }
  patch "p" {
    object = "deployment/web"
    patch  = { spec = { replicas = matrix.z }, list = [1, "a", null] }
    type   = "merge"
  }
  invariant "i" { condition = !(pod.web.phase == "Failed") }
  finally {
    exec "out" {
      pod     = "web"
      command = ["sh", "-c", "echo \"$${HOME}\""]
    }
  }`
)

// TestJSONMeansTheSame writes each valid file in the JSON syntax, too, and
// wants the same module of both.
func TestJSONMeansTheSame(t *testing.T) {
	sources := sourcesIn(t, "testdata/valid/*.hcl", "testdata/valid/*/*.hcl")
	sources["types"], sources["scenario"] = allTypes, inScenario(allOfAScenario)
	for name, src := range sources {
		t.Run(filepath.Base(name), func(t *testing.T) { sameInJSON(t, src) })
	}
}

func sameInJSON(t *testing.T, src string) {
	t.Helper()
	text := inJSON(t, []byte(src))
	load := func(name, text string) *Module {
		m, list := LoadFS(fstest.MapFS{
			name: {Data: []byte(text)}, "classic.yaml": {Data: []byte("a")}, "native.yaml": {Data: []byte("b")}, "job.yaml": {Data: []byte("c")},
		}, name, Options{ClusterSets: testSets()})
		if list.HasErrors() {
			t.Fatalf("%s\n%s", list.Error(), text)
		}
		return m
	}
	native, made := load("x.hcl", src), load("x.hcl.json", text)
	header := func(m *Module) string {
		d := dump(&Module{Name: m.Name, Description: m.Description, RequiredVersion: m.RequiredVersion,
			Variables: m.Variables, Vars: m.Vars, Locals: m.Locals, Clusters: m.Clusters})
		return d
	}
	same(t, "variables, locals and clusters (-native +JSON)", header(native), header(made))
	same(t, "scenarios (-native +JSON)", meant(t, native), meant(t, made))
}

// TestJSONValues translates plain JSON values: strings are templates, others
// are what they are.
func TestJSONValues(t *testing.T) {
	for name, tt := range map[string]struct{ json, want string }{
		"a string":              {`"a"`, `"a"`},
		"an empty string":       {`""`, `""`},
		"a number":              {`1.5`, "1.5"},
		"a great number":        {`123456789012345678901234567890`, "123456789012345678901234567890"},
		"true":                  {`true`, "true"},
		"null":                  {`null`, "null"},
		"a list":                {`[1, "${1 + 1}", [true]]`, "[1, 2, [true]]"},
		"an object":             {`{"a": 1, "b c": {"d": null}}`, `{a = 1, "b c" = {d = null}}`},
		"a key with a template": {`{"${upper("k")}": 1}`, "{K = 1}"},
		"one interpolation":     {`"${1 + 1}"`, "2"},
		"text around it":        {`"n=${1 + 1}."`, `"n=2."`},
		"an escape":             {`"$${a} %%{b}"`, `"$${a} %%{b}"`},
		"a directive":           {`"%{ if true }yes%{ else }no%{ endif }"`, `"yes"`},
		"a JSON escape":         {`"\u00e9\n\"${\"x\"}\""`, `"é\n\"x\""`},
		"an object by template": {`"${{ a = [1] }}"`, "{a = [1]}"},
		"a number in a string":  {`"5"`, `"5"`},
	} {
		t.Run(name, func(t *testing.T) {
			m, list := LoadFS(fstest.MapFS{"x.hcl.json": {Data: []byte(`{"locals": {"x": ` + strings.ReplaceAll(tt.json, `upper("k")`, `upper(\"k\")`) + `}}`)}}, "x.hcl.json", Options{})
			if list.HasErrors() {
				t.Fatal(list.Error())
			}
			if got := localOf(m, "x"); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestWrongJSON points at what is wrong in the JSON syntax.
func TestWrongJSON(t *testing.T) {
	for name, tt := range map[string]struct {
		src  string
		want []problem
	}{
		"an unknown variable":   {`{"locals": {"x": "${«var.nowhere»}"}}`, []problem{`"nowhere"`}},
		"behind some text":      {`{"locals": {"x": "abc ${«local.y»}"}}`, []problem{`"y"`}},
		"an unclosed template":  {`{"locals": {"x": «"${1 +"»}}`, []problem{"expression"}},
		"an unknown argument":   {`{"lab": {«"nme"»: "x"}}`, []problem{`"nme"`}},
		"a duration by number":  {`{"cluster": {"c": {"kubernetes": "1.28", "ready_timeout": «5»}}}`, []problem{"ready_timeout|5s"}},
		"a version by number":   {`{"cluster": {"c": {"kubernetes": «1.30»}}}`, []problem{"string|1.3"}},
		"a reference in a list": {`{"locals": {"x": [1, {"k": "${«var.n»}"}]}}`, []problem{`"n"`}},
		"a type":                {`{"variable": {"v": {"type": «"strin"», "default": 1}}}`, []problem{`strin`}},
	} {
		t.Run(name, func(t *testing.T) { wantProblems(t, "x.hcl.json", tt.src, Options{}, tt.want...) })
	}
}

// TestDepthOfJSON keeps the limit of nesting, and that brackets in strings are
// none.
func TestDepthOfJSON(t *testing.T) {
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	for name, tt := range map[string]struct {
		src  []byte
		ok   bool
		line int
	}{
		"the most":           {nested(maxNesting), true, 0},
		"one more":           {nested(maxNesting + 1), false, 1},
		"side by side":       {[]byte("[" + strings.Repeat("[],", 500) + "{}]"), true, 0},
		"in a string":        {[]byte(`"` + strings.Repeat("[", 500) + `"`), true, 0},
		"behind a quote":     {[]byte(`"\"` + strings.Repeat("{", 500) + `"`), true, 0},
		"behind a backslash": {[]byte(`"\\"` + strings.Repeat("{", 500)), false, 1},
		"on the third line":  {[]byte("{\n\"a\":\n" + strings.Repeat("[", 500)), false, 3},
		"nothing":            {nil, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			at, ok := tooDeep(tt.src, "x.json")
			if ok != tt.ok || at.Start.Line != tt.line || !ok && at.Filename != "x.json" {
				t.Errorf("got %v at %v", ok, at)
			}
			if file, diags := parseJSON(tt.src, "x.json"); file == nil || file.Body == nil || !tt.ok && !diags.HasErrors() {
				t.Errorf("file %v, %v", file, diags)
			}
		})
	}
}
