package value

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

func api(s float64) Opt[Time]     { return Some(Time{Seconds: s, Precision: time.Second, Source: "api"}) }
func runtime(s float64) Opt[Time] { return Some(Time{Seconds: s, Precision: 1, Source: "runtime"}) }

// observedScope is a run in which a Job's main container has terminated and its
// sidecar still runs.
func observedScope() *Scope {
	main := &Container{
		Name: "main", Kind: "main", State: Some("terminated"), Reason: Some("Completed"), Image: "busybox",
		Ready: Some(false), Restarts: Some(1), ExitCode: Some(0), Signal: None[int](), OOMKilled: Some(false),
		StartedAt: runtime(3.25), FinishedAt: runtime(8.5),
		Runs: []ContainerRun{{runtime(1), runtime(2), Some(1)}, {runtime(3.25), runtime(8.5), Some(0)}},
		Log:  Lines{{Time{Seconds: 3.5, Precision: 1}, "starting"}, {Time{Seconds: 8, Precision: 1}, "done: 42"}},
	}
	side := &Container{
		Name: "side-car", Kind: "sidecar", State: Some("running"), Ready: Some(true), Started: Some(true), Image: "busybox",
		Restarts: Some(0), StartedAt: runtime(0.5),
	}
	early := &Container{Name: "init", Kind: "init", State: Some("terminated"), Ready: Some(false), Restarts: Some(0), StartedAt: runtime(-2), FinishedAt: runtime(0.25), ExitCode: Some(0)}
	pod := &Pod{
		Name: "myapp-x1", UID: "u", Phase: "Running", Status: "NotReady", Statuses: []string{"Init:0/1", "NotReady"}, Ready: "1/2",
		Reason: None[string](), Conditions: map[string]bool{"Ready": false, "Initialized": true},
		Containers: []*Container{early, side, main}, StartOrder: []string{"init", "side-car", "main"},
		CreatedAt: Time{Seconds: -3.2, Precision: time.Second},
	}
	return &Scope{
		Vars:   cty.ObjectVal(map[string]cty.Value{"n": cty.NumberIntVal(3), "key": cty.StringVal("main"), "token": cty.StringVal("hunter2").Mark(Sensitive)}),
		Locals: cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("my-job")}),
		Target: &Target{Name: "v129", Kubernetes: "1.29.14", Minor: 29, NativeSidecars: true, FeatureGates: map[string]bool{"A": true}},
		Pods: map[string]*Pod{
			"myapp-x1": pod, "gone": {Absent: true}, "api": {
				Name: "api", Containers: []*Container{
					{Name: "a", StartedAt: api(9.8), FinishedAt: api(10.8)}, {Name: "b", StartedAt: api(10.8), FinishedAt: api(11.8)},
					{Name: "c", StartedAt: api(15.8), FinishedAt: runtime(11.2)},
				},
			},
		},
		Jobs: map[string]*Job{
			"my-job": {Name: "my-job", Active: 1, Pods: []*Pod{{Name: "older"}, pod}, StartedAt: api(-3.2), CompletedAt: None[Time]()},
			"empty":  {Name: "empty"},
		},
		Steps:        map[string]*Step{"apply it": {StartedAt: Time{Seconds: 1}, FinishedAt: Time{Seconds: 2}, Error: Some("forbidden")}},
		Dir:          fstest.MapFS{"a.txt": {Data: []byte("text")}, "t.tpl": {Data: []byte("%{ for x in xs }${x},%{ endfor }")}},
		PathScenario: "labs/x",
	}
}

func parse(t *testing.T, src string) hcl.Expression {
	t.Helper()
	expr, diags := ParseExpression([]byte(src), "test.hcl")
	if diags.HasErrors() {
		t.Fatalf("%s: %s", src, diags)
	}
	return expr
}

// evalTest is an expression with what Format writes of its value in the
// observed scope.
type evalTest struct{ expr, want string }

func testEval(t *testing.T, tests []evalTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.expr, func(t *testing.T) {
			v, diags := observedScope().Eval(parse(t, tt.expr))
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if got := Format(v); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if v.ContainsMarked() {
				t.Error("the result is marked")
			}
		})
	}
}

