package value

import (
	"sync"
	"testing"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// TestConcurrentEval evaluates one expression in one scope from many places.
func TestConcurrentEval(t *testing.T) {
	s, expr := observedScope(), parse(t, `job.my-job.pod.container[var.key].exit_code == 0 && logged(pod.myapp-x1.container["main"], "done")`)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			v, diags := s.Eval(expr)
			if diags.HasErrors() || !v.RawEquals(cty.True) {
				t.Errorf("got %#v, %v", v, diags)
			}
			s.References(expr)
		})
	}
	wg.Wait()
}

func TestPrepareTwice(t *testing.T) {
	expr := parse(t, `-pod.api.container["a"].started_at < pod[var.key].created_at`)
	Prepare(expr.(hclsyntax.Expression))
	if _, diags := observedScope().Eval(expr); diags.HasErrors() {
		t.Error(diags)
	}
}

func BenchmarkEval(b *testing.B) {
	expr, _ := ParseExpression([]byte(`job.my-job.pod.container["main"].exit_code == 0`), "x")
	s := observedScope()
	for b.Loop() {
		if _, diags := s.Eval(expr); diags.HasErrors() {
			b.Fatal(diags)
		}
	}
}
