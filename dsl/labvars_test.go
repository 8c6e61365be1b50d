package dsl

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kind-lab/lab/dsl/value"
)

// TestAutoVarFiles sets variables with files in the scenario's folder.
func TestAutoVarFiles(t *testing.T) {
	fsys := fstest.MapFS{
		"lab/scenario.hcl":           {Data: []byte("variable \"a\" {}\nvariable \"b\" {}\nvariable \"c\" {}\nvariable \"d\" { default = \"default\" }\n")},
		"lab/1.auto.labvars":         {Data: []byte("a = 1\nb = 1\nc = 1\n")},
		"lab/2.auto.labvars.json":    {Data: []byte(`{"b": 2, "c": 2}`)},
		"lab/.hidden.auto.labvars":   {Data: []byte("nonsense")},
		"lab/not.labvars":            {Data: []byte("nonsense")},
		"lab/below/x.auto.labvars":   {Data: []byte("nonsense")},
		"wrong/scenario.hcl":         {Data: []byte("variable \"a\" { type = number }\n")},
		"wrong/x.auto.labvars":       {Data: []byte("a = \"many\"\naa = 1\n")},
		"broken/scenario.hcl":        {Data: []byte("")},
		"broken/x.auto.labvars":      {Data: []byte("a = \n")},
		"broken/y.auto.labvars.json": {Data: []byte("{")},
	}
	env := func(name string) (string, bool) { return "env", name == "LAB_VAR_c" }
	m, list := LoadFS(fsys, "lab", Options{Env: env})
	if got, want := value.Format(m.Vars), `{a = 1, b = 2, c = "env", d = "default"}`; got != want || len(mistakes(list)) > 0 {
		t.Errorf("got %s, want %s\n%s", got, want, list.Error())
	}
	for folder, want := range map[string][]string{
		"wrong":  {"does not match its type, number", `The scenario declares no variable "aa"`},
		"broken": {"x.auto.labvars:1,5", "y.auto.labvars.json:1"},
	} {
		_, list := LoadFS(fsys, folder, Options{})
		for _, text := range want {
			if !strings.Contains(mistakes(list).Error(), text) {
				t.Errorf("%s: nothing says %q:\n%s", folder, text, list.Error())
			}
		}
	}
}

// TestUnused checks the warnings about declarations without a reference.
func TestUnused(t *testing.T) {
	const src = `
variable "used" { default = 1 }
variable "unused" {
  default = 1
  validation {
    condition     = var.unused > 0
    error_message = "no"
  }
}
locals {
  used   = var.used
  unused = local.used
}
cluster "used" { kubernetes = "1.28" }
cluster "unused" {
  for_each   = toset(["1.27", "1.28"])
  kubernetes = each.key
}
scenario "s" { clusters = [cluster.used] }
`
	_, list := LoadFS(fstest.MapFS{"x.hcl": {Data: []byte(src)}}, "x.hcl", Options{})
	want := []string{"Nothing refers to var.unused.", "Nothing refers to local.unused.", "No scenario runs on cluster.unused"}
	if len(list) != len(want) || list.HasErrors() {
		t.Fatalf("got %q", list.Error())
	}
	for i, d := range list {
		if !strings.Contains(d.Detail, want[i]) {
			t.Errorf("got %q, want %q", d.Detail, want[i])
		}
	}
}