// TestEvalPods evaluates expressions about pods and their containers.
func TestEvalPods(t *testing.T) {
	testEval(t, []evalTest{
		{`pod.myapp-x1.status`, `"NotReady"`},
		{`pod["myapp-x1"].ready`, `"1/2"`},
		{`pod[join("-", ["myapp", "x1"])].ready`, `"1/2"`},
		{`pod[local.name].ready`, NotObserved},
		{`pod.other.container["x"].exit_code == 0`, NotObserved},
		{`pod.gone == null`, `true`},
		{`pod.gone != null && pod.gone.phase == "Running"`, `false`},
		{`pod.other == null`, NotObserved},
		{`pod.myapp-x1.reason`, `null`},
		{`pod.myapp-x1.ip`, NotObserved},
		{`pod.myapp-x1.conditions["Ready"]`, `false`},
		{`pod.myapp-x1.conditions["Made/Up"]`, NotObserved},
		{`[for p in [pod.myapp-x1] : p.conditions["PodScheduled"]]`, `[` + NotObserved + `]`},
		{`job.my-job.pods[*].conditions["Initialized"]`, `[` + NotObserved + `, true]`},
		{`pod[join("-", ["myapp", "x1"])].conditions["PodScheduled"]`, NotObserved},
		{`pod.myapp-x1.start_order == ["init", "side-car", "main"]`, `true`},
		{`["main"] == pod.myapp-x1.start_order`, `false`},
		{`pod.myapp-x1.statuses != ["Init:0/1"]`, `true`},
		{`pod.myapp-x1.containers[*].name`, `["init", "side-car", "main"]`},
		{`[for c in pod.myapp-x1.containers : c.name if c.kind == "sidecar"]`, `["side-car"]`},
		{`pod.myapp-x1.container["main"].exit_code == 0`, `true`},
		{`pod.myapp-x1.container.side-car.exit_code == 0`, NotObserved},
		{`pod.myapp-x1.container["main"].signal == 0`, `false`},
		{`pod.myapp-x1.container["main"].signal == null`, `true`},
		{`pod.myapp-x1.container["main"].signal > 3`, NotObserved},
		{`pod.myapp-x1.container["main"].signal > 3 || true`, `true`},
		{`pod.myapp-x1.container["main"].signal + 1`, NotObserved},
		{`pod.myapp-x1.container["main"].runs[0].exit_code`, `1`},
	})
}

// TestEvalJobs evaluates expressions about Jobs and steps, and decides early if
// one side is enough.
func TestEvalJobs(t *testing.T) {
	testEval(t, []evalTest{
		{`job.my-job.pod.name`, `"myapp-x1"`},
		{`job.my-job.pod.container[var.key].restarts`, `1`},
		{`job.empty.pod.phase`, NotObserved},
		{`job.empty.pods`, `[]`},
		{`job.nope.complete`, NotObserved},
		{`job.my-job.completed_at`, `null`},
		{`3 < job.my-job.completed_at`, NotObserved},
		{`ordered([1, job.my-job.completed_at])`, NotObserved},
		{`ordered([2, 1, job.my-job.completed_at])`, `false`},
		{`!job.my-job.complete && job.nope.complete`, NotObserved},
		{`job.my-job.complete && job.nope.complete`, `false`},
		{`job.nope.complete && job.my-job.complete`, `false`},
		{`job.nope.complete || target.native_sidecars`, `true`},
		{`target.native_sidecars || job.nope.complete`, `true`},
		{`alltrue([job.nope.complete, false])`, `false`},
		{`anytrue([job.nope.complete, true])`, `true`},
		{`alltrue([job.nope.complete, true])`, NotObserved},
		{`alltrue([])`, `true`},
		{`step["apply it"].error`, `"forbidden"`},
		{`step["apply it"].finished_at - step["apply it"].started_at`, `1`},
		{`step.later.error`, NotObserved},
	})
}

