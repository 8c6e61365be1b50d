package value_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/value"
)

// examined is a scope with locals of every kind: aliases, maps and lists of
// observed values, and values of all types.
func examined(t testing.TB) *value.Scope {
	t.Helper()
	locals := map[string]hcl.Expression{}
	for name, src := range map[string]string{
		"p": `pod.x`, "c": `pod.x.container`, "main": `local.c["main"]`, "all": `{ a = pod.a, b = job.b.pod }`,
		"again": `local.p`, "phase": `local.again.phase`, "want": `"running"`, "good": `"Running"`, "which": `"main"`,
		"either": `target.native_sidecars ? pod.x : pod.y`, "states": `[for c in pod.x.containers : c.state]`,
		"list": `[pod.x.phase, pod.y.phase]`, "loop": `local.loop`, "zero": `"0"`,
	} {
		expr, diags := value.ParseExpression([]byte(src), name+".hcl")
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		locals[name] = expr
	}
	return &value.Scope{
		Vars: cty.ObjectVal(map[string]cty.Value{
			"text": cty.StringVal("running"), "count": cty.NumberIntVal(5), "digits": cty.StringVal("5"), "none": cty.StringVal(""),
			"any": cty.DynamicVal, "on": cty.False, "names": cty.ListVal([]cty.Value{cty.StringVal("main"), cty.StringVal("side")}),
			"secret": cty.StringVal("hunter2").Mark(value.Sensitive), "null": cty.NullVal(cty.DynamicPseudoType),
		}),
		ScenarioLocals: locals,
		Extra: map[string]cty.Value{
			"matrix": cty.ObjectVal(map[string]cty.Value{"size": cty.NumberIntVal(3), "mode": cty.StringVal("fast")}),
			"each":   cty.ObjectVal(map[string]cty.Value{"key": cty.StringVal("man"), "value": cty.DynamicVal}),
		},
		Dir: fstest.MapFS{"a.txt": {Data: []byte("main")}},
	}
}

// c is a container in the tables below.
const c = `pod.x.container["main"]`

// neverByTexts are attributes with a known set of values.
func neverByTexts() map[string]string {
	return map[string]string{
		c + `.exit_code == "0"`:             `pod.x.container["main"].exit_code is a number and "0" is a string: they are never equal. Did you mean 0?`,
		c + `.exit_code != "0"`:             `Did you mean 0?`,
		c + `.signal != "SIGKILL"`:          `A signal is a number: SIGKILL is 9. Did you mean 9?`,
		c + `.signal == "term"`:             `SIGTERM is 15`,
		`semver(target.minor, ">= 1.35")`:   `target.minor is a number, which semver() cannot use. Did you mean target.kubernetes? You can also compare the minor version`,
		`pod.x.phase == "running"`:          `A pod's phase is Pending, Running, Succeeded, Failed or Unknown, and never "running". Did you mean "Running"?`,
		`pod.x.phase == "CrashLoopBackOff"`: `For the STATUS column of kubectl, use the pod's status.`,

		// Attributes with a known set of values.
		c + `.state == "Running"`:                               `Did you mean "running"?`,
		c + `.state == "Completed"`:                             `For the reason of a state, use the container's reason.`,
		c + `.kind == "initContainer"`:                          `Did you mean "init"?`,
		`pod.x.qos == "Best-Effort"`:                            `Did you mean "BestEffort"?`,
		`pod.x.events[0].type != "warning"`:                     `An event's type is Normal or Warning, and never "warning". Did you mean "Warning"?`,
		`pod.x.ready == "true"`:                                 `A pod's ready is a string such as "1/2", and never "true". To check whether a pod is ready, use conditions["Ready"].`,
		`target.kubernetes == "1.28"`:                           `semver(target.kubernetes`,
		`pod.x.phase == ` + c + `.state`:                        `A pod's phase is Pending, Running, Succeeded, Failed or Unknown, and a container's state is waiting, running or terminated: they are never equal.`,
		`contains(["Running", "Succeded"], pod.x.phase)`:        `never "Succeded". Did you mean "Succeeded"?`,
		`contains([for c in pod.x.containers : c.state], "Up")`: `never "Up"`,
		`contains(local.states, "Running")`:                     `Did you mean "running"?`,
		`index(local.states, "Running") == 0`:                   `Did you mean "running"?`,
		`lower(pod.x.phase) == "Running"`:                       `never "Running". Did you mean "running"?`,
	}
}

