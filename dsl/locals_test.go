package dsl

import (
	"testing"
	"testing/fstest"

	"github.com/kind-lab/lab/dsl/value"
)

// TestLocals keeps the values of the file's locals.
func TestLocals(t *testing.T) {
	for name, tt := range map[string]struct{ src, x string }{
		"a literal":              {`locals { x = 3 }`, "3"},
		"another one":            {"locals {\n a = 1\n x = local.a + 1\n}", "2"},
		"one that comes later":   {"locals {\n x = local.b\n b = \"late\"\n}", `"late"`},
		"of another block":       {"locals { x = local.b }\nlocals { b = [1] }", "[1]"},
		"a chain":                {"locals {\n x = local.d\n d = local.e\n e = local.f\n f = 4\n}", "4"},
		"a diamond":              {"locals {\n x = local.l + local.r\n l = local.top\n r = local.top\n top = 2\n}", "4"},
		"by index":               {"locals {\n x = local[\"a\"]\n a = 1\n}", "1"},
		"a variable":             {"variable \"v\" { default = \"given\" }\nlocals { x = upper(var.v) }", `"GIVEN"`},
		"a name twice in a for":  {"locals {\n a = [1, 2]\n x = [for a in local.a : a * 2]\n}", "[2, 4]"},
		"an object":              {"locals { x = { a = 1, \"b c\" = [true] } }", `{a = 1, "b c" = [true]}`},
		"null":                   {"locals { x = null }", "null"},
		"a try that fails":       {"locals {\n a = {}\n x = try(local.a.b, \"none\")\n}", `"none"`},
		"a path":                 {"locals { x = path.scenario }", `"."`},
		"a local of a sensitive": {"variable \"v\" {\n default = \"s3cret\"\n sensitive = true\n}\nlocals { x = \"<${var.v}>\" }", "(sensitive)"},
		"the length of a secret": {"variable \"v\" {\n default = \"s3cret\"\n sensitive = true\n}\nlocals { x = length(var.v) }", "(sensitive)"},
		"a conditional":          {"locals {\n a = 5\n x = local.a > 3 ? \"more\" : \"less\"\n}", `"more"`},
		"a heredoc":              {"locals {\n x = <<-EOT\n    a\n      b\n  EOT\n}", `"a\n  b\n"`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := localOf(good(t, tt.src, Options{}), "x"); got != tt.x {
				t.Errorf("got %s, want %s", got, tt.x)
			}
		})
	}
}

// TestWrongLocals points at what is wrong with locals.
func TestWrongLocals(t *testing.T) {
	for name, tt := range map[string]struct {
		src  string
		want []problem
	}{
		"a chart":                 {"locals { a = [«helm»(\"app\")] }", []problem{"Move helm() to the locals of the scenario, or to the step"}},
		"itself":                  {"locals { «a» = local.a }", []problem{"local.a uses local.a"}},
		"a circle of two":         {"locals {\n «a» = local.b\n b = local.a\n}", []problem{"local.a uses local.b uses local.a"}},
		"a circle of three":       {"locals {\n x = 1\n «a» = [local.b, local.x]\n b = \"${local.c}\"\n c = { k = local.a }\n}", []problem{"local.a uses local.b uses local.c uses local.a"}},
		"two circles":             {"locals {\n «a» = local.b\n b = local.a\n «c» = local.c\n}", []problem{"local.a uses local.b", "local.c uses local.c"}},
		"a circle from outside":   {"locals {\n out = local.a\n «a» = local.b\n b = local.a\n}", []problem{"local.a uses local.b uses local.a"}},
		"the same name":           {"locals {\n a = 1\n}\nlocals { «a» = 2 }", []problem{`"a"|x.hcl:2`}},
		"an unknown one":          {"locals {\n one = 1\n x = «local.oen»\n}", []problem{`"oen"|"one"`}},
		"one unknown by index":    {"locals {\n one = 1\n x = «local[\"oen\"]»\n}", []problem{`"oen"|"one"`}},
		"an unknown variable":     {"locals { x = «var.nowhere» }", []problem{`"nowhere"|variable`}},
		"observed":                {"locals { x = «pod».web.phase }", []problem{`"pod"`}},
		"no root":                 {"locals { x = «foo» }", []problem{`"foo"|quotes`}},
		"a mistake in one":        {"locals {\n a = «1 / 0»\n b = local.a\n}", []problem{"zero"}},
		"an unknown function":     {"locals { x = «lenght»([]) }", []problem{`"lenght"|"length"`}},
		"an attribute of nothing": {"locals {\n a = { b = 1 }\n x = local.a«.c»\n}", []problem{`"c"`}},
		"a block":                 {"locals {\n «sleep» \"x\" {}\n}", []problem{`"sleep"`}},
		"labels":                  {"locals «\"x\"» {}", []problem{"locals"}},
	} {
		t.Run(name, func(t *testing.T) { wantProblems(t, "x.hcl", tt.src, Options{}, tt.want...) })
	}
}

