package dsl

import (
	"fmt"
	"testing"

	"github.com/kind-lab/lab/dsl/value"
)

// TestMatrixRows keeps which rows a matrix has, in their order.
func TestMatrixRows(t *testing.T) {
	for name, tt := range map[string]struct {
		matrix string
		want   []string
	}{
		"one axis": {"n = [2, 1]", []string{"s[n=2]", "s[n=1]"}},
		"the last axis turns first": {"a = [1, 2]\nb = [\"x\", \"y\"]",
			[]string{`s[a=1,b="x"]`, `s[a=1,b="y"]`, `s[a=2,b="x"]`, `s[a=2,b="y"]`}},
		"axes in the order written": {"z = [1]\na = [2]", []string{"s[z=1,a=2]"}},
		"a set":                     {`v = toset(["b", "a"])`, []string{`s[v="a"]`, `s[v="b"]`}},
		"values of several types":   {`v = [1, "1", true, null]`, []string{"s[v=1]", `s[v="1"]`, "s[v=true]", "s[v=null]"}},
		"objects":                   {`v = [{ a = 1 }, { a = 2 }]`, []string{"s[v={a = 1}]", "s[v={a = 2}]"}},
		"of a local":                {"v = local.list", []string{"s[v=7]", "s[v=8]"}},
		"exclude one row":           {"a = [1, 2]\nb = [1, 2]\nexclude {\n a = 1\n b = 2\n}", []string{"s[a=1,b=1]", "s[a=2,b=1]", "s[a=2,b=2]"}},
		"exclude by one axis":       {"a = [1, 2]\nb = [1, 2]\nexclude { a = 2 }", []string{"s[a=1,b=1]", "s[a=1,b=2]"}},
		"two excludes":              {"a = [1, 2, 3]\nexclude { a = 1 }\nexclude { a = 3 }", []string{"s[a=2]"}},
		"include a row":             {"a = [1]\nb = [\"x\"]\ninclude {\n a = 9\n b = \"z\"\n}", []string{`s[a=1,b="x"]`, `s[a=9,b="z"]`}},
		"two includes":              {"a = [1]\ninclude { a = 3 }\ninclude { a = 2 }", []string{"s[a=1]", "s[a=3]", "s[a=2]"}},
		"include what is excluded":  {"a = [1, 2]\ninclude { a = 1 }\nexclude { a = 1 }", []string{"s[a=2]", "s[a=1]"}},
		"include with all excluded": {"a = [1]\nexclude { a = 1 }\ninclude { a = 5 }", []string{"s[a=5]"}},
		"an include that has a row of an include": {"a = [1]\ninclude { a = 2 }\ninclude { a = 2 }", []string{"s[a=1]", "s[a=2]"}},
		"a dynamic exclude":                       {"a = [1, 2, 3]\ndynamic \"exclude\" {\n for_each = [1, 3]\n content { a = exclude.value }\n}", []string{"s[a=2]"}},
		"computed":                                {"a = [for i in range(3) : i * i]", []string{"s[a=0]", "s[a=1]", "s[a=4]"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := good(t, "locals { list = [7, 8] }\n"+inScenario("matrix {\n"+tt.matrix+"\n}\nsleep \"x\" { duration = \"1s\" }"), Options{})
			same(t, "rows", tt.want, titles(m))
		})
	}
}

// TestMatrixIsKnownInARow uses matrix wherever a scenario may.
func TestMatrixIsKnownInARow(t *testing.T) {
	m := good(t, `
cluster "a" { kubernetes = "1.28" }
cluster "b" { kubernetes = "1.29" }
scenario "s" {
  description = "with ${matrix.n}"
  clusters    = matrix.n == 1 ? [cluster.a] : [cluster.b]
  matrix { n = [1, 2] }
  locals { pod = "web-${matrix.n}" }
  sleep "for a while" { duration = "1s" }
  wait "it" {
    condition = pod[local.pod].phase == "Running"
    within    = "${matrix.n}m"
  }
  dynamic "expect" {
    for_each = range(matrix.n)
    labels   = ["${matrix.n}-${expect.key}"]
    content { condition = expect.value < matrix.n }
  }
  finally {
    sleep "end" { duration = "${matrix.n}s" }
  }
}
`, Options{})
	for i, want := range []struct {
		description, cluster, row string
		steps                     []string
		within, end               string
	}{
		{"with 1", "a", "n=1", []string{"for a while", "it", "1-0"}, "1m0s", "1s"},
		{"with 2", "b", "n=2", []string{"for a while", "it", "2-0", "2-1"}, "2m0s", "2s"},
	} {
		s := m.Scenarios[i]
		if s.Name != "s" || s.Row != want.row || s.Description != want.description || s.Clusters[0].Name != want.cluster {
			t.Errorf("got %+v, want %+v", s, want)
		}
		same(t, "steps", want.steps, stepNames(s.Steps))
		if within, end := s.Steps[1].Action.Times().Within.String(), s.Finally[0].Action.Times().Duration.String(); within != want.within || end != want.end {
			t.Errorf("within %s, end %s; want %s, %s", within, end, want.within, want.end)
		}
		if got := value.Format(s.Extra()["matrix"]); got != fmt.Sprintf("{n = %d}", i+1) {
			t.Errorf("matrix is %s", got)
		}
	}
}