// neverByTypes are comparisons, arithmetic and logic over values of the wrong type.
func neverByTypes() map[string]string {
	return map[string]string{
		// Types.
		`pod.x.ready == true`:                                `To check whether a pod is ready, use conditions["Ready"]`,
		c + `.ready == "true"`:                               `is a bool and "true" is a string: they are never equal. Did you mean true?`,
		c + `.ready == 1`:                                    `they are never equal`,
		c + `.restarts == pod.x.name`:                        `tonumber()`,
		`pod.x.statuses == "Running"`:                        `Use contains() to check whether a list has a value.`,
		`contains(pod.x.statuses, 5)`:                        `the list has strings`,
		`contains(pod.x.status, "Err")`:                      `pod.x.status is a string, which contains() cannot use. The argument must be a list.`,
		`contains(pod.x.container, "main")`:                  `For a map, use keys() or values()`,
		`toset(pod.x.statuses) == ["Running"]`:               `tolist()`,
		`pod.x == "x"`:                                       `pod.x is a pod and "x" is a string`,
		`pod.x.conditions["Ready"] == "True"`:                `they are never equal`,
		`[` + c + `.exit_code] == ["0"]`:                     `The lists are never equal: an element of one is a number, and of the other a string.`,
		`[for c in pod.x.containers : c.exit_code] == ["0"]`: `never equal`,
		`{ a = ` + c + `.exit_code } == { a = "0" }`:         `never equal`,
		`target.minor == "28"`:                               `Did you mean 28?`,
		`job.x.complete == "true"`:                           `Did you mean true?`,
		`pod.x.created_at == "10s"`:                          `never equal`,
		`pod.x.start_order == ["main"] && pod.x.qos < 1`:     `a number is needed here`,

		// Ordered comparisons, arithmetic and logic.
		`pod.x.phase < 3`:                                 `pod.x.phase is a string; a number is needed here.`,
		`target.kubernetes >= 1.29`:                       `Compare versions with semver(target.kubernetes`,
		`target.kubernetes >= "1.29"`:                     `Compare versions with semver(target.kubernetes`,
		c + `.restarts < "5"`:                             `"5" is a string; a number is needed here. Did you mean 5?`,
		c + `.runs > 1`:                                   `Did you mean length()?`,
		`-pod.x.name == 1`:                                `a number is needed here`,
		c + `.finished_at - ` + c + `.image < 1`:          `a number is needed here`,
		c + `.ready > 0`:                                  `is a bool; a number is needed here`,
		`!pod.x.phase`:                                    `true or false is needed here`,
		`pod.x.ready && true`:                             `To check whether a pod is ready, use conditions["Ready"]`,
		c + `.exit_code || pod.x.ready == "1/1"`:          `Compare it with what is expected, such as == 0.`,
		`pod.x.phase ? true : false`:                      `true or false is needed here`,
		`[for c in pod.x.containers : c if c.kind] == []`: `true or false is needed here`,
		`pod.x.statuses && true`:                          `Did you mean alltrue() or anytrue()?`,
	}
}

// neverInFunctions are arguments that functions do not accept.
func neverInFunctions() map[string]string {
	return map[string]string{
		// Functions.
		`logged("text", "a")`:                                `"text" is a string, which logged() cannot use. The argument must be a container`,
		`logged(` + c + `.log.text, "a")`:                    `Pass the container, not its log.`,
		`logged(pod.x, "a")`:                                 `pod.x is a pod, which logged() cannot use.`,
		`logged(job.x, "a")`:                                 `The pod of a Job is job.NAME.pod.`,
		`logged(pod.x.container, "a")`:                       `For several containers, check each one`,
		`log_time(pod.x.phase, "a") > 1`:                     `log_time() cannot use`,
		`overlaps(` + c + `, pod.x)`:                         `overlaps() cannot use`,
		`seconds(pod.x.created_at) > 1`:                      `seconds("90s")`,
		`seconds(90) < 1`:                                    `90 is a number`,
		`semver(target.kubernetes, 1.30)`:                    `the number 1.30 equals 1.3`,
		`semver(pod.x.phase, "1.2")`:                         `semver() cannot use`,
		`semver(target.native_sidecars, "1.2")`:              `semver() cannot use`,
		`length(` + c + `.restarts) > 1`:                     `must be a list, a map or a string`,
		`max(pod.x.name, 1) > 0`:                             `a number is needed here`,
		`ordered([pod.x.created_at, pod.x.name])`:            `The list has strings, but ordered() requires a list of numbers, such as times.`,
		`ordered(pod.x.start_order)`:                         `The list has strings`,
		`alltrue(pod.x.statuses)`:                            `requires a list of conditions`,
		`anytrue([for c in pod.x.containers : c.exit_code])`: `The list has numbers`,
		`regex("a", pod.x.statuses) == "a"`:                  `pod.x.statuses is a list, which regex() cannot use. The argument must be a string.`,
		`join(",", pod.x.phase) == "a"`:                      `The argument must be a list.`,
		`upper(pod.x) == "A"`:                                `The argument must be a string.`,
	}
}

