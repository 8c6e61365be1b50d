package value

import (
	"strings"
	"testing"
)

// TestEvalLogic checks that logic decides as early as possible, and reports
// mistakes from left to right.
func TestEvalLogic(t *testing.T) {
	testEval(t, []evalTest{
		{`pod.gone != null && pod.gone.phase == "x"`, `false`},
		{`pod.gone == null || pod.gone.phase == "x"`, `true`},
		{`pod.other.ready == "x" && pod.gone.phase == "x"`, NotObserved}, // the left side may still decide
		{`pod.other.ready == "x" || pod.gone.phase == "x"`, NotObserved},
		{`false && null`, `false`},
		{`true || null`, `true`},
		{`pod.other.ready == "x" ? true : true`, `true`},
		{`pod.other.ready == "x" ? 3 : 3`, `3`},
		{`pod.other.ready == "x" ? 3 : 4`, NotObserved},
		{`pod.other.ready == "x" ? 3 : pod.other.created_at`, NotObserved},
		{`alltrue([for c in pod.myapp-x1.containers : c.ready if c.name == "main"])`, `false`},
		{`alltrue([for c in pod.myapp-x1.containers : c.ready if c.exit_code == 0])`, `false`}, // the side-car's is not known
		{`alltrue([for c in pod.myapp-x1.containers : c.started_at < 4 if c.exit_code == 0])`, `true`},
		{`anytrue([for c in pod.myapp-x1.containers : c.ready if c.exit_code == 0])`, NotObserved},
		{`anytrue([for c in pod.myapp-x1.containers : c.kind == "main" if c.oom_killed])`, `false`}, // whatever the others turn out to be,
	})
}

// TestEvalEquality compares what has parts.
func TestEvalEquality(t *testing.T) {
	testEval(t, []evalTest{
		{`{ a = pod.other.ready, b = 1 } == { a = "x", b = 2 }`, `false`},
		{`{ a = pod.other.ready, b = 1 } == { a = "x", b = 1 }`, NotObserved},
		{`{ a = 1 } == { b = 1 }`, `false`},
		{`[pod.other.ready, 1] != ["x", 2]`, `true`},
		{`[1] == [1, 2]`, `false`},
		{`pod.myapp-x1.conditions == { Ready = false, Initialized = true }`, `true`},
		{`pod.myapp-x1.conditions == { Ready = true, Initialized = true }`, `false`},
		{`pod.other.conditions == { Ready = true }`, NotObserved},
		{`pod.other.statuses == ["Running"]`, NotObserved},
		{`pod.myapp-x1.statuses == ["Init:0/1", "NotReady"]`, `true`},
		{`[pod.api.container["a"].finished_at] == [pod.api.container["b"].started_at]`, NotObserved},
		{`[pod.api.container["a"].finished_at] == [pod.api.container["b"].finished_at]`, `false`},
		{`{ at = pod.api.container["a"].finished_at } == { at = null }`, `false`},
		{`tostring(pod.api.container["a"].finished_at) == "10.8"`, NotObserved},
		{`pod.gone == null`, `true`},
	})
}

// TestEvalOpenTimes asks functions over what holds times of the API.
func TestEvalOpenTimes(t *testing.T) {
	const a, b = `pod.api.container["a"].finished_at`, `pod.api.container["b"].started_at` // 10.8 both, to the second
	testEval(t, []evalTest{
		{`length(job.my-job.pods) == 2`, `true`},
		{`length(pod.api.container) == 3 && length(pod.api.containers) == 3`, `true`},
		{`contains(keys(pod.api.container), "a")`, `true`},
		{`contains([` + a + `], ` + b + `)`, NotObserved},
		{`contains([` + a + `, 3], 3)`, `true`},
		{`contains([` + a + `], 3)`, `false`},
		{`contains(["a", pod.other.ready], "a")`, `true`},
		{`contains(["a", pod.other.ready], "b")`, NotObserved},
		{`contains(toset(["a"]), pod.other.ready)`, NotObserved},
		{`index([` + a + `], ` + b + `)`, NotObserved},
		{`length(distinct([` + a + `, ` + b + `]))`, NotObserved},
		{`length(toset([` + a + `, ` + b + `]))`, NotObserved},
		{`slice(job.my-job.pods, 1, 2)[0].name == "myapp-x1"`, `true`},
		{`values(pod.api.container)[0].name == "a"`, `true`},
		{`values(pod.api.container)[0].finished_at == ` + b, NotObserved},
		{`one([for c in pod.api.containers : c if c.name == "a"]).name`, `"a"`},
		{`concat([` + a + `], [1])[1] == 1`, `true`},
		{`floor(` + a + `) < 11`, NotObserved},
		{`floor(` + a + `) < 12`, `true`},
		{`"at ${` + a + `}"`, `"at 10.8"`},
	})
}

func TestEvalLogicErrors(t *testing.T) {
	for _, tt := range []struct{ expr, want string }{
		{`null && true`, `The left operand is null`},
		{`true && null`, `The right operand is null`},
		{`null && pod.other.ready == "x"`, `The left operand is null`},
		{`null && false`, `The left operand is null`}, // from left to right
		{`pod.gone.phase == "x" && false`, `pod.gone is null`},
		{`pod.gone.phase == "x" || pod.other.ready == "x"`, `pod.gone is null`},
		{`pod.other.ready == "x" && 3`, `bool required`},
		{`anytrue([true, null])`, `an element is null`},
		{`alltrue([null, false])`, `an element is null`},
		{`ordered([3, 1, null])`, `element 3 is null`},
		{`pod.myapp-x1.container["init"].oom_killed || true`, ``},
		{`pod.myapp-x1.container["main"].signal == 9 && pod.myapp-x1.container["main"].signal`, ``},
	} {
		t.Run(tt.expr, func(t *testing.T) {
			_, diags := observedScope().Eval(parse(t, tt.expr))
			if tt.want == "" && diags.HasErrors() || tt.want != "" && (!diags.HasErrors() || !strings.Contains(diags[0].Detail, tt.want)) {
				t.Errorf("got %v, want %q", diags, tt.want)
			}
		})
	}
}