// TestEvalFunctions calls the functions.
func TestEvalFunctions(t *testing.T) {
	testEval(t, []evalTest{
		{`target.minor >= 29 && semver(target.kubernetes, "~> 1.29, != 1.29.3")`, `true`},
		{`lookup(target.feature_gates, "B", false)`, `false`},
		{`path.scenario`, `"labs/x"`},
		{`file("a.txt")`, `"text"`},
		{`templatefile("t.tpl", { xs = [1, 2] })`, `"1,2,"`},
		{`templatefile("t.tpl", { xs = [1, pod.other.ip] })`, NotObserved},
		{`logged(pod.myapp-x1.container["main"], "^done: \\d+$")`, `true`},
		{`logged(pod.myapp-x1.container["main"], "panic")`, `false`},
		{`logged(pod.other.container["main"], "panic")`, NotObserved},
		{`log_time(pod.myapp-x1.container["main"], "done")`, `8`},
		{`log_time(pod.myapp-x1.container["main"], "panic")`, NotObserved},
		{`pod.myapp-x1.container["main"].log.text`, `"starting\ndone: 42\n"`},
		{`pod.myapp-x1.container["main"].log.lines[1].at`, `8`},
		{`[for c in pod.myapp-x1.containers : length(c.log.lines)]`, `[0, 0, 2]`},
		{`overlaps(pod.myapp-x1.container["main"], pod.myapp-x1.container["side-car"])`, `true`},
		{`overlaps(pod.myapp-x1.container["main"], pod.myapp-x1.container["init"])`, `false`},
		{`overlaps(pod.myapp-x1.container["init"], pod.myapp-x1.container["side-car"])`, `false`},
		{`overlaps(pod.other.container["a"], pod.myapp-x1.container["main"])`, NotObserved},
		{`ordered([1, 2, 3])`, `true`},
		{`ordered([1, pod.other.created_at, 0.5])`, `false`},
		{`ordered([1, pod.other.created_at, 3])`, NotObserved},
		{`ordered(pod.myapp-x1.container["init"][*].started_at)`, `true`},
		{`seconds("1m30s")`, `90`},
		{`length("häß")`, `3`},
		{`length(pod.other.containers)`, NotObserved},
		{`one([])`, `null`},
		{`one(["a"])`, `"a"`},
		{`sum([1, 2, 3.5])`, `6.5`},
		{`index(["a", "b"], "b")`, `1`},
		{`replace("aXb", "/[A-Z]/", "-")`, `"a-b"`},
		{`cidrhost("10.0.0.0/16", 258)`, `"10.0.1.2"`},
		{`cidrhost("10.0.0.0/16", -1)`, `"10.0.255.255"`},
		{`cidrhost("fd00::/64", 16)`, `"fd00::10"`},
		{`try(pod.myapp-x1.container["nope"].ready, "none")`, `"none"`},
		{`can(pod.myapp-x1.nope)`, `false`},
		{`yamldecode("a: [1]").a[0]`, `1`},
		{`var.token`, `"hunter2"`},
		{`null == 0`, `false`},
	})
}

func TestEvalErrors(t *testing.T) {
	for _, tt := range []struct{ expr, want string }{
		{`pod.myapp-x1.container["mian"].ready`, `The pod has no container "mian". Did you mean "main"? There is "init", "main" and "side-car".`},
		{`pod.myapp-x1.container.mian.ready`, `The pod has no container "mian". Did you mean "main"?`},
		{`pod.myapp-x1.container[local.name].ready`, `The pod has no container "my-job".`},
		{`pod.api.container["x"].ready`, `There is "a", "b" and "c".`},
		{`pod.nope.container["x"].redy`, `A container has no attribute "redy". Did you mean "ready"?`},
		{`pod[local.name].redy`, `A pod has no attribute "redy". Did you mean "ready"?`},
		{`pod.gone.phase`, `pod.gone is null`},
		{`target.feature_gates["B"]`, `lookup(target.feature_gates, "B", false)`},
		{`null > 3`, `The left operand is null`},
		{`3 < null`, `The right operand is null`},
		{`ordered([1, null])`, `element 2 is null`},
		{`1 % 0`, `a division by zero`},
		{`seconds("x")`, `"x" is not a duration such as`},
		{`semver("x", ">= 1")`, `"x" is not a version`},
		{`semver("1.2.3", ">> 1")`, `is not a constraint`},
		{`one([1, 2])`, `zero or one elements`},
		{`cidrhost("10.0.0.0/30", 4)`, `has 4 addresses`},
		{`sum(["a"])`, `must be a list of numbers`},
		{`local.nope`, `This object has no attribute "nope". Did you mean "name"?`},
		{`file("b.txt")`, `Did you mean "a.txt"?`},
		{`templatefile("t.tpl", { ys = 1 })`, `the template uses "xs" at t.tpl:1, which is not among its variables. Did you mean "ys"?`},
		{`templatefile("t.tpl", { xs = 1 })`, `t.tpl:1`},
		{`templatefile("t.tpl", { ys = pod.other.ip })`, `which is not among its variables`},
		{`templatefile("none.tpl", { ys = pod.other.ip })`, `there is no file "none.tpl"`},
		{`seconds(var.token)`, `"(sensitive)" is not a duration`},
		{`object("v1", "Pod")`, `expects 3 argument(s)`},
	} {
		t.Run(tt.expr, func(t *testing.T) {
			_, diags := observedScope().Eval(parse(t, tt.expr))
			if !diags.HasErrors() || !strings.Contains(diags[0].Detail, tt.want) {
				t.Errorf("got %v, want %q", diags, tt.want)
			}
		})
	}
}

