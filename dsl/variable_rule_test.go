package dsl

import (
	"testing"
	"testing/fstest"

	"github.com/kind-lab/lab/dsl/value"
)

// TestRulesOfVariables keeps what a validation block refuses, where, and with
// what words.
func TestRulesOfVariables(t *testing.T) {
	for name, tt := range map[string]struct {
		block string
		vars  map[string]string
		want  string // empty if the value is valid
	}{
		"kept":                  {"condition = var.n > 1\nerror_message = \"more\"", nil, ""},
		"broken by the default": {"condition = var.n > 100\nerror_message = \"more than 100\"", nil, "more than 100"},
		"broken by a value":     {"condition = var.n < 10\nerror_message = \"less\"", map[string]string{"n": "12"}, "less"},
		"mended by a value":     {"condition = var.n > 100\nerror_message = \"more\"", map[string]string{"n": "101"}, ""},
		"with the value":        {"condition = var.n > 100\nerror_message = \"not ${var.n}\"", nil, "not 5"},
		"with another variable": {"condition = var.n > var.least\nerror_message = \"least ${var.least}\"", nil, "least 7"},
		"by a function":         {"condition = contains([1, 2], var.n)\nerror_message = \"1 or 2\"", nil, "1 or 2"},
		"a text for a truth":    {"condition = \"false\"\nerror_message = \"wrong\"", nil, "condition"},
		"a number as a message": {"condition = false\nerror_message = 12", nil, "12"},
		"a secret as a message": {"condition = false\nerror_message = \"no ${var.secret}\"", nil, "x.hcl:12"},
		"null as a message":     {"condition = false\nerror_message = null", nil, "x.hcl:12"},
		"a condition of a list": {"condition = []\nerror_message = \"x\"", nil, "condition"},
		"a condition of null":   {"condition = null\nerror_message = \"x\"", nil, "condition"},
	} {
		t.Run(name, func(t *testing.T) {
			src := `variable "least" { default = 7 }
variable "secret" {
  default   = "hunter2"
  sensitive = true
}
variable "n" {
  type    = number
  default = 5


  validation {
` + tt.block + `
  }
}
`
			m, list := LoadFS(fstest.MapFS{"x.hcl": {Data: []byte(src)}}, "x.hcl", Options{Vars: tt.vars})
			list = mistakes(list)
			if tt.want == "" {
				if len(list) > 0 {
					t.Errorf("got %s", list.Error())
				}
				return
			}
			if len(list) != 1 {
				t.Fatalf("%s is valid: %v", value.Format(m.Vars), list)
			}
			says(t, list[0], tt.want)
			if list[0].Range.Start.Line != 6 && tt.want != "condition" {
				t.Errorf("on line %d, want the variable's", list[0].Range.Start.Line)
			}
		})
	}
}

// TestEveryRuleIsDecided tells of each rule that is broken, and of no other.
func TestEveryRuleIsDecided(t *testing.T) {
	_, list := LoadFS(fstest.MapFS{"x.hcl": {Data: []byte(`
variable "n" {
  default = 5
  validation {
    condition     = var.n > 9
    error_message = "first"
  }
  validation {
    condition     = var.n > 1
    error_message = "second"
  }
  validation {
    condition     = var.n > 8
    error_message = "third"
  }
}
`)}}, "x.hcl", Options{})
	list = mistakes(list)
	if len(list) != 2 {
		t.Fatalf("got %s", list.Error())
	}
	says(t, list[0], "first")
	says(t, list[1], "third")
}

// TestWrongRules points at what is wrong with a rule.
func TestWrongRules(t *testing.T) {
	for name, tt := range map[string]struct {
		block string
		want  []problem
	}{
		"no condition":         {"validation { «»error_message = \"x\" }", []problem{`"condition"`}},
		"no message":           {"validation { «»condition = true }", []problem{`"error_message"`}},
		"a local":              {"validation {\n condition = «local».x\n error_message = \"x\"\n}", []problem{"local"}},
		"an unknown variable":  {"validation {\n condition = «var.m» > 1\n error_message = \"x\"\n}", []problem{`"m"`}},
		"an unknown function":  {"validation {\n condition = «isnumber»(var.n)\n error_message = \"x\"\n}", []problem{"isnumber"}},
		"a wrong message":      {"validation {\n condition = true\n error_message = «vra».n\n}", []problem{"vra"}},
		"no truth":             {"validation {\n condition = «[]»\n error_message = \"x\"\n}", []problem{"condition"}},
		"an unknown argument":  {"validation {\n condition = true\n error_message = \"x\"\n «severity» = 1\n}", []problem{"severity"}},
		"an observed resource": {"validation {\n condition = «pod».x.ready\n error_message = \"x\"\n}", []problem{"pod"}},
	} {
		t.Run(name, func(t *testing.T) {
			wantProblems(t, "x.hcl", "variable \"n\" {\n default = 1\n "+tt.block+"\n}\n", Options{}, tt.want...)
		})
	}
}

// TestARuleIsNoUse warns of a variable that nothing but its own rule refers to,
// and not of one that another's rule refers to.
func TestARuleIsNoUse(t *testing.T) {
	wantWarnings(t, `
variable "other" { default = 1 }
«variable "n"» {
  default = 2
  validation {
    condition     = var.n > var.other
    error_message = "n is ${var.n}"
  }
}
`, "var.n")
}

// TestSensitiveVariables keeps the mark of what is sensitive on every way.
func TestSensitiveVariables(t *testing.T) {
	const src = `
variable "token" {
  type      = string
  default   = "hunter2"
  sensitive = true
}
variable "plain" { default = "p" }
locals {
  made  = "Bearer ${var.token}"
  deep  = { list = [var.token] }
  plain = var.plain
}
`
	for name, opts := range map[string]Options{
		"the default": {}, "a value": {Vars: map[string]string{"token": "hunter3"}},
		"the environment": {Env: func(name string) (string, bool) { return "hunter4", name == "LAB_VAR_token" }},
	} {
		t.Run(name, func(t *testing.T) {
			m := good(t, src, opts)
			if !m.Vars.GetAttr("token").HasMark(value.Sensitive) || !m.Locals.GetAttr("made").HasMark(value.Sensitive) {
				t.Error("the mark is lost")
			}
			if !m.Locals.GetAttr("deep").ContainsMarked() || m.Locals.GetAttr("plain").ContainsMarked() || m.Vars.GetAttr("plain").ContainsMarked() {
				t.Error("the mark is lost below, or on what is not sensitive")
			}
			same(t, "given", "", string(m.Given()))
			if !m.Variables[0].Sensitive || !m.Variables[0].Default.HasMark(value.Sensitive) {
				t.Errorf("got %+v", m.Variables[0])
			}
		})
	}
}
