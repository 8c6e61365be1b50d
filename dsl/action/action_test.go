package action_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/dsl/schema"
)

// read loads a scenario of some steps.
func read(t *testing.T, steps string) ([]*dsl.Step, diag.List) {
	t.Helper()
	src := "variable \"v\" { default = \"x\" }\ncluster \"c\" { kubernetes = \"1.29\" }\nlocals { l = var.v }\nscenario \"s\" {\n  clusters = [cluster.c]\n  description = local.l\n" + steps + "\n}\n"
	m, problems := dsl.LoadFS(fstest.MapFS{"scenario.hcl": {Data: []byte(src)}}, "scenario.hcl", dsl.Options{})
	if len(m.Scenarios) != 1 {
		return nil, problems
	}
	return m.Scenarios[0].Steps, problems
}

// one loads a scenario of one step without mistakes, and returns its action.
func one[A action.Action](t *testing.T, step string) A {
	t.Helper()
	steps, problems := read(t, step)
	if problems.HasErrors() || len(steps) != 1 {
		t.Fatalf("%d steps: %v", len(steps), problems)
	}
	a, ok := steps[0].Action.(A)
	if !ok {
		t.Fatalf("decoded to %T", steps[0].Action)
	}
	return a
}

func TestDefaults(t *testing.T) {
	apply := one[*action.Apply](t, `apply "x" { manifests = "a: 1" }`)
	if apply.FieldValidation != action.FieldValidationStrict || apply.Timeout != time.Minute || apply.ExpectError != nil {
		t.Errorf("apply: %+v", apply)
	}
	remove := one[*action.Delete](t, `delete "x" { objects = "pod/web" }`)
	if !remove.Wait || remove.IgnoreNotFound || remove.GracePeriod != nil || remove.Propagation != "Background" || remove.Timeout != 2*time.Minute {
		t.Errorf("delete: %+v", remove)
	}
	patch := one[*action.Patch](t, `patch "x" {
  object = "pod/web"
  patch  = {}
}`)
	if patch.Type != "strategic" || patch.Subresource != "" || patch.FieldValidation != "Strict" || patch.Timeout != time.Minute {
		t.Errorf("patch: %+v", patch)
	}
	exec := one[*action.Exec](t, `exec "x" {
  pod     = "web"
  command = ["true"]
}`)
	if exec.Host || exec.IgnoreExitCode || exec.Stdin != nil || exec.Container != nil || exec.Timeout != 30*time.Second {
		t.Errorf("exec: %+v", exec)
	}
	node := one[*action.Node](t, `node "x" { action = "drain" }`)
	if node.Node != nil || node.Action != "drain" || node.Service != "" || node.Timeout != 2*time.Minute {
		t.Errorf("node: %+v", node)
	}
	wait := one[*action.Wait](t, `wait "x" { condition = pod.web.ready == "1/1" }`)
	if wait.Name != "x" || wait.Within != time.Minute || wait.Hold != 0 {
		t.Errorf("wait: %+v", wait)
	}
	expect := one[*action.Expect](t, `expect "x" { condition = pod.web.ready == "1/1" }`)
	if expect.Name != "x" || expect.Within != 0 || expect.Hold != 0 || expect.Outcome != nil || expect.When != nil || expect.Message != nil {
		t.Errorf("expect: %+v", expect)
	}
}

func TestArgumentsAreDecoded(t *testing.T) {
	remove := one[*action.Delete](t, `delete "x" {
  manifests        = ["a: 1", "b: 2"]
  grace_period     = "0s"
  propagation      = "orphan"
  wait             = false
  ignore_not_found = true
  timeout          = "3s"
}`)
	if remove.Objects != nil || *remove.GracePeriod != 0 || remove.Propagation != "Orphan" || remove.Wait || !remove.IgnoreNotFound || remove.Timeout != 3*time.Second {
		t.Errorf("delete: %+v", remove)
	}
	exec := one[*action.Exec](t, `exec "x" {
  host             = true
  command          = ["sh", "-c", "exit 3"]
  stdin            = local.l
  ignore_exit_code = true
  expect_error     = "exit code [0-9]"
}`)
	if !exec.Host || !exec.IgnoreExitCode || exec.Stdin == nil || exec.ExpectError == nil {
		t.Errorf("exec: %+v", exec)
	}
	patch := one[*action.Patch](t, `patch "x" {
  object           = "deployments.apps/web"
  patch            = [{ op = "remove", path = "/spec" }]
  type             = "JSON"
  subresource      = "status"
  field_validation = "Ignore"
}`)
	if patch.Type != "json" || patch.Subresource != "status" || patch.FieldValidation != action.FieldValidationIgnore {
		t.Errorf("patch: %+v", patch)
	}
	node := one[*action.Node](t, `node "x" {
  node    = target.nodes[0]
  action  = "restart"
  service = "kubelet"
}`)
	if node.Node == nil || node.Action != "restart" || node.Service != "kubelet" {
		t.Errorf("node: %+v", node)
	}
	signal := one[*action.Signal](t, `signal "x" {
  pod       = "web"
  container = "main"
  signal    = "USR1"
}`)
	if signal.Signal == nil || signal.Timeout != 30*time.Second {
		t.Errorf("signal: %+v", signal)
	}
}

