package dsl

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/dsl/value"
)

// TestValid loads scenarios without mistakes, and compares the result with golden
// files.
func TestValid(t *testing.T) {
	for _, name := range []string{"testdata/valid/job-sidecar", "testdata/valid/everything.hcl", "testdata/valid/verbs.hcl", "testdata/valid/json.hcl.json", "testdata/valid/instances.hcl"} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			m, list := Load(name, Options{Providers: testProviders()})
			if len(list) > 0 {
				t.Fatalf("diagnostics:\n%s", list.Error())
			}
			golden(t, strings.TrimSuffix(strings.TrimSuffix(name, ".json"), ".hcl")+".golden", dump(m))

			fsys := os.DirFS("testdata/valid")
			again, list := LoadFS(fsys, filepath.Base(name), Options{})
			if len(list) > 0 {
				t.Fatalf("LoadFS: diagnostics:\n%s", list.Error())
			}
			if got, want := len(again.Scenarios), len(m.Scenarios); got != want {
				t.Errorf("LoadFS: %d scenarios, Load: %d", got, want)
			}
		})
	}
}

// dump writes a module for people to compare.
func dump(m *Module) string {
	var b strings.Builder
	fmt.Fprintf(&b, "lab %q %q %q\n", m.Name, m.Description, m.RequiredVersion)
	for _, v := range m.Variables {
		fmt.Fprintf(&b, "variable %s: %s, default %s, sensitive %t\n", v.Name, v.Type.FriendlyName(), value.Format(v.Default), v.Sensitive)
	}
	fmt.Fprintf(&b, "var = %s\nlocal = %s\n", value.Format(m.Vars), value.Format(m.Locals))
	for _, c := range m.Clusters {
		fmt.Fprintf(&b, "cluster %s of %s\n  kubernetes %s image %q gates %v\n  components", c.Name, c.Block, c.Kubernetes, c.Image, c.FeatureGates)
		for _, component := range c.Components {
			fmt.Fprintf(&b, " %s %v %v", component.Name, component.FeatureGates, component.ExtraArgs)
		}
		fmt.Fprintf(&b, "\n  runtime_config %v nodes %d+%d images %q ready %s\n  patches %q %q\n", c.RuntimeConfig,
			c.ControlPlanes, c.Workers, c.Images, c.ReadyTimeout, c.ContainerdPatches, c.KubeadmPatches)
		if len(c.Settings) > 0 {
			fmt.Fprintf(&b, "  %s %v\n", c.Provider, c.Settings)
		}
	}
	for _, s := range m.Scenarios {
		fmt.Fprintf(&b, "scenario %s %q\n  on", s.Title(), s.Description)
		for _, c := range s.Clusters {
			fmt.Fprintf(&b, " %s", c.Name)
		}
		b.WriteString("\n")
		dumpSteps(&b, m, s)
	}
	return b.String()
}

func dumpSteps(b *strings.Builder, m *Module, s *Scenario) {
	source := func(e hcl.Expression) string {
		if e == nil {
			return "-"
		}
		return string(e.Range().SliceBytes(m.Files[e.Range().Filename].Bytes))
	}
	var locals []string
	for name, e := range s.Locals {
		locals = append(locals, fmt.Sprintf("  local %s = %s\n", name, source(e)))
	}
	sort.Strings(locals)
	b.WriteString(strings.Join(locals, ""))
	for _, step := range s.Steps {
		dumpStep(b, step, source)
	}
	for _, step := range s.Finally {
		b.WriteString("  finally")
		dumpStep(b, step, source)
	}
}

// dumpStep writes all fields of a step; expressions as they are written.
func dumpStep(b *strings.Builder, step *Step, source func(hcl.Expression) string) {
	fmt.Fprintf(b, "  %s %q line %d", step.Verb, step.Name, step.Range.Start.Line)
	for _, name := range sorted(step.Roots) {
		fmt.Fprintf(b, ", %s = %s", name, value.Format(step.Roots[name]))
	}
	b.WriteString("\n")
	dumpFields(b, reflect.ValueOf(step.Action).Elem(), source)
}

