package value

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// functionCases has a case for each function.
var functionCases = []struct{ expr, want string }{
	{`abs(-2)`, `2`},
	{`alltrue([true, true])`, `true`},
	{`alltrue([false, pod.x.ready == "1/1"])`, `false`},
	{`anytrue([false, true])`, `true`},
	{`anytrue([pod.x.ready == "1/1", false])`, NotObserved},
	{`can(regex("a", "b"))`, `false`},
	{`ceil(1.2)`, `2`},
	{`cidrhost("10.0.0.0/24", 5)`, `"10.0.0.5"`},
	{`coalesce(null, "a")`, `"a"`},
	{`concat([1], [2])`, `[1, 2]`},
	{`contains(["a", "b"], "b")`, `true`},
	{`contains(["a"], pod.x.phase)`, NotObserved},
	{`distinct(["a", "b", "a"])`, `["a", "b"]`},
	{`file("a.txt")`, `"text"`},
	{`fileexists("b.txt")`, `false`},
	{`flatten([[1], [2, [3]]])`, `[1, 2, 3]`},
	{`floor(1.8)`, `1`},
	{`format("%s-%02d", "a", 7)`, `"a-07"`},
	{`helm("app")`, NotObserved},
	{`index(["a", "b"], "b")`, `1`},
	{`join(",", ["a", "b"])`, `"a,b"`},
	{`jsondecode("{\"a\": [1, null]}").a[0]`, `1`},
	{`jsonencode({ a = [1, true] })`, `"{\"a\":[1,true]}"`},
	{`keys({ b = 1, a = 2 })`, `["a", "b"]`},
	{`kustomize("app")`, NotObserved},
	{`length([1, 2])`, `2`},
	{`length("äöü")`, `3`},
	{`log_time(pod.web.container["main"], "^rea")`, `2`},
	{`log_time(pod.web.container["main"], "never")`, NotObserved},
	{`logged(pod.web.container["main"], "^ready$")`, `true`},
	{`lookup({ a = 1 }, "b", 2)`, `2`},
	{`lower("ABC")`, `"abc"`},
	{`max(1, 3, 2)`, `3`},
	{`merge({ a = 1 }, { a = 2, b = 3 })`, `{a = 2, b = 3}`},
	{`min(3, 1)`, `1`},
	{`object("v1", "ConfigMap", "x").data`, NotObserved},
	{`one([7])`, `7`},
	{`one([])`, `null`},
	{`ordered([pod.web.container["main"].started_at, 2, pod.web.container["main"].finished_at])`, `true`},
	{`ordered([2, 1, pod.x.created_at])`, `false`},
	{`overlaps(pod.web.container["main"], pod.web.container["side"])`, `true`},
	{`precision(pod.web.container["main"].started_at) < 0.001`, `true`},
	{`range(3)`, `[0, 1, 2]`},
	{`regex("a(.)c", "xabc")[0]`, `"b"`},
	{`regexall("[0-9]+", "1 and 22")`, `["1", "22"]`},
	{`replace("a-b", "-", "+")`, `"a+b"`},
	{`seconds("1m30s")`, `90`},
	{`semver("1.28.15", ">= 1.28, < 1.29")`, `true`},
	{`slice(["a", "b", "c"], 1, 3)`, `["b", "c"]`},
	{`sort(["b", "a"])`, `["a", "b"]`},
	{`split(",", "a,b")`, `["a", "b"]`},
	{`sum([1, 2.5])`, `3.5`},
	{`templatefile("t.tpl", { name = "you" })`, `"hello you"`},
	{`tolist(toset(["a"]))`, `["a"]`},
	{`tomap({ a = 1 }).a`, `1`},
	{`tonumber("12")`, `12`},
	{`length(toset(["a", "a"]))`, `1`},
	{`toset(["a"]) == toset(["a"])`, `true`},
	{`tostring(12)`, `"12"`},
	{`trimspace(" a\n")`, `"a"`},
	{`try(regex("a", "b"), "no")`, `"no"`},
	{`upper("abc")`, `"ABC"`},
	{`values({ b = 1, a = 2 })`, `[2, 1]`},
	{`yamldecode("a: [1, x]").a[1]`, `"x"`},
	{`trimspace(yamlencode({ a = 1 }))`, `"\"a\": 1"`},
	{`yamlencode(pod.x.phase)`, NotObserved},
}

// TestFunctions has a case for each function: its result for plain values, and for
// values that were not observed yet.
func TestFunctions(t *testing.T) {
	scope := &Scope{
		Dir:  fstest.MapFS{"a.txt": {Data: []byte("text")}, "t.tpl": {Data: []byte("hello ${name}")}},
		Pods: map[string]*Pod{"web": {Name: "web", Containers: []*Container{{Name: "main", StartedAt: Some(Time{Seconds: 1}), FinishedAt: Some(Time{Seconds: 3}), Log: Lines{{At: Time{Seconds: 2}, Text: "ready"}}}, {Name: "side", StartedAt: Some(Time{Seconds: 2})}}}},
	}
	covered := map[string]bool{}
	for _, tt := range functionCases {
		t.Run(tt.expr, func(t *testing.T) {
			v, diags := scope.Eval(parse(t, tt.expr))
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if got := Format(v); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
		for _, name := range FunctionNames() {
			covered[name] = covered[name] || strings.Contains(tt.expr, name+"(")
		}
	}
	for _, name := range FunctionNames() {
		if !covered[name] {
			t.Errorf("there is no case for %s()", name)
		}
	}
	design := strings.Fields(`file templatefile fileexists yamldecode yamlencode jsondecode jsonencode length contains keys values merge lookup
		join split format regex regexall replace trimspace upper lower min max abs floor ceil range toset tolist tomap tostring tonumber try can
		coalesce helm kustomize one alltrue anytrue sum sort distinct flatten concat slice index cidrhost semver ordered overlaps logged log_time seconds object precision`)
	slices.Sort(design)
	if got := FunctionNames(); !slices.Equal(got, design) {
		t.Errorf("the functions are %q, want %q", got, design)
	}
}