// neverThroughOthers are mistakes that are found through locals, aliases, loops, splats, conditionals and rows.
func neverThroughOthers() map[string]string {
	return map[string]string{
		// Through locals, aliases, loops, splats, conditionals and rows.
		`local.p.phase == "running"`:         `Did you mean "Running"?`,
		`local.again.phase == "running"`:     `Did you mean "Running"?`,
		`local.phase == "running"`:           `Did you mean "Running"?`,
		`pod.x.phase == local.want`:          `Did you mean "Running"?`,
		`local.main.exit_code == "0"`:        `local.main.exit_code is a number and "0" is a string`,
		`local.main.exit_code == local.zero`: `Did you mean 0?`,
		`local.c.main.exit_code == "0"`:      `Did you mean 0?`,
		`local.c["main"].state == "up"`:      `never "up"`,
		`local.all.a.phase == "running"`:     `Did you mean "Running"?`,
		`local.all["b"].phase == "running"`:  `Did you mean "Running"?`,
		`local.all[local.which].phase == "running" || local.all[pod.x.name].phase == "running"`: `Did you mean "Running"?`,
		`local.either.phase == "running"`:                                          `Did you mean "Running"?`,
		`local.list[0] == "running"`:                                               `Did you mean "Running"?`,
		`(target.minor > 28 ? pod.x : pod.y).phase == "running"`:                   `Did you mean "Running"?`,
		`(target.minor > 28 ? pod.x.phase : "none") == "running"`:                  `Did you mean "Running"?`,
		`target.minor > 28 ? pod.x.phase == "running" : true`:                      `Did you mean "Running"?`,
		`target.minor > 28 ? true : ` + c + `.exit_code == "0"`:                    `Did you mean 0?`,
		`alltrue([for c in pod.x.containers : c.exit_code == "0"])`:                `c.exit_code is a number`,
		`alltrue([for n, c in pod.x.container : c.state == "Up" if n != 5])`:       `never`,
		`alltrue([for r in ` + c + `.runs : r.exit_code == "0"])`:                  `r.exit_code is a number`,
		`anytrue([for l in ` + c + `.log.lines : l.at == "1"])`:                    `Did you mean 1?`,
		`anytrue([for e in pod.x.events : e.count == "2" || e.type == "normal"])`:  `Did you mean 2?`,
		`alltrue([for p in local.all : p.phase == "running"])`:                     `Did you mean "Running"?`,
		`alltrue([for k, p in local.all : p.phase == "running"])`:                  `Did you mean "Running"?`,
		`alltrue([for p in [pod.a, pod.b] : p.phase == "running"])`:                `Did you mean "Running"?`,
		`alltrue([for x in [for p in [pod.a] : p.phase] : x == "running"])`:        `Did you mean "Running"?`,
		`alltrue([for s in ["Running", "Done"] : pod.x.phase != s])`:               `never "Done"`,
		`pod.x.containers[*].state == ["Running"]`:                                 `Did you mean "running"?`,
		`contains(pod.x.containers[*].state, "Running")`:                           `Did you mean "running"?`,
		`contains(pod.x.containers.*.exit_code, "0")`:                              `never equal`,
		`one([for c in pod.x.containers : c if c.name == "m"]).state == "Running"`: `Did you mean "running"?`,
		`pod.x.containers[0].state == "Running"`:                                   `Did you mean "running"?`,
		`pod[local.which].phase == "running"`:                                      `Did you mean "Running"?`,
		`job.x.pods[0].phase == "running"`:                                         `Did you mean "Running"?`,
		`try(pod.x.phase, "none") == "running"`:                                    `Did you mean "Running"?`,
		`coalesce(pod.x.phase, "none") == "running"`:                               `Did you mean "Running"?`,
		`lookup(pod.x.container, "m", null).state == "Running"`:                    `Did you mean "running"?`,
		`concat([pod.x.phase], [pod.y.phase])[0] == "running"`:                     `Did you mean "Running"?`,
		`matrix.mode == 3`:                                 `never equal`,
		`pod.x.created_at == matrix.mode`:                  `never equal`,
		c + `.restarts == var.digits`:                      `Did you mean 5?`,
		`pod.x.phase == var.text`:                          `Did you mean "Running"?`,
		c + `.exit_code == var.secret`:                     `var.secret is a string`,
		`"${` + c + `.exit_code}" == "0"`:                  `is a number`, // a template of one value is that value
		`each.key == 1`:                                    `never equal`,
		`"${pod.x.created_at == "x"}" == "true"`:           `never equal`,
		`deployment.web.created_at == "x"`:                 `never equal`,
		`deployment.web.conditions["Available"] == "True"`: `never equal`,
		`object("v1", "Pod", "x").name == 5`:               `never equal`,
		`step.a.exit_code == "0"`:                          `Did you mean 0?`,
	}
}