func dumpFields(b *strings.Builder, of reflect.Value, source func(hcl.Expression) string) {
	for i := range of.NumField() {
		name, field := of.Type().Field(i).Name, of.Field(i)
		switch v := field.Interface().(type) {
		case hcl.Range:
		case action.Limits:
			dumpFields(b, field, source)
		case hcl.Expression:
			fmt.Fprintf(b, "    %s %s\n", name, source(v))
		case *time.Duration:
			if v != nil {
				fmt.Fprintf(b, "    %s %s\n", name, *v)
			}
		default:
			if !field.IsZero() {
				fmt.Fprintf(b, "    %s %v\n", name, v)
			}
		}
	}
}

func TestVariableValues(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.hcl", "s = \"file\"\nn = 7\n")
	write(t, dir, "bad.hcl", "sss = 1\n")
	const src = `
variable "s" { type = string }
variable "n" {
  type    = number
  default = 1
}
variable "l" {
  type    = list(string)
  default = []
}
variable "any" { default = "x" }
`
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"LAB_VAR_s": "env", "LAB_VAR_n": "3", "LAB_VAR_other": "x"}[name]
		return v, ok
	}
	for _, tt := range []struct {
		name string
		opts Options
		want string
		err  string
	}{
		{"none given", Options{}, "", `The variable "s" has no default, so it needs a value. Set it with --var 's=VALUE'`},
		{"environment", Options{Env: env}, `{any = "x", l = [], n = 3, s = "env"}`, ""},
		{"a file wins over it", Options{Env: env, VarFiles: []string{filepath.Join(dir, "a.hcl")}}, `{any = "x", l = [], n = 7, s = "file"}`, ""},
		{"the command line wins", Options{Env: env, VarFiles: []string{filepath.Join(dir, "a.hcl")},
			Vars: map[string]string{"s": "[x", "n": "9", "l": `["a"]`, "any": "[1]"}}, `{any = "[1]", l = ["a"], n = 9, s = "[x"}`, ""},
		{"wrong type", Options{Vars: map[string]string{"s": "x", "n": "many"}}, "", `The value that --var gives to variable "n" does not match its type, number: a number is required.`},
		{"no expression", Options{Vars: map[string]string{"s": "x", "l": "[1"}}, "", `does not match its type, list(string)`},
		{"undeclared", Options{Vars: map[string]string{"s": "x", "anyy": "1"}}, "", `--var gives a value to "anyy", but the scenario declares no such variable. Did you mean "any"?`},
		{"undeclared in a file", Options{Env: env, VarFiles: []string{filepath.Join(dir, "bad.hcl")}}, "", `The scenario declares no variable "sss".`},
		{"no such file", Options{Env: env, VarFiles: []string{filepath.Join(dir, "none.hcl")}}, "", `none.hcl" cannot be read`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, list := LoadFS(fstest.MapFS{"x.hcl": {Data: []byte(src)}}, "x.hcl", tt.opts)
			list = mistakes(list)
			if tt.err == "" {
				if got := value.Format(m.Vars); len(list) > 0 || got != tt.want {
					t.Errorf("got %s, want %s\n%s", got, tt.want, list.Error())
				}
			} else if len(list) != 1 || !strings.Contains(list.Error(), tt.err) {
				t.Errorf("got %q, want %q", list.Error(), tt.err)
			}
		})
	}
}

// mistakes are the errors of a list.
func mistakes(list diag.List) diag.List {
	var errors diag.List
	for _, d := range list {
		if d.Severity == diag.SeverityError {
			errors = append(errors, d)
		}
	}
	return errors
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestPaths(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "big.hcl", "# "+strings.Repeat("x", maxSource))
	write(t, dir, "deep.hcl", "locals {\n x = "+strings.Repeat("(", 5000)+"\n}")
	write(t, dir, "long.hcl", "locals {\n x = 1"+strings.Repeat("+1", 5000)+"\n}")
	write(t, dir, "deep.hcl.json", strings.Repeat("[", 5000))
	write(t, dir, "cut.hcl.json", `{"lab": {`)
	write(t, dir, "binary.hcl", "\x00\xff\xfe")
	for _, tt := range []struct{ name, want string }{
		{"nowhere.hcl", "A scenario is a file that ends in .hcl, or a folder that holds scenario.hcl"},
		{".", "holds no scenario.hcl"},
		{"big.hcl", "larger than 8 MiB"},
		{"deep.hcl", "Brackets can be nested at most 100 deep"},
		{"long.hcl", "an expression can have at most 1000 operators"},
		{"deep.hcl.json", "Brackets can be nested at most 100 deep"},
		{"cut.hcl.json", "Unclosed object"},
		{"binary.hcl", "Invalid character"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, list := Load(filepath.Join(dir, tt.name), Options{})
			if m == nil || !list.HasErrors() || !strings.Contains(list.Error(), tt.want) {
				t.Errorf("got %q, want %q", list.Error(), tt.want)
			}
		})
	}
}

