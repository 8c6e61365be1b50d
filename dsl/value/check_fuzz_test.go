package value

import (
	"strings"
	"testing"
)

// FuzzExamine examines any two expressions. A comparison of two equal values is
// never rejected.
func FuzzExamine(f *testing.F) {
	for _, name := range FunctionNames() {
		f.Add(name+`(pod.myapp-x1.container["main"], "x")`, name+`([job.my-job.pod.created_at, var.n, null]...)`)
		f.Add(name+`(pod.myapp-x1.statuses, pod.myapp-x1.phase)`, name+`(target.kubernetes, "1.28")`)
	}
	for _, seed := range [][2]string{
		{`pod.myapp-x1.container["main"].exit_code`, `1`}, {`pod.myapp-x1.container["main"].exit_code`, `"1"`},
		{`pod.myapp-x1.status`, `"NotReady"`}, {`pod.myapp-x1.ready`, `"1/2"`}, {`[for c in pod.myapp-x1.containers : c.kind]`, `["init", "sidecar", "main"]`},
		{`pod.myapp-x1.start_order`, `["init", "side-car", "main"]`}, {`pod[join("-", ["myapp", "x1"])].phase`, `"Running"`},
		{`{for p in job.my-job.pods : p.name => p...}`, `{}`}, {`pod.myapp-x1.containers[*].state`, `(true ? "a" : 1)`},
		{`{ a = [1, "b"], "${var.token}" = each }.a[0]`, `job.*.x`}, {`-"1"`, `!"true"`}, {`local[*]`, `null`}, {`pod`, `job[null]`},
		{`"${step["apply it"].error} %{ if target.minor > 3 }x%{ endif }"`, `lookup(target.feature_gates, "x", "y")`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		src := "(" + a + ") == (" + b + ")"
		if len(src) > 500 || strings.Count(src, "range") > 1 || strings.Count(src, "for") > 2 || strings.Contains(src, "99999") {
			return // what is slow by its nature
		}
		expr, diags := ParseExpression([]byte(src), "fuzz.hcl")
		if diags.HasErrors() {
			return
		}
		scope := observedScope()
		found := append(scope.Examine(expr).Diags, (&Scope{}).Examine(expr).Diags...)
		v, diags := scope.Eval(expr)
		truth, err := Truth(v)
		for _, d := range found {
			if strings.Contains(d.Detail, "hunter2") {
				t.Errorf("a sensitive value is shown: %s", d.Detail)
			}
			if err == nil && truth == True && !diags.HasErrors() && *d.Subject == expr.Range() {
				t.Errorf("%s is true, but was rejected: %s", src, d.Detail)
			}
		}
	})
}