func TestImpossibleExpressionsAreRejected(t *testing.T) {
	for _, table := range []map[string]string{neverByTexts(), neverByTypes(), neverInFunctions(), neverThroughOthers()} {
		for src, want := range table {
			t.Run(src, func(t *testing.T) { wantRejected(t, src, want) })
		}
	}
}

// wantRejected fails the test unless the expression is rejected with the text.
func wantRejected(t *testing.T, src, want string) {
	t.Helper()
	found := examine(t, examined(t), src)
	if len(found.Diags) == 0 {
		t.Fatalf("nothing is said, want %q", want)
	}
	var all []string
	for _, d := range found.Diags {
		all = append(all, d.Summary+"; "+d.Detail)
		if d.Subject == nil || d.Subject.Filename != "test.hcl" {
			t.Errorf("it is said at %v, want the expression", d.Subject)
		}
	}
	if text := strings.Join(all, "\n"); !strings.Contains(text, want) {
		t.Errorf("said %s\nwant %s", text, want)
	}
	if strings.Contains(strings.Join(all, " "), "hunter2") {
		t.Error("what is sensitive shows")
	}
}

func TestPossibleExpressionsAreAccepted(t *testing.T) {
	for _, src := range []string{
		c + `.exit_code == 0`, c + `.exit_code == null`, `null != ` + c + `.signal`, c + `.signal != 9`,
		`pod.x.phase == "Running"`, `pod.x.phase == null`, `local.phase != local.good`, `pod.x.phase == pod.y.phase`,
		`pod.x.status == "whatever"`, c + `.reason == "Any"`, `contains(pod.x.statuses, "anything")`,
		`contains(["Running", "Succeeded"], pod.x.phase)`, `contains(var.names, pod.x.name)`, `contains(pod.x.start_order, "main")`,
		`semver(target.kubernetes, ">= 1.29")`, `target.kubernetes == "1.28.15"`, `target.minor >= 29`, `target.minor == var.count`,
		c + `.restarts < var.digits`, `tonumber(step.a.stdout) > 1`, `step.a.stdout < 5`, `tostring(` + c + `.exit_code) == "0"`,
		`"${` + c + `.exit_code} " == "0 "`, `tonumber("5") == ` + c + `.restarts`,
		`object("v1", "Pod", "x").spec.x == "5"`, `object("v1", "Pod", "x").spec.x == 5`, `object("v1", "Pod", "x").status.phase == "running"`,
		`deployment.web.spec.replicas == 3`, `deployment.web.status.phase == "x"`, `jsondecode(step.a.stdout).x == true`,
		`yamldecode(file("a.txt")) == 3`, `file("a.txt") == "main"`, `var.any == "x"`, `var.any < 3`, `var.any && true`,
		`var.none == "" || pod.x.phase == var.none`, `pod.x.phase == var.none`, `var.on ? pod.x.phase == "nope" : true`,
		`var.on && pod.x.phase == "nope"`, `!var.on || pod.x.phase == "nope"`, `matrix.mode == "slow" ? pod.x.phase == "nope" : true`,
		`(target.minor > 28 ? pod.x.phase : "none") == "none"`, `(target.minor > 28 ? pod.x.phase : null) == "Running"`,
		`(target.minor > 28 ? null : pod.x.phase) == null`, `matrix.mode == "slow"`, `matrix.size == 5`, `var.text == "other"`,
		`pod.x.statuses == ["Pending", "Running"]`, `pod.x.start_order == ["a", "b"]`, `[for c in pod.x.containers : c.name] == ["a"]`,
		`pod.x.containers[*].state == ["running", "waiting"]`, `{ a = pod.x.phase } == { a = "Running", b = 1 }`, `[1, 2] == [1]`,
		`logged(` + c + `, "a")`, `logged(local.main, "a")`, `alltrue([for n, c in pod.x.container : logged(c, "a") if n != "b"])`,
		`overlaps(local.main, local.c.side)`, `log_time(` + c + `, "a") - pod.x.created_at < seconds("3s")`,
		`ordered([pod.x.created_at, ` + c + `.started_at])`, `ordered(pod.x.containers[*].started_at)`, `sum([for c in pod.x.containers : c.restarts]) == 0`,
		`max([for c in pod.x.containers : c.restarts]...) < 3`, `alltrue([])`, `alltrue([for c in pod.x.containers : c.ready])`,
		`length(pod.x.events) > 0`, `length(pod.x.phase) == 7`, `length([for e in pod.x.events : e if e.reason == "Any"]) == 2`,
		`regex("a", ` + c + `.log.text) == "a"`, `tonumber(regex("[0-9]+", ` + c + `.log.text)) == 3`, `regex("([0-9]+)", ` + c + `.log.text)[0] < 3`,
		`index(pod.x.exit_order, "a") < index(pod.x.exit_order, "b")`, `lower(pod.x.phase) == "running"`, `upper(pod.x.status) == "X"`,
		`pod.x.conditions["Ready"]`, `!pod.x.conditions.Ready`, `pod.x.ready == "1/1"`, `pod.x.ready != "0/2"`, `contains(keys(pod.x.container), "main")`,
		`can(regex("a", pod.x.name)) ? true : false`, `try(pod.x.container["none"].ready, false)`, `pod.x != null && pod.x.phase == "Running"`,
		`lookup(target.feature_gates, "A", false) == true`, `lookup(target.feature_gates, "A", false) && true`, `target.cgroup == 2`,
		`split("/", pod.x.ready)[0] == "1"`, `split("/", pod.x.ready)[0] < 2`, `coalesce(` + c + `.signal, 0) == 9`, `local.either.name == "x"`,
		`[for p in pod : p.phase] == []`, `pod == null`, `local.loop == 3`, `local.nothing == 3`, `each.value.x == "a"`, `each.key == "man"`,
		`step.a.error == null`, `step.a.warnings == []`, `join(",", pod.x.statuses) == "a,b"`, `join(",", [1, 2]) == "1,2"`,
		`format("%d", target.minor) == "28"`, `toset(pod.x.statuses) == toset(["a"])`, `sort(pod.x.statuses) == ["a"]`, `distinct([1]) == [1]`,
		`one(pod.x.containers).state == "running"`, `slice(pod.x.statuses, 0, 1) == ["Running"]`, `flatten([pod.x.statuses])[0] == "a"`,
		`merge({ a = 1 }, { b = pod.x.phase }).b == "x"`, `values(pod.x.container)[0].state == "running"`, `path.scenario == "x"`,
	} {
		t.Run(src, func(t *testing.T) {
			for _, d := range examine(t, examined(t), src).Diags {
				t.Errorf("false alarm: %s; %s", d.Summary, d.Detail)
			}
		})
	}
}

func examine(t testing.TB, scope *value.Scope, src string) value.Examination {
	t.Helper()
	expr, diags := value.ParseExpression([]byte(src), "test.hcl")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return scope.Examine(expr)
}