func TestMistakes(t *testing.T) {
	tests := map[string]struct{ step, summary, detail string }{
		"a manifest that is an object": {`apply "x" { manifests = { kind = "Pod" } }`, "Invalid manifests", "yamlencode()"},
		"no such validation":           {"apply \"x\" {\n  manifests = \"a\"\n  field_validation = \"strickt\"\n}", "Invalid value", `Did you mean "strict"?`},
		"nothing to delete":            {`delete "x" {}`, "Missing argument", `"manifests" or "objects"`},
		"two things to delete":         {"delete \"x\" {\n  objects = \"pod/web\"\n  manifests = \"a\"\n}", "Too many arguments", `"objects" is set already`},
		"an object without a kind":     {`delete "x" { objects = ["pod/web", "web"] }`, "Invalid object", `"web" does not name an object`},
		"an object by a variable":      {`delete "x" { objects = local.l }`, "Invalid object", `"x" does not name an object`},
		"a patch that is null":         {"patch \"x\" {\n  object = \"pod/web\"\n  patch = null\n}", "Invalid patch", "not null"},
		"a command that is a string":   {"exec \"x\" {\n  pod = \"web\"\n  command = \"ls\"\n}", "Invalid command", `["sh", "-c", "..."]`},
		"no place for a command":       {`exec "x" { command = ["ls"] }`, "Missing argument", `"host", "node" or "pod"`},
		"two places for a command":     {"exec \"x\" {\n  node = \"n\"\n  host = true\n  command = [\"ls\"]\n}", "Too many arguments", `"node" is set already`},
		"a container without a pod":    {"exec \"x\" {\n  host = true\n  container = \"c\"\n  command = [\"ls\"]\n}", "Container without a pod", ""},
		"a service that is cordoned":   {"node \"x\" {\n  action = \"cordon\"\n  service = \"kubelet\"\n}", "Invalid service", `"cordon" applies to the node itself`},
		"no such action":               {`node "x" { action = "reboot" }`, "Invalid value", `not "reboot"`},
		"a pod that is an object":      {"signal \"x\" {\n  pod = { name = \"web\" }\n  container = \"c\"\n}", "Invalid value", "Add .name to it."},
		"a quoted bool":                {"apply \"x\" {\n  manifests = \"a\"\n  expect_error = \"true\"\n}", "Invalid expect_error", "Did you mean true?"},
		"a number":                     {"apply \"x\" {\n  manifests = \"a\"\n  expect_error = 3\n}", "Invalid expect_error", "this is 3"},
		"a broken pattern":             {"apply \"x\" {\n  manifests = \"a\"\n  expect_error = \"(\"\n}", "Invalid regular expression", "missing closing"},
		"a timeout of nothing":         {"apply \"x\" {\n  manifests = \"a\"\n  timeout = \"0s\"\n}", "Invalid duration", "greater than 0"},
		"a sleep by number":            {`sleep "x" { duration = 5 }`, "Invalid duration", `Did you mean "5s"?`},
		"a condition that is a string": {`wait "x" { condition = "yes" }`, "Invalid condition", "true or false"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, problems := read(t, tt.step)
			if len(problems) != 1 || problems[0].Summary != tt.summary || !strings.Contains(problems[0].Detail, tt.detail) {
				t.Errorf("problems: %v", problems)
			}
		})
	}
}

func TestForms(t *testing.T) {
	x := hcl.StaticExpr(cty.True, hcl.Range{})
	l := action.Limits{ExpectError: x, Timeout: time.Second}
	tests := map[string]struct {
		a             action.Action
		acts, decided bool
		longest       time.Duration
		expressions   int
	}{
		"apply":     {&action.Apply{Manifests: x, Limits: l}, true, false, time.Second, 2},
		"delete":    {&action.Delete{Objects: x, Limits: l}, true, false, time.Second, 2},
		"patch":     {&action.Patch{Object: x, Patch: x, Limits: l}, true, false, time.Second, 3},
		"exec":      {&action.Exec{Pod: x, Command: x, Limits: l}, true, false, time.Second, 3},
		"signal":    {&action.Signal{Pod: x, Container: x, Limits: l}, true, false, time.Second, 3},
		"node":      {&action.Node{Limits: l}, true, false, time.Second, 1},
		"sleep":     {&action.Sleep{Duration: 3 * time.Second}, false, false, 3 * time.Second, 0},
		"wait":      {&action.Wait{Condition: x, Within: time.Minute, Hold: time.Second}, false, true, time.Minute + time.Second, 1},
		"expect":    {&action.Expect{Condition: x, When: x, Hold: time.Second}, false, true, time.Second, 2},
		"invariant": {&action.Invariant{Condition: x, When: x, Message: x}, false, false, 0, 3},
	}
	if got := len(action.Default().Names()); got != len(tests) {
		t.Errorf("there are %d verbs, but %d are tested", got, len(tests))
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, decided := tt.a.(action.Decided)
			if action.Acts(tt.a) != tt.acts || decided != tt.decided || tt.a.Times().Longest() != tt.longest {
				t.Errorf("acts %t, decided %t, longest %s", action.Acts(tt.a), decided, tt.a.Times().Longest())
			}
			if action.Default().Acts(name) != tt.acts || (action.LimitsOf(tt.a) != nil) != tt.acts {
				t.Errorf("the table and the action disagree about whether it acts")
			}
			if got := len(action.Expressions(tt.a)); got != tt.expressions {
				t.Errorf("%d expressions, want %d", got, tt.expressions)
			}
			condition, _ := action.Condition(tt.a)
			if watched := name == "invariant"; (condition != nil) != (tt.decided || watched) {
				t.Errorf("condition %v", condition)
			}
		})
	}
	if action.Acts(nil) || action.Expressions(nil) != nil || action.LimitsOf(nil) != nil {
		t.Error("a nil action acts, or has expressions or limits")
	}
}

