package value

import (
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// callMistakes are calls with what their errors say.
var callMistakes = []struct{ expr, want string }{
	{`abs("x")`, "number"},
	{`alltrue([1])`, "bool"},
	{`alltrue(["maybe"])`, "bool"},
	{`anytrue([true, "x"])`, "bool"},
	{`anytrue(null)`, "null"},
	{`cidrhost("x", 1)`, "network"},
	{`cidrhost("10.0.0.0/33", 1)`, "network"},
	{`cidrhost("10.0.0.0/24", 1.5)`, "whole number"},
	{`cidrhost("10.0.0.0/24", 256)`, "256 addresses"},
	{`cidrhost("10.0.0.0/24", -257)`, "256 addresses"},
	{`cidrhost("10.0.0.0/32", 1)`, "1 addresses"},
	{`coalesce(null, null)`, "null"},
	{`contains("abc", "a")`, "list"},
	{`contains({ a = 1 }, 1)`, "list"},
	{`format("%d", "x")`, "number"},
	{`index("a", "b")`, "list"},
	{`index(["a"], "b")`, "not found"},
	{`index([], 1)`, "not found"},
	{`jsondecode("{a}")`, "jsondecode"},
	{`keys([1])`, "map"},
	{`length(3)`, "string"},
	{`length(true)`, "collection"},
	{`log_time("x", "a")`, "container"},
	{`logged(pod.myapp-x1, "a")`, "container"},
	{`logged(pod.myapp-x1.containers, "a")`, "container"},
	{`logged(pod.myapp-x1.container["main"], "(")`, "regular expression"},
	{`log_time(pod.myapp-x1.container["main"], "a**")`, "regular expression"},
	{`lookup({ a = 1 }, "b")`, "default"},
	{`max()`, "number"},
	{`one(local.pair)`, "one element"},
	{`one("a")`, "list"},
	{`ordered("x")`, "list"},
	{`ordered(["x"])`, "number"},
	{`overlaps(pod.myapp-x1.container["main"], "x")`, "container"},
	{`overlaps(pod.myapp-x1.container["main"], pod.myapp-x1)`, "container"},
	{`precision("x")`, "number"},
	{`range(1, 3, 0)`, "step"},
	{`regex("(", "a")`, "invalid regexp"},
	{`regex("b", "a")`, "match"},
	{`regexall("(", "a")`, "invalid regexp"},
	{`replace("a", "/(/", "b")`, "regular expression"},
	{`seconds("90")`, `"90"`},
	{`seconds("1 minute")`, `"1 minute"`},
	{`semver("1.x", "1")`, `"1.x"`},
	{`semver("1.2", "about 1")`, `"about 1"`},
	{`slice([1, 2], 1, 5)`, "end index"},
	{`sort([[1]])`, "string"},
	{`sum([1, null])`, "null"},
	{`sum(3)`, "list"},
	{`tomap([1])`, "map"},
	{`tonumber("x")`, "number"},
	{`upper(null)`, "null"},
	{`yamldecode("a: b: c")`, "mapping"},
	{`try(upper(null))`, "try"},
	{`nope(1)`, "nope"},
	{`1 / 0`, "zero"},
	{`"a" + 1`, "number"},
	{`1 < "x"`, "number"},
	{`-"x"`, "number"},
	{`!3`, "bool"},
	{`null + 1`, "null"},
	{`3 >= null`, "null"},
}

// TestMistakesInCalls has what each function does not take. want are the words
// by which one finds the mistake.
func TestMistakesInCalls(t *testing.T) {
	scope := observedScope()
	scope.ScenarioLocals = map[string]hcl.Expression{"pair": parse(t, `[1, 2]`)}
	for _, tt := range callMistakes {
		t.Run(tt.expr, func(t *testing.T) { wantError(t, scope, tt.expr, tt.want) })
	}
}

// TestMistakesInNames has names that do not exist, and what is reported to help.
func TestMistakesInNames(t *testing.T) {
	scope := observedScope()
	scope.Pods["bare"] = &Pod{Name: "bare"}
	scope.Vars = cty.ObjectVal(map[string]cty.Value{
		"image": cty.StringVal("x"), "ports": cty.MapVal(map[string]cty.Value{"http": cty.Zero, "https": cty.Zero}),
		"null": cty.NullVal(cty.Map(cty.String)), "list": cty.ListVal([]cty.Value{cty.Zero}),
	})
	for _, tt := range []struct{ expr, want string }{
		{`var.imag`, `"image"`},
		{`var.ports["htp"]`, `"http"`},
		{`var.ports.htp`, `"http"`},
		{`var.ports["gopher"]`, `"https"`},
		{`var.null["a"]`, "null"},
		{`var.null.a`, "null"},
		{`var.list[3]`, "element"},
		{`var.list.a`, ""},
		{`pod.myapp-x1.phas`, `"phase"`},
		{`pod.myapp-x1.colour`, "phase"},
		{`pod.nope.colour`, "phase"},
		{`pod.bare.container["main"]`, "none"},
		{`job.my-job.pod.container["mian"].ready`, `"main"`},
		{`job.my-job.pod.container["main"].runs[0].exitcode`, `"exit_code"`},
		{`pod.myapp-x1.events[0].resaon`, `"reason"`},
		{`step["apply it"].exitcode`, `"exit_code"`},
		{`target.minr`, `"minor"`},
		{`target.feature_gates.B`, "lookup("},
		{`path.nope`, "scenario"},
		{`pod.gone.container["x"]`, "null"},
		{`pod.gone["phase"]`, "null"},
		{`[for p in [pod.myapp-x1] : p.phas]`, `"phase"`},
		{`pod.myapp-x1.containers[*].nam`, `"nam"`},
		{`nope.x`, "nope"},
	} {
		t.Run(tt.expr, func(t *testing.T) {
			_, diags := scope.Eval(parse(t, tt.expr))
			if !diags.HasErrors() {
				t.Fatal("it is no error")
			}
			wantError(t, scope, tt.expr, tt.want)
		})
	}
}

// TestMistakesAreToldWhereTheyAre holds that a mistake is reported of the part of
// the expression that it is in.
func TestMistakesAreToldWhereTheyAre(t *testing.T) {
	for src, want := range map[string]string{
		`1 == 1 && 3 < null`:                         `null`,
		`target.minor > 1 ? pod.myapp-x1.phas : "x"`: `.phas`,
		`[1, seconds("x")]`:                          `x`,
		`true && (false || target.minor)`:            `target.minor`,
		`pod.myapp-x1.container["mian"].ready`:       `["mian"]`,
		`{ a = semver("1", "x") }`:                   `x`,
	} {
		_, diags := observedScope().Eval(parse(t, src))
		if !diags.HasErrors() {
			t.Errorf("%s is no error", src)
			continue
		}
		at := diags[0].Subject
		if got := src[at.Start.Byte:at.End.Byte]; got != want {
			t.Errorf("%s: reported %s, want %s", src, got, want)
		}
	}
}