// timeCases: a starts at 9.8 and ends at 10.8, b from then to 11.8, c starts at 15.8,
// all known to the second; c ends at 11.2, known to the nanosecond.
var timeCases = []struct{ expr, want string }{
	{`a.started_at < a.finished_at`, `true`}, // exactly a second apart
	{`a.started_at >= a.finished_at`, `false`},
	{`a.finished_at > a.started_at`, `true`},
	{`a.finished_at <= b.started_at`, NotObserved},
	{`a.finished_at == b.started_at`, NotObserved},
	{`a.finished_at != b.started_at`, NotObserved},
	{`a.finished_at == b.finished_at`, `false`},
	{`a.finished_at != b.finished_at`, `true`},
	{`c.finished_at > a.finished_at`, NotObserved}, // 0.4 s
	{`c.finished_at > a.started_at`, `true`},       // 1.4 s
	{`c.finished_at < c.finished_at + 0.000000001`, `true`},
	{`c.finished_at == c.finished_at`, `true`},
	{`b.finished_at - a.started_at > 1`, `true`}, // 2 s, give or take 1
	{`b.finished_at - a.started_at > 1.5`, NotObserved},
	{`b.finished_at - a.started_at > 2`, NotObserved},
	{`b.finished_at - a.started_at < 3`, `true`},
	{`b.finished_at - a.started_at < 2.5`, NotObserved},
	{`(b.finished_at - a.started_at) * 1000 < 2500`, NotObserved},
	{`(b.finished_at - a.started_at) * 1000 < 3000`, `true`},
	{`(b.finished_at - a.started_at) / 2 < 1.4`, NotObserved},
	{`(b.finished_at - a.started_at) / 2 < 1.5`, `true`},
	{`-(a.started_at - b.finished_at) < 2.5`, NotObserved},
	{`-(a.started_at - b.finished_at) < 3`, `true`},
	{`abs(a.started_at - b.finished_at) < 2.5`, NotObserved},
	{`abs(a.started_at - b.finished_at) < 4`, `true`},
	{`max(a.started_at, c.started_at) > 14.5`, NotObserved}, // 15.8, less up to 2
	{`max(a.started_at, c.started_at) > 13`, `true`},
	{`sum([b.finished_at - a.started_at, c.started_at - b.finished_at]) > 5`, NotObserved},
	{`sum([b.finished_at - a.started_at, c.started_at - b.finished_at]) > 3`, `true`},
	{`(b.finished_at - a.started_at) - (c.started_at - b.finished_at) < -1`, NotObserved}, // -2, give or take 2
	{`(b.finished_at - a.started_at) - (c.started_at - b.finished_at) < 0`, `true`},
	{`ordered([a.started_at, a.finished_at, b.finished_at])`, `true`},
	{`ordered([a.started_at, a.finished_at, b.started_at, b.finished_at])`, NotObserved},
	{`ordered([b.finished_at, a.finished_at, b.started_at])`, `false`},
	{`overlaps(a, b)`, NotObserved},
	{`a.finished_at < b.started_at || true`, `true`},
	{`a.finished_at < b.started_at && false`, `false`},
	{`a.finished_at < b.started_at ? "x" : "y"`, NotObserved},
	{`[for x in [a, b] : x.finished_at > 11][1]`, NotObserved},
	{`[for x in [a, b] : x.finished_at > 10.5][1]`, `true`},
	{`b.finished_at`, `11.8`},
	{`b.finished_at % 2 == 1`, NotObserved},
	{`1 / (a.finished_at - b.started_at) > 1`, NotObserved},
	{`1 / (b.finished_at - a.finished_at) > 0`, NotObserved},
	{`templatefile("t.tpl", { xs = [a.finished_at < b.started_at] })`, NotObserved},
}

