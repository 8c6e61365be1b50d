package value

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
)

// TestDecisive finds the parts that decided a condition.
func TestDecisive(t *testing.T) {
	const main = `pod.myapp-x1.container["main"]`
	tests := []struct {
		expr string
		want []string
	}{
		{main + `.exit_code == 1`, []string{main + `.exit_code == 1 is false (` + main + `.exit_code=0)`}},
		{`(target.minor < 28 && pod.other.ready == "x")`, []string{`target.minor < 28 is false (target.minor=29)`}},
		{`pod.other.ready == "x" && target.minor < 28`, []string{`target.minor < 28 is false (target.minor=29)`}},
		{`target.minor < 28 || ` + main + `.restarts == 0`, []string{`target.minor < 28 is false (target.minor=29)`, main + `.restarts == 0 is false (` + main + `.restarts=1)`}},
		{`target.minor > 28 && pod.other.ready == "x"`, []string{`pod.other.ready == "x" is not known yet (pod.other.ready=(not observed))`}},
		{`!(target.minor > 28)`, []string{`target.minor > 28 is true (target.minor=29)`}},
		{`target.minor > 28 ? job.my-job.failed : job.nope.failed`, []string{`job.my-job.failed is false (job.my-job.failed=false)`}},
		{`pod.other.ready == "x" ? true : false`, []string{`pod.other.ready == "x" is not known yet (pod.other.ready=(not observed))`}},
		{`local.done`, []string{`job.my-job.complete is false (job.my-job.complete=false)`}},
		{`alltrue([true, job.my-job.complete, job.my-job.failed])`, []string{`job.my-job.complete is false (job.my-job.complete=false)`}},
		{`alltrue([for c in pod.myapp-x1.containers : c.restarts < 1])`, []string{`c.restarts < 1 is false (c.restarts=1 c.name="main")`}},
		{`anytrue([for c in pod.myapp-x1.containers : c.restarts > 4 if c.ready])`, []string{
			`c.restarts > 4 is false (c.restarts=0 c.name="side-car")`}},
		{`pod.myapp-x1.statuses == ["Init:0/1", "Running"]`, []string{
			`pod.myapp-x1.statuses == ["Init:0/1", "Running"] is false (pod.myapp-x1.statuses=["Init:0/1", "NotReady"]): [1] is "NotReady", not "Running"`}},
		{main + `.finished_at - ` + main + `.started_at < 5`, []string{
			main + `.finished_at - ` + main + `.started_at < 5 is false (` + main + `.finished_at=8.5 ` + main + `.started_at=3.25): the left side is 5.25`}},
		{main + `.finished_at < ` + main + `.started_at`, []string{
			main + `.finished_at < ` + main + `.started_at is false (` + main + `.finished_at=8.5 ` + main + `.started_at=3.25): the left side, 8.5, is 5.25 greater than the right side, 3.25`}},
		{`upper(pod.myapp-x1.status) == "READY"`, []string{`upper(pod.myapp-x1.status) == "READY" is false (pod.myapp-x1.status="NotReady"): the left side is "NOTREADY"`}},
		{`var.token == upper(var.token)`, []string{`var.token == upper(var.token) is false (var.token=(sensitive))`}},
		{`null && true`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.expr, func(t *testing.T) {
			s := observedScope()
			s.ScenarioLocals = map[string]hcl.Expression{"done": parse(t, "job.my-job.complete")}
			var got []string
			for _, p := range s.Decisive(parse(t, tt.expr)) {
				src := tt.expr
				if tt.expr == "local.done" {
					src = "job.my-job.complete"
				}
				var refs []string
				for _, r := range p.Refs {
					refs = append(refs, r.Expression+"="+r.Value)
				}
				text := fmt.Sprintf("%s is %s (%s)", p.Range.SliceBytes([]byte(src)), p.Is, strings.Join(refs, " "))
				if p.Difference != "" {
					text += ": " + p.Difference
				}
				got = append(got, text)
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestDifference(t *testing.T) {
	long := strings.Repeat("abc ", 15)
	for _, tt := range []struct{ a, b, want string }{
		{`[1, 2]`, `[1, 2]`, ``},
		{`[1, 2]`, `[1, 3, 4]`, `[1] is 2, not 3, it lacks 1 at its end: [4]`},
		{`[1, 2, 3]`, `[1]`, `it has 2 more at its end: [2, 3]`},
		{`{ a = 1, b = { c = "x" } }`, `{ a = 1, b = { c = "y" }, d = 1 }`, `b.c is "x", not "y", d is missing`},
		{`{ "a b" = 1, c = 2 }`, `{ "a b" = 2 }`, `["a b"] is 1, not 2, c is more`},
		{`[1, 2, 3, 4, 5]`, `[5, 4, 4, 3, 1]`, `[0] is 1, not 5, [1] is 2, not 4, [2] is 3, not 4, and 2 more differences`},
		{`"` + long + `x"`, `"` + long + `y"`, `it differs from character 61 on: "x", not "y"`},
		{`[null]`, `[1]`, `[0] is null, not 1`},
		{`[var.token]`, `["x"]`, `[0] is (sensitive), not "x"`},
	} {
		a, _ := observedScope().EvalMarked(parse(t, tt.a))
		b, _ := observedScope().EvalMarked(parse(t, tt.b))
		if got := Difference(a, b); got != tt.want {
			t.Errorf("%s and %s: got %s, want %s", tt.a, tt.b, got, tt.want)
		}
	}
}
