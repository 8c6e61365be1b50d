package dsl

import (
	"slices"
	"strings"
	"testing"
)

// TestStepsInOrder keeps steps in the order written, whatever their verbs, and
// those of finally after them.
func TestStepsInOrder(t *testing.T) {
	m := good(t, inScenario(`
  finally {
    sleep "z" { duration = "1s" }
    exec "y" {
      node    = target.nodes[0]
      command = ["true"]
    }
  }
  expect "c" { condition = true }
  sleep "a" { duration = "1s" }
  invariant "d" { condition = true }
  expect "b" { condition = true }
  locals { x = 1 }
  wait "e" { condition = local.x == 1 }`), Options{})
	s := m.Scenarios[0]
	same(t, "steps", []string{"c", "a", "d", "b", "e"}, stepNames(s.Steps))
	same(t, "finally", []string{"z", "y"}, stepNames(s.Finally))
	var verbs []string
	for _, step := range slices.Concat(s.Steps, s.Finally) {
		verbs = append(verbs, step.Verb)
	}
	same(t, "verbs", []string{"expect", "sleep", "invariant", "expect", "wait", "sleep", "exec"}, verbs)
	if s.Range.Start.Line != 2 || s.Steps[0].Range.Start.Line != 12 || s.Finally[0].Range.Start.Line != 6 {
		t.Errorf("at %v, %v, %v", s.Range, s.Steps[0].Range, s.Finally[0].Range)
	}
	if s.Title() != "s" || s.Row != "" || len(s.Extra()) != 0 || s.Steps[0].Roots != nil {
		t.Errorf("title %q, row %q, extra %v, roots %v", s.Title(), s.Row, s.Extra(), s.Steps[0].Roots)
	}
}

// TestNamesOfSteps keeps which labels a step may have.
func TestNamesOfSteps(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []problem
	}{
		"a sentence":            {`sleep "it is – done, \"now\"" { duration = "1s" }`, nil},
		"empty":                 {`sleep «""» { duration = "1s" }`, []problem{"name"}},
		"blank":                 {`sleep «"  "» { duration = "1s" }`, []problem{"name"}},
		"two lines":             {`sleep «"a\nb"» { duration = "1s" }`, []problem{"name|line"}},
		"a tab":                 {`sleep «"a\tb"» { duration = "1s" }`, []problem{"name"}},
		"a control character":   {`sleep «"a\u007f"» { duration = "1s" }`, []problem{"name"}},
		"the same verb":         {"sleep \"x\" { duration = \"1s\" }\nsleep «\"x\"» { duration = \"1s\" }", []problem{`"x"|x.hcl:4`}},
		"another verb":          {"sleep \"x\" { duration = \"1s\" }\nexpect «\"x\"» { condition = true }", []problem{`"x"|x.hcl:4`}},
		"in finally":            {"sleep \"x\" { duration = \"1s\" }\nfinally {\nsleep «\"x\"» { duration = \"1s\" }\n}", []problem{`"x"|x.hcl:4`}},
		"other case":            {"sleep \"x\" { duration = \"1s\" }\nsleep \"X\" { duration = \"1s\" }", nil},
		"no label":              {`sleep «{» duration = "1s" }`, []problem{"name"}},
		"two labels":            {`sleep "x" «"y"» { duration = "1s" }`, []problem{"label|sleep"}},
		"an unknown verb":       {`«slep» "x" { duration = "1s" }`, []problem{`"slep"|"sleep"`}},
		"an expect in finally":  {"finally {\n«expect» \"x\" { condition = true }\n}", []problem{"expect"}},
		"an invariant in it":    {"finally {\n«invariant» \"x\" { condition = true }\n}", []problem{"invariant"}},
		"a finally in it":       {"finally {\n«finally» {}\n}", []problem{"finally"}},
		"two finally":           {"finally {}\n«finally» {}", []problem{"finally|x.hcl:4"}},
		"an unknown argument":   {"sleep \"x\" {\nduration = \"1s\"\n«durations» = 1\n}", []problem{"durations"}},
		"a missing argument":    {`sleep "x" «»{}`, []problem{`"duration"`}},
		"a list as description": {`description = «[]»`, []problem{"description|string"}},
	} {
		t.Run(name, func(t *testing.T) { wantProblems(t, "x.hcl", inScenario(tt.text), Options{}, tt.want...) })
	}
}

