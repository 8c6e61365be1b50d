package dsl

import (
	"testing"
	"testing/fstest"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/schema"
)

// TestElementsThatAreNoClusters keeps what is said of lists with something else in
// them than clusters.
func TestElementsThatAreNoClusters(t *testing.T) {
	for name, tt := range map[string]struct {
		clusters string
		want     problem
	}{
		"an object":              {"«[{ a = 1 }]»", "must be a cluster"},
		"an object with a name":  {"«[{ name = \"d\" }]»", "must be a cluster"},
		"a name of another type": {"«[{ name = 3 }]»", "must be a cluster"},
		"a name that is null":    {"«[{ name = null }]»", "must be a cluster"},
		"null":                   {"«[null]»", "must be a cluster|null"},
		"a number":               {"«[3]»", "must be a cluster|3"},
		"a file that is not":     {"[file(\"«nowhere»\")]", `"nowhere"`},
		"an unknown function":    {"«clustrs»()", `"clustrs"`},
		"a key by number":        {"[cluster.c«[0]»]", "key|index"},
		"an attribute of one":    {"«[cluster.c.name]»", "must be a cluster|\"c\""},
		"a map":                  {"«{ c = cluster.c }»", "list of clusters"},
	} {
		t.Run(name, func(t *testing.T) {
			wantProblems(t, "x.hcl", "cluster \"c\" { kubernetes = \"1.29\" }\nscenario \"s\" { clusters = "+tt.clusters+" }\n", Options{}, tt.want)
		})
	}
}

// TestReferencesThatAreComputed keeps what is known of references whose names are
// not written as they are.
func TestReferencesThatAreComputed(t *testing.T) {
	const head = "variable \"v\" { default = \"x\" }\n"
	for name, tt := range map[string]struct {
		text string
		want []problem
	}{
		"a variable by number":    {`expect "e" { condition = var«[0]» == "x" }`, []problem{"index|key"}},
		"a kind of an object":     {`expect "e" { condition = «object("v1", pod.a.name, "x")» == null }`, []problem{"must be known before the run"}},
		"a version of an object":  {`expect "e" { condition = «object(target.name, "Pod", "x")» == null }`, []problem{"must be known before the run"}},
		"a name of an object":     {`expect "e" { condition = object("v1", "Pod", pod.a.name) == null }`, nil},
		"a kind by a variable":    {`expect "e" { condition = object("v1", var.v, "x") == null }`, nil},
		"a step by a variable":    {`expect "e" { condition = step[var.v].error == null }`, nil},
		"a missing one in try":    {`expect "e" { condition = try(var.v.a.b, true) }`, nil},
		"an unknown root in can":  {`expect "e" { condition = can(«nowhere».a) }`, []problem{`"nowhere"`}},
		"a splat of a for":        {`expect "e" { condition = [for n in target.nodes : upper(n)][0] == "A" }`, nil},
		"a text without quotes":   {`expect "e" { condition = pod.a.phase == «Running» }`, []problem{`Write a string in quotes: "Running".`}},
		"a root of another place": {`expect "e" { condition = «each».key == "a" }`, []problem{"for_each"}},
	} {
		t.Run(name, func(t *testing.T) {
			wantProblems(t, "x.hcl", head+inScenario(tt.text), Options{}, tt.want...)
		})
	}
}

// TestArgumentsOfALaterVersion refuses an argument that the language defines and
// this version does not support.
func TestArgumentsOfALaterVersion(t *testing.T) {
	table, err := action.Default().With(action.Verb{
		Block: schema.Block{Type: "greet", Summary: "Greets.", Example: "greet \"x\" {}", Arguments: []schema.Argument{
			{Name: "whom", Type: "string", Stage: schema.Begin}, {Name: "when", Type: "condition", Stage: schema.Judge, Later: true},
		}},
		Timeout: "1m", Decode: func(a action.Arguments) action.Action {
			if a.Attribute("when") != nil {
				t.Error("it is decoded")
			}
			return &action.Apply{Manifests: a.Text("whom", "a name")}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{Verbs: table}
	wantProblems(t, "x.hcl", inScenario("greet \"x\" {\n  whom = \"you\"\n  «when» = true\n}"), opts, `"when"|does not support it yet`)
	wantProblems(t, "x.hcl", inScenario("greet \"x\" {\n  «whenn» = true\n}"), opts, `"whenn"|"when"`)
	m, list := LoadFS(fstest.MapFS{"x.hcl": {Data: []byte(inScenario("greet \"x\" { timeout = \"3s\" }"))}}, "x.hcl", opts)
	if list.HasErrors() || m.Scenarios[0].Steps[0].Action.Times().Longest().Seconds() != 3 {
		t.Errorf("got %s", list.Error())
	}
}

// TestDidYouMean suggests the nearest name, or nothing.
func TestDidYouMean(t *testing.T) {
	for given, want := range map[string]string{"expct": ` Did you mean "expect"?`, "expect": ` Did you mean "expect"?`, "zzz": "", "": ""} {
		if got := DidYouMean(given, []string{"expect", "wait"}); got != want {
			t.Errorf("%q: got %q, want %q", given, got, want)
		}
	}
}