func TestFilesStayInTheFolder(t *testing.T) {
	outside := t.TempDir()
	write(t, outside, "secret", "secret")
	dir := t.TempDir()
	write(t, dir, "inside", "inside")
	for link, target := range map[string]string{
		"link": filepath.Join(outside, "secret"), "relative": "../" + filepath.Base(outside) + "/secret",
		"folder": outside, "within": "inside",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ expr, want string }{
		{`file("inside")`, ""},
		{`file("./inside")`, ""},
		{`file("x/../inside")`, ""},
		{`file("${path.scenario}/inside")`, ""},
		{`file("within")`, ""},
		{`file("../inside")`, "is not below the scenario's folder"},
		{`file("/etc/passwd")`, "is not below the scenario's folder"},
		{`file("link")`, "a link that leaves the scenario's folder"},
		{`file("relative")`, "a link that leaves the scenario's folder"},
		{`file("folder/secret")`, "a link that leaves the scenario's folder"},
		{`templatefile("link", {})`, "a link that leaves the scenario's folder"},
		{`tostring(fileexists("link") || fileexists("../x") )`, "is not below the scenario's folder"},
		{`tostring(fileexists("inside") && !fileexists("link") && !fileexists("."))`, ""},
		{`file(".")`, "it is a folder"},
		{`file("insid")`, `Did you mean "inside"?`},
		{`file("")`, "it is a folder"},
	} {
		t.Run(tt.expr, func(t *testing.T) {
			write(t, dir, "s.hcl", "locals {\n x = "+tt.expr+"\n}\n")
			_, list := Load(filepath.Join(dir, "s.hcl"), Options{})
			list = mistakes(list)
			if tt.want == "" && len(list) > 0 || !strings.Contains(list.Error(), tt.want) {
				t.Errorf("got %q, want %q", list.Error(), tt.want)
			}
		})
	}
	var _ fs.StatFS = confined("")
}

func TestOptions(t *testing.T) {
	const src = `
lab { required_version = ">= 1.2" }
cluster "a" { kubernetes = "0.9" }
`
	fsys := fstest.MapFS{"x.hcl": {Data: []byte(src)}}
	_, list := LoadFS(fsys, "x.hcl", Options{
		Version:      "1.1.0",
		CheckVersion: func(c string) error { return fmt.Errorf("%q is older than the oldest supported", c) },
	})
	want := []string{"The scenario requires lab >= 1.2; this is 1.1.0.", `"0.9" is older than the oldest supported.`}
	if len(list) != len(want) {
		t.Fatalf("got %q", list.Error())
	}
	for i, d := range list {
		if !strings.Contains(d.Detail, want[i]) {
			t.Errorf("got %q, want %q", d.Detail, want[i])
		}
	}
}

func TestFolderIsReadAsOne(t *testing.T) {
	fsys := fstest.MapFS{
		"lab/scenario.hcl": {Data: []byte("scenario \"s\" { clusters = [cluster.c] }\n")},
		"lab/clusters.hcl": {Data: []byte("cluster \"c\" { kubernetes = local.v }\n")},
		"lab/locals.hcl":   {Data: []byte("locals { v = \"1.28\" }\n")},
		"lab/.hidden.hcl":  {Data: []byte("nonsense")},
		"lab/README.md":    {Data: []byte("nonsense")},
	}
	m, list := LoadFS(fsys, "lab", Options{})
	if len(list) > 0 || len(m.Files) != 3 || m.Scenarios[0].Clusters[0].Kubernetes != "1.28" {
		t.Errorf("%s %v", list.Error(), m.Files)
	}
}