func TestTimes(t *testing.T) {
	for _, tt := range timeCases {
		t.Run(tt.expr, func(t *testing.T) {
			s := observedScope()
			s.ScenarioLocals = map[string]hcl.Expression{}
			src := " " + tt.expr
			for _, name := range []string{"a", "b", "c"} {
				src = strings.ReplaceAll(src, name+".", `pod.api.container["`+name+`"].`)
				src = strings.ReplaceAll(src, "("+name+", b)", `(pod.api.container["`+name+`"], pod.api.container["b"])`)
				src = strings.ReplaceAll(src, "[a, b]", `[pod.api.container["a"], pod.api.container["b"]]`)
			}
			v, diags := s.Eval(parse(t, src))
			got := Format(v)
			if diags.HasErrors() {
				got = "error"
			}
			if got != tt.want {
				t.Errorf("got %s, want %s (%v)", got, tt.want, diags)
			}
		})
	}
}

func TestScenarioLocals(t *testing.T) {
	s := observedScope()
	s.ScenarioLocals = map[string]hcl.Expression{
		"main": parse(t, `job.my-job.pod.container["main"]`), "done": parse(t, `local.main.exit_code == 0`),
		"loop": parse(t, `local.pool + 1`), "pool": parse(t, `local.loop`), "late": parse(t, `pod.other.phase`),
		"pod": parse(t, `job.my-job.pod`),
	}
	for _, tt := range []struct{ expr, want string }{
		{`local.done`, `true`},
		{`local.main.log.lines[0].text`, `"starting"`},
		{`"${local.name} ${local.late}"`, NotObserved},
		{`local.loop`, `error`},
		{`local.pod.conditions["DisruptionTarget"]`, NotObserved},
		{`logged(local.main, "done")`, `true`},
	} {
		v, diags := s.Eval(parse(t, tt.expr))
		got := Format(v)
		if diags.HasErrors() {
			got = "error"
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s (%v)", tt.expr, got, tt.want, diags)
		}
	}
}

func TestReferences(t *testing.T) {
	s := observedScope()
	s.ScenarioLocals = map[string]hcl.Expression{"code": parse(t, `job.my-job.pod.container["main"].exit_code`)}
	expr := parse(t, `local.code == 0 && pod["other"].container["x"].ready && var.token != "" && var.token != "x" &&
		job.my-job.pod.container[var.key].finished_at - job.my-job.started_at > 1 &&
		alltrue([for c in pod.myapp-x1.containers : c.ready]) && pod[local.name].phase == "x" && job.my-job.completed_at == null`)
	type ref struct {
		Expression, Value, Root, Name, Container string
		State                                    State
		Precision                                time.Duration
	}
	var got []ref
	for _, r := range s.References(expr) {
		if r.Range.Filename != "test.hcl" {
			t.Errorf("%s is at %s", r.Expression, r.Range)
		}
		if strings.HasPrefix(r.Value, "[{") {
			r.Value = "[{…"
		}
		got = append(got, ref{r.Expression, r.Value, r.Root, r.Name, r.Container, r.State, r.Precision})
	}
	want := []ref{
		{"local.code", "0", "local", "", "", Known, 0},
		{`pod["other"].container["x"].ready`, NotObserved, "pod", "other", "x", Unknown, 0},
		{"var.token", "(sensitive)", "var", "", "", Known, 0},
		{`job.my-job.pod.container["main"].finished_at`, "8.5", "job", "my-job", "main", Known, 0},
		{"var.key", `"main"`, "var", "", "", Known, 0},
		{"job.my-job.started_at", "-3.2", "job", "my-job", "", Known, time.Second},
		{"pod.myapp-x1.containers", "[{…", "pod", "myapp-x1", "", Known, 0},
		{`pod["my-job"].phase`, NotObserved, "pod", "my-job", "", Unknown, 0},
		{"local.name", `"my-job"`, "local", "", "", Known, 0},
		{"job.my-job.completed_at", "null", "job", "my-job", "", Absent, 0},
		{`job.my-job.pod.container["main"].exit_code`, "0", "job", "my-job", "main", Known, 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestTruth(t *testing.T) {
	for _, tt := range []struct {
		v    cty.Value
		want Logic
		err  bool
	}{
		{cty.True, True, false}, {cty.False.Mark(Sensitive), False, false},
		{cty.UnknownVal(cty.Bool), Undecided, false}, {cty.DynamicVal, Undecided, false},
		{cty.NullVal(cty.Bool), Undecided, true}, {cty.Zero, Undecided, true},
		{cty.NilVal, Undecided, true}, {cty.UnknownVal(cty.String), Undecided, true},
	} {
		if got, err := Truth(tt.v); got != tt.want || (err != nil) != tt.err {
			t.Errorf("%#v: got %v, %v", tt.v, got, err)
		}
	}
}