func TestAWaitIsAnExpectationThatDoesNotJudge(t *testing.T) {
	w := &action.Wait{Name: "x", Condition: hcl.StaticExpr(cty.True, hcl.Range{}), Within: time.Minute, Hold: time.Second, Range: hcl.Range{Filename: "f"}}
	e := w.Expectation()
	if w.Judges() || !e.Judges() || e.Expectation() != e || e.Name != w.Name || e.Condition != w.Condition || e.Within != w.Within || e.Hold != w.Hold || e.Range != w.Range {
		t.Errorf("%+v gives %+v", w, e)
	}
}

func TestWithRejectsAnIncompleteVerb(t *testing.T) {
	whole := action.Verb{
		Block:   schema.Block{Type: "greet", Summary: "Greets.", Example: "greet \"x\" {}"},
		Timeout: "1m", Decode: func(action.Arguments) action.Action { return &action.Apply{} },
	}
	tests := map[string]struct {
		change func(*action.Verb)
		want   string
	}{
		"complete":      {func(*action.Verb) {}, ""},
		"no name":       {func(v *action.Verb) { v.Block.Type = "" }, "no name"},
		"no summary":    {func(v *action.Verb) { v.Block.Summary = "" }, "no summary"},
		"no example":    {func(v *action.Verb) { v.Block.Example = "" }, "no example"},
		"no decoder":    {func(v *action.Verb) { v.Decode = nil }, "no decoder"},
		"no time":       {func(v *action.Verb) { v.Timeout = "0s" }, "default timeout"},
		"no duration":   {func(v *action.Verb) { v.Timeout = "soon" }, "default timeout"},
		"there already": {func(v *action.Verb) { v.Block.Type = "apply" }, `already a verb "apply"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			v := whole
			tt.change(&v)
			table, err := action.Default().With(v)
			switch {
			case tt.want == "" && (err != nil || !table.Acts("greet") || !slices.Contains(table.Names(), "greet")):
				t.Errorf("%v: %v", err, table.Names())
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
	if slices.Contains(action.Default().Names(), "greet") {
		t.Error("the default table was changed")
	}
}

// TestEveryVerbThatActsHasItsLimits checks that every verb that acts has the
// arguments timeout and expect_error, and that no other verb has them.
func TestEveryVerbThatActsHasItsLimits(t *testing.T) {
	var table action.Table // the zero value has all
	scenario := table.Language().Find("scenario")
	for _, name := range table.Names() {
		b := scenario.Block(name)
		has := b.Argument("timeout") != nil && b.Argument("expect_error") != nil
		if has != table.Acts(name) || !b.Step || !slices.Equal(b.Labels, []string{"name"}) {
			t.Errorf("%s: limits %t, acts %t, %+v", name, has, table.Acts(name), b)
		}
		if (scenario.Find("finally").Block(name) == nil) != b.Verdict {
			t.Errorf("%s: a verb with a verdict must not be in finally", name)
		}
	}
}

// TestAVerbThatActsWithoutALimitIsAMistake adds a verb that embeds Limits and
// has no default timeout. The timeout must not silently be 0.
func TestAVerbThatActsWithoutALimitIsAMistake(t *testing.T) {
	table, err := action.Default().With(action.Verb{
		Block:  schema.Block{Type: "greet", Summary: "Greets.", Example: "greet \"x\" {}"},
		Decode: func(action.Arguments) action.Action { return &action.Apply{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	src := "cluster \"c\" { kubernetes = \"1.29\" }\nscenario \"s\" {\n  clusters = [cluster.c]\n  greet \"x\" {}\n}\n"
	_, problems := dsl.LoadFS(fstest.MapFS{"scenario.hcl": {Data: []byte(src)}}, "scenario.hcl", dsl.Options{Verbs: table})
	if len(problems) != 1 || problems[0].Summary != "Unlimited verb" {
		t.Errorf("problems: %v", problems)
	}
}
