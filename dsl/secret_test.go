package dsl

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kind-lab/lab/dsl/diag"
)

// TestMistakesKeepSecrets makes mistakes with a sensitive value in every kind of
// argument: what is said must not have the value. The value comes from the
// environment, because a default is in the source.
func TestMistakesKeepSecrets(t *testing.T) {
	const secret = "hunter2("
	cluster := func(argument string) string {
		return "cluster \"c\" {\n  kubernetes = \"1.29\"\n  " + argument + "\n}\n"
	}
	for name, src := range map[string]string{
		"a provider":           cluster("provider = var.v"),
		"a version":            "cluster \"c\" { kubernetes = var.v }\n",
		"a number":             cluster("workers = var.v"),
		"a duration":           cluster("ready_timeout = var.v"),
		"gates":                cluster("feature_gates = { A = var.v }"),
		"a list":               cluster("images = { a = var.v }"),
		"a component":          cluster("dynamic \"component\" {\n    for_each = [1]\n    labels = [var.v]\n    content {}\n  }"),
		"a version of lab":     "lab { required_version = \"${var.v}\" }\n",
		"a for_each":           "cluster \"c\" {\n  for_each = var.v\n  kubernetes = each.key\n}\n",
		"an axis":              inScenario("matrix { a = var.v }"),
		"a choice":             inScenario("apply \"x\" {\n    manifests = \"a\"\n    field_validation = var.v\n  }"),
		"manifests":            inScenario("apply \"x\" { manifests = [3, var.v] }"),
		"an object":            inScenario("delete \"x\" { objects = var.v }"),
		"objects":              inScenario("delete \"x\" { objects = [\"pod/a\", local.made] }"),
		"a sleep":              inScenario("sleep \"x\" { duration = local.made }"),
		"a condition":          inScenario("expect \"x\" { condition = var.v }"),
		"an outcome":           inScenario("expect \"x\" {\n    condition = true\n    outcome = upper(var.v)\n  }"),
		"a message":            inScenario("expect \"x\" {\n    condition = true\n    message = [var.v]\n  }"),
		"a regular expression": inScenario("apply \"x\" {\n    manifests = \"a\"\n    expect_error = var.v\n  }"),
		"a number in a local":  "locals { n = tonumber(var.v) }\n",
		"an index in a local":  "locals { n = { a = 1 }[var.v] }\n",
		"a type":               "variable \"v2\" {\n  type = number\n}\nlocals { x = var.v2 }\n",
		"a rule":               "variable \"w\" {\n  default = 1\n  validation {\n    condition = var.v\n    error_message = var.v\n  }\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			src = "variable \"v\" {\n  type = string\n  sensitive = true\n}\nlocals { made = \"<${var.v}>\" }\n" + src
			env := func(string) (string, bool) { return secret, true }
			_, list := LoadFS(fstest.MapFS{"x.hcl": {Data: []byte(src)}}, "x.hcl", Options{Env: env, Providers: testProviders()})
			if !list.HasErrors() {
				t.Fatal("there is no mistake")
			}
			var b strings.Builder
			if err := diag.WriteText(&b, list, diag.Style{}); err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{list.Error(), b.String()} {
				if strings.Contains(strings.ToLower(text), "hunter2") {
					t.Errorf("the secret is in it: %s", text)
				}
			}
		})
	}
}

// TestASensitiveNumberIsNotTold: a number is too common to be looked for in what
// is said.
func TestASensitiveNumberIsNotTold(t *testing.T) {
	const src = "variable \"v\" {\n  default = 4711\n  sensitive = true\n}\ncluster \"c\" {\n  kubernetes = \"1.29\"\n  workers = «var.v»\n}\n"
	wantProblems(t, "x.hcl", src, Options{}, "workers|(sensitive)")
}

// TestValuesAreNotRead keeps files with values of variables, in either syntax,
// out of what a record has of the folder.
func TestValuesAreNotRead(t *testing.T) {
	files := fstest.MapFS{"f/scenario.hcl": {Data: []byte("variable \"a\" {}\nvariable \"b\" {}\nlocals { x = [var.a, var.b, file(\"c.json\")] }\n")},
		"f/x.auto.labvars": {Data: []byte("a = 1\n")}, "f/y.auto.labvars.json": {Data: []byte(`{"b": 2}`)}, "f/c.json": {Data: []byte("{}")}}
	m, list := LoadFS(files, "f", Options{})
	if list.HasErrors() || localOf(m, "x") != `[1, 2, "{}"]` {
		t.Fatalf("x is %s: %s", localOf(m, "x"), list.Error())
	}
	same(t, "read", []string{"c.json", "scenario.hcl"}, m.Read())
}
