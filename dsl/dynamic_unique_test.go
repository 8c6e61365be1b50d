package dsl

import (
	"testing"
	"testing/fstest"
)

// TestADynamicMatrix runs a scenario for the rows of a matrix that a dynamic
// block makes.
func TestADynamicMatrix(t *testing.T) {
	const sleep = "\nsleep \"x\" { duration = \"${matrix.n}s\" }"
	made := func(forEach string) string {
		return "dynamic \"matrix\" {\nfor_each = " + forEach + "\ncontent { n = matrix.value }\n}"
	}
	m := good(t, inScenario(made("[[1, 2]]")+sleep), Options{})
	same(t, "rows", []string{"s[n=1]", "s[n=2]"}, titles(m))
	m = good(t, inScenario("dynamic \"sleep\" {\nfor_each = [1]\nlabels = [\"y\"]\ncontent { duration = \"1s\" }\n}\n"+made("{ a = [3] }")+sleep), Options{})
	same(t, "beside another", []string{"s[n=3]"}, titles(m))
	m = good(t, inScenario(made("[]")+"\nmatrix { n = [4] }"+sleep), Options{})
	same(t, "none, and one that is written", []string{"s[n=4]"}, titles(m))
	wantProblems(t, "x.hcl", inScenario("matrix { n = [1] }\n«dynamic \"matrix\"» {\nfor_each = [[1]]\ncontent { n = matrix.value }\n}"+sleep), Options{}, "only one matrix|x.hcl:4")
	wantProblems(t, "x.hcl", inScenario("«dynamic \"matrix\"» {\nfor_each = [[1], [2]]\ncontent { n = matrix.value }\n}"+sleep), Options{}, "only one matrix|x.hcl:4")
	wantProblems(t, "x.hcl", inScenario("dynamic \"matrix\" {\nfor_each = «3»\ncontent { n = [1] }\n}\nsleep \"x\" { duration = \"1s\" }"), Options{}, "for_each|3")
}

// TestDynamicBlocksThatOccurOnce refuses a second one, as it would be if they
// were written out.
func TestDynamicBlocksThatOccurOnce(t *testing.T) {
	finally := func(names string) string {
		return "«dynamic \"finally\"» {\nfor_each = " + names + "\ncontent {\ndynamic \"sleep\" {\nfor_each = [finally.value]\nlabels = [sleep.value]\ncontent { duration = \"1s\" }\n}\n}\n}"
	}
	wantProblems(t, "x.hcl", inScenario(finally(`["a", "b"]`)), Options{}, "only one finally")
	wantProblems(t, "x.hcl", inScenario("finally {}\n"+finally(`["a"]`)), Options{}, "only one finally|x.hcl:4")
	text, _ := unmark(inScenario(finally(`["a"]`)))
	same(t, "finally", []string{"a"}, stepNames(good(t, text, Options{}).Scenarios[0].Finally))
}

// TestStepsOnOneLine refuses every character that ends a line, or that a terminal
// obeys, in the name of a step, and no letter of any script.
func TestStepsOnOneLine(t *testing.T) {
	for name, ok := range map[string]bool{
		"a\u2028b": false, "a\u2029b": false, "a\u0085b": false, "a\u009bb": false, "\u00a0": false,
		"宽 – é": true, "נמל": true, "a\u200db": true, "e\u0301": true, "🚀": true,
	} {
		_, list := LoadFS(fstest.MapFS{"x.hcl": {Data: []byte(inScenario(`sleep "` + name + `" { duration = "1s" }`))}}, "x.hcl", Options{})
		if list.HasErrors() == ok || !ok && list[0].Summary != "Invalid name" {
			t.Errorf("%q: %s", name, list.Error())
		}
	}
}

// TestCirclesOfAScenario reports each circle of a scenario's locals once, with
// its way, and nothing of what uses it.
func TestCirclesOfAScenario(t *testing.T) {
	const use = "\nexpect \"e\" { condition = local.a == null }"
	for name, tt := range map[string]struct {
		locals string
		want   []problem
	}{
		"itself":              {"locals { «a» = local.a }", []problem{": local.a uses local.a."}},
		"a circle of two":     {"locals {\n «a» = local.b\n b = local.a\n}", []problem{": local.a uses local.b uses local.a."}},
		"from outside":        {"locals {\n a = local.b\n «b» = [local.c]\n c = local.b\n}", []problem{": local.b uses local.c uses local.b."}},
		"two circles":         {"locals {\n «a» = local.b\n b = local.a\n «c» = local.c\n}", []problem{"local.a uses local.b", "local.c uses local.c"}},
		"of two blocks":       {"locals { «a» = local.b }\nlocals { b = local.a }", []problem{"local.a uses local.b uses local.a"}},
		"by index":            {"locals {\n «a» = local[\"b\"]\n b = local.a\n}", []problem{"local.a uses local.b uses local.a"}},
		"with observations":   {"locals {\n «a» = pod.x.phase == local.b\n b = \"${local.a}\"\n}", []problem{"local.a uses local.b"}},
		"a mistake elsewhere": {"locals {\n «a» = local.a\n b = «local.nowhere»\n}", []problem{"local.a uses", `"nowhere"`}},
		"a diamond is none":   {"locals {\n a = local.b + local.c\n b = local.d\n c = local.d\n d = 1\n}", nil},
		"a for is none":       {"locals { a = [for a in [1] : a][0] }", nil},
	} {
		t.Run(name, func(t *testing.T) { wantProblems(t, "x.hcl", inScenario(tt.locals+use), Options{}, tt.want...) })
	}
}
