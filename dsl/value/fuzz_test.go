package value

import (
	"strings"
	"testing"
)

// FuzzEval evaluates any expression in a run in which much was observed, and
// in one in which nothing was.
func FuzzEval(f *testing.F) {
	for _, name := range FunctionNames() {
		f.Add(name + `(pod.api.container["a"], "x")`)
		f.Add(name + `([job.my-job.pod.created_at, var.n, null])`)
		f.Add(name + `(var.token)`)
	}
	for _, seed := range []string{
		`pod.myapp-x1.container["main"].exit_code == 0 && !job.my-job.complete`,
		`-pod.api.created_at * 3 / pod.api.container["c"].started_at % 2 <= 1e9`,
		`[for k, v in pod : k => v if v.phase != "x"]`, `{for p in job.my-job.pods : p.name => p...}`,
		`pod[local.name].containers[*].runs[0].exit_code`, `"${step["apply it"].error} %{ if target.minor > 3 }x%{ endif }"`,
		`pod[var.token].x`, `job[null]`, `pod[3]`, `job.*.x`, `local[*]`, `target.feature_gates["x"]`, `var`, `pod == job`,
		`cidrhost("::/0", -1)`, `range(1, 3, 0.5)`, `format("%#v %5.2f", pod.api, 3)`, `pod.my-job["container"]["x"]["log"]["lines"]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 500 || strings.Count(src, "range") > 1 || strings.Count(src, "for") > 2 || strings.Contains(src, "99999") {
			return // what is slow by its nature
		}
		expr, diags := ParseExpression([]byte(src), "fuzz.hcl")
		if diags.HasErrors() {
			return
		}
		for _, scope := range []*Scope{observedScope(), {}} {
			v, diags := scope.Eval(expr)
			if v.ContainsMarked() {
				t.Error("the result is marked")
			}
			Format(v)
			if !diags.HasErrors() {
				_, _ = Truth(v) // any answer will do
			}
			for _, ref := range scope.References(expr) {
				if strings.Contains(ref.Value, "hunter2") {
					t.Errorf("%s is written: %s", ref.Expression, ref.Value)
				}
			}
		}
	})
}