// TestLocalsOfAScenario keeps that those of a scenario are its own, and are
// evaluated in its runs.
func TestLocalsOfAScenario(t *testing.T) {
	m := good(t, `
locals { shared = "s" }
cluster "c" { kubernetes = "1.29" }
scenario "one" {
  clusters = [cluster.c]
  locals { name = "${local.shared}-${target.name}" }
  locals { twice = "${local.name}${local.name}" }
  expect "x" { condition = pod[local.twice].phase == "Running" }
}
scenario "two" {
  clusters = [cluster.c]
  locals { name = pod.web.phase }
  expect "x" { condition = local.name == "Running" }
}
`, Options{})
	same(t, "of the first", []string{"name", "twice"}, sorted(m.Scenarios[0].Locals))
	same(t, "of the second", []string{"name"}, sorted(m.Scenarios[1].Locals))
	same(t, "of the file", `{shared = "s"}`, value.Format(m.Locals))
	// A local has no place among the steps: it may use any of them.
	wantProblems(t, "x.hcl", inScenario("locals { failed = step.x.error }\nsleep \"x\" { duration = \"1s\" }\nexpect \"y\" { condition = local.failed == null }"), Options{})
}

// TestWrongLocalsOfAScenario points at what is wrong with those.
func TestWrongLocalsOfAScenario(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []problem
	}{
		"a name of the file's": {"locals { «shared» = 1 }", []problem{`"shared"|x.hcl:1`}},
		"the same name":        {"locals { a = 1 }\nlocals { «a» = 2 }", []problem{`"a"`}},
		"an unknown local":     {"locals { a = «local.sharde» }", []problem{`"shared"`}},
		"not in clusters":      {"locals { a = 1 }\nmatrix { n = [«local.a»] }", []problem{`"a"`}},
		"not in a duration":    {"locals { a = \"1s\" }\nsleep \"x\" { duration = «local.a» }", []problem{`"a"`}},
		"an unknown step":      {"locals { a = «step.y».error }\nsleep \"x\" { duration = \"1s\" }", []problem{`"y"`}},
	} {
		t.Run(name, func(t *testing.T) {
			wantProblems(t, "x.hcl", "locals { shared = 1 }\n"+inScenario(tt.text), Options{}, tt.want...)
		})
	}
}

// TestLocalsOfManyFiles evaluates locals across the files of a folder, and
// tells of a name that two files have with the place of the first.
func TestLocalsOfManyFiles(t *testing.T) {
	files := fstest.MapFS{
		"f/scenario.hcl": {Data: []byte("locals { x = local.y + local.z }\n")},
		"f/b.hcl":        {Data: []byte("locals { y = 1 }\n")},
		"f/a.hcl.json":   {Data: []byte(`{"locals": {"z": "${local.y + 1}"}}`)},
	}
	m, list := LoadFS(files, "f", Options{})
	if list.HasErrors() || localOf(m, "x") != "3" {
		t.Errorf("x is %s: %s", localOf(m, "x"), list.Error())
	}
	files["f/c.hcl"] = &fstest.MapFile{Data: []byte("# c\nlocals { y = 2 }\n")}
	_, list = LoadFS(files, "f", Options{})
	list = mistakes(list)
	if len(list) != 1 || list[0].Range.Filename != "f/c.hcl" || list[0].Range.Start.Line != 2 {
		t.Fatalf("got %s", list.Error())
	}
	says(t, list[0], `"y"|f/b.hcl:1`)
}