// TestWrongScenarios points at what is wrong with a scenario itself.
func TestWrongScenarios(t *testing.T) {
	const c = "cluster \"c\" { kubernetes = \"1.29\" }\n"
	for name, tt := range map[string]struct {
		src  string
		want []problem
	}{
		"no clusters":         {"scenario \"s\" «»{}", []problem{`"clusters"`}},
		"the same name":       {c + "scenario \"s\" { clusters = [cluster.c] }\nscenario «\"s\"» { clusters = [cluster.c] }", []problem{`"s"|x.hcl:2`}},
		"no identifier":       {c + "scenario «\"a b\"» { clusters = [cluster.c] }", []problem{"scenario|a b"}},
		"no such cluster":     {c + "scenario \"s\" { clusters = [«cluster.cc»] }", []problem{`"cc"`}},
		"none is declared":    {"scenario \"s\" { clusters = [«cluster.c»] }", []problem{`"c"|kubernetes`}},
		"a cluster twice":     {c + "scenario \"s\" { clusters = «[cluster.c, cluster.c]» }", []problem{"twice"}},
		"clusters of null":    {c + "scenario \"s\" { clusters = «null» }", []problem{"list"}},
		"the clusters' name":  {c + "scenario \"s\" { clusters = [«c»] }", []problem{`"c"`}},
		"clusters of an area": {c + "scenario \"s\" { clusters = «cluster.c» }", []problem{"list|cluster.c"}},
		"an exercise":         {"«exercise \"e\"» {}", []problem{"exercise"}},
	} {
		t.Run(name, func(t *testing.T) { wantProblems(t, "x.hcl", tt.src, Options{}, tt.want...) })
	}
}

// TestReferencesToSteps keeps which steps a step may refer to.
func TestReferencesToSteps(t *testing.T) {
	const ran = "exec \"a\" {\nnode = \"n\"\ncommand = [\"true\"]\n}\n"
	for name, tt := range map[string]struct {
		text string
		want []problem
	}{
		"one before":          {ran + `expect "b" { condition = step.a.exit_code == 0 }`, nil},
		"one before by index": {ran + `expect "b" { condition = step["a"].stdout == "x" }`, nil},
		"itself":              {`expect "b" { condition = «step.b».error == null }`, []problem{`"b"`}},
		"one after":           {`expect "b" { condition = «step.a».exit_code == 0 }` + "\n" + ran, []problem{`"a"`}},
		"none":                {ran + `expect "b" { condition = «step.aa».exit_code == 0 }`, []problem{`"aa"`}},
		"from finally":        {ran + "finally {\nexec \"f\" {\nnode = \"n\"\ncommand = [step.a.stdout]\n}\n}", nil},
		"of finally":          {"expect \"b\" { condition = «step.f».error == null }\nfinally {\nsleep \"f\" { duration = \"1s\" }\n}", []problem{`"f"`}},
	} {
		t.Run(name, func(t *testing.T) { wantProblems(t, "x.hcl", inScenario(tt.text), Options{}, tt.want...) })
	}
}

// TestUnusedIsWarnedOf keeps what counts as a use.
func TestUnusedIsWarnedOf(t *testing.T) {
	for name, tt := range map[string]struct {
		src  string
		want []problem
	}{
		"a variable":                {`«variable "v"» { default = 1 }`, []problem{"var.v"}},
		"a local":                   {`locals { «l» = 1 }`, []problem{"local.l"}},
		"a cluster":                 {`«cluster "c"» { kubernetes = "1.28" }`, []problem{"cluster.c"}},
		"one of a for_each":         {"cluster \"c\" {\nfor_each = { a = \"1.28\", b = \"1.29\" }\nkubernetes = each.value\n}\nscenario \"s\" { clusters = [cluster.c[\"a\"]] }", nil},
		"all variables at once":     {"variable \"v\" { default = 1 }\nlocals { «l» = jsonencode(var) }", []problem{"local.l"}},
		"a variable by index":       {"variable \"v\" { default = 1 }\nlocals { «l» = var[\"v\"] }", []problem{"local.l"}},
		"in a condition":            {"variable \"v\" { default = 1 }\n" + inScenario(`expect "e" { condition = var.v == 1 }`), nil},
		"in a template":             {"variable \"v\" { default = 1 }\n" + inScenario(`expect "e" {`+"\ncondition = true\nmessage = \"is ${var.v}\"\n}"), nil},
		"in a cluster not used":     {"variable \"v\" { default = \"1.28\" }\n«cluster \"c\"» { kubernetes = var.v }", []problem{"cluster.c"}},
		"a local by a local unused": {"locals {\n a = 1\n «b» = local.a\n}", []problem{"local.b"}},
		"a cluster by a condition":  {"«cluster \"a\"» { kubernetes = \"1.28\" }\ncluster \"b\" { kubernetes = \"1.29\" }\nscenario \"s\" { clusters = [for c in values(cluster) : c if c.name == \"b\"] }", []problem{"cluster.a"}},
		"a local in the scenario's": {"locals { a = 1 }\n" + inScenario("locals { b = local.a }\nexpect \"e\" { condition = local.b == 1 }"), nil},
	} {
		t.Run(name, func(t *testing.T) { wantWarnings(t, tt.src, tt.want...) })
	}
}

// TestNoWarningsBesideErrors: what is unused may be what a mistake hides.
func TestNoWarningsBesideErrors(t *testing.T) {
	_, said := loadText("x.hcl", "variable \"v\" { default = 1 }\nlocals { x = vra.v }\n")
	if !strings.Contains(said, "vra") || strings.Contains(said, "Unused") {
		t.Errorf("said %q", said)
	}
}