// TestRootsOfASteps keeps which roots a step has beside the scenario's.
func TestRootsOfASteps(t *testing.T) {
	m := good(t, inScenario(`
  matrix { n = [1] }
  sleep "plain" { duration = "1s" }
  dynamic "sleep" {
    for_each = ["a"]
    iterator = it
    labels   = [it.value]
    content { duration = "${it.key + 1}s" }
  }`), Options{})
	s := m.Scenarios[0]
	same(t, "of a plain step", []string(nil), stepRoots(s.Steps[0]))
	same(t, "of a dynamic step", []string{"it"}, stepRoots(s.Steps[1]))
	same(t, "in the scope", []string{"it", "matrix"}, sorted(s.Steps[1].Scope(s)))
	same(t, "of the scenario", []string{"matrix"}, sorted(s.Extra()))
}

func stepRoots(s *Step) []string {
	var all []string
	return append(all, sorted(s.Roots)...)
}

// TestWrongMatrix points at what is wrong with a matrix.
func TestWrongMatrix(t *testing.T) {
	const secret = "variable \"v\" {\n  default = [1]\n  sensitive = true\n}\n"
	for name, tt := range map[string]struct {
		matrix string
		want   []problem
	}{
		"empty":                    {"«matrix» {}", []problem{"axis"}},
		"an empty axis":            {"matrix { a = «[]» }", []problem{"axis|at least one"}},
		"an axis of a string":      {"matrix { a = «\"x\"» }", []problem{"axis|x"}},
		"an axis of an object":     {"matrix { a = «{ b = 1 }» }", []problem{"axis"}},
		"null":                     {"matrix { a = «null» }", []problem{"axis|null"}},
		"a value twice":            {"matrix { a = «[1, 2, 1]» }", []problem{"twice|1"}},
		"sensitive":                {"matrix { a = «var.v» }", []problem{"sensitive"}},
		"observed":                 {"matrix { a = «target».nodes }", []problem{"target"}},
		"by itself":                {"matrix {\n a = [1]\n b = [«matrix».a]\n}", []problem{"matrix"}},
		"two axes wrong":           {"matrix {\n a = «[]»\n b = «1»\n}", []problem{"axis", "axis"}},
		"too many rows":            {"«matrix» {\n a = range(40)\n b = range(40)\n}", []problem{"1000"}},
		"an unknown axis":          {"matrix {\n grace = [1, 2]\n exclude { «grase» = 1 }\n}", []problem{`"grase"|"grace"`}},
		"an axis far off":          {"matrix {\n grace = [1, 2]\n exclude { «x» = 1 }\n}", []problem{`"x"|"grace"`}},
		"exclude nothing":          {"matrix {\n a = [1]\n «exclude» {}\n}", []problem{"exclude"}},
		"exclude all":              {"«matrix» {\n a = [1]\n exclude { a = 1 }\n}", []problem{"excluded"}},
		"an include lacks an axis": {"matrix {\n a = [1]\n b = [1]\n «include» { a = 2 }\n}", []problem{`"b"`}},
		"an include knows no axis": {"matrix {\n a = [1]\n include {\n  a = 2\n  «bb» = 3\n }\n}", []problem{`"bb"`}},
		"two of them":              {"matrix { a = [1] }\n«matrix» { a = [2] }", []problem{"matrix|one"}},
		"an unknown block":         {"matrix {\n a = [1]\n «exlude» { a = 1 }\n}", []problem{`"exlude"|"exclude"`}},
		"an unknown reference":     {"matrix { a = [1] }\nsleep \"x\" { duration = \"${matrix«.b»}s\" }", []problem{"a|b"}},
	} {
		t.Run(name, func(t *testing.T) {
			wantProblems(t, "x.hcl", secret+inScenario(tt.matrix), Options{}, tt.want...)
		})
	}
}

// TestNeedlessExcludesAndIncludes warns of blocks that change nothing.
func TestNeedlessExcludesAndIncludes(t *testing.T) {
	for name, tt := range map[string]struct {
		matrix string
		want   []problem
	}{
		"exclude what is not there": {"matrix {\n a = [1]\n «exclude» { a = 2 }\n}", []problem{"no row"}},
		"a value of another type":   {"matrix {\n a = [1]\n «exclude» { a = \"1\" }\n}", []problem{"no row"}},
		"include what is there":     {"matrix {\n a = [1]\n «include» { a = 1 }\n}", []problem{"row|a=1"}},
		"neither":                   {"matrix {\n a = [1, 2]\n exclude { a = 1 }\n include { a = 3 }\n}", nil},
	} {
		t.Run(name, func(t *testing.T) {
			wantWarnings(t, inScenario(tt.matrix+"\nsleep \"x\" { duration = \"1s\" }"), tt.want...)
		})
	}
}

// TestTheMostRows keeps the limit of a matrix where it is said to be.
func TestTheMostRows(t *testing.T) {
	m := good(t, inScenario("matrix {\n a = range(40)\n b = range(25)\n}"), Options{})
	if len(m.Scenarios) != maxInstances {
		t.Errorf("%d rows, want %d", len(m.Scenarios), maxInstances)
	}
}

// TestAMistakeInEveryRowIsToldOnce loads a scenario with the same mistake in
// all rows, and with one that differs from row to row.
func TestAMistakeInEveryRowIsToldOnce(t *testing.T) {
	wantProblems(t, "x.hcl", inScenario("matrix { n = [1, 2, 3] }\nsleep \"x\" { duration = «\"soon\"» }"), Options{}, "soon")
	wantProblems(t, "x.hcl", inScenario("matrix { n = [1, 2] }\nsleep \"x\" { duration = ««\"${matrix.n} days\"»» }"), Options{}, "1 days", "2 days")
	wantProblems(t, "x.hcl", inScenario("matrix { n = [1, 2] }\nsleep \"x\" { duration = «matrix.n == 1 ? \"1s\" : \"never\"» }"), Options{}, "never")
}
