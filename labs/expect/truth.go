package expect

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/value"
)

// evaluate is the truth of a condition.
func evaluate(expr hcl.Expression, eval Evaluator) (truth, hcl.Diagnostics) {
	v, diags := eval.Eval(expr)
	if diags.HasErrors() {
		return truthUnknown, diags
	}
	return truthOf(expr, v)
}

// setting is the truth of an optional argument: true where it is not written
// or null.
func setting(expr hcl.Expression, eval Evaluator) (truth, hcl.Diagnostics) {
	if expr == nil {
		return truthTrue, nil
	}
	v, diags := eval.Eval(expr)
	if diags.HasErrors() {
		return truthUnknown, diags
	}
	if plain, _ := v.Unmark(); plain.IsNull() {
		return truthTrue, nil
	}
	return truthOf(expr, v)
}

func truthOf(expr hcl.Expression, v cty.Value) (truth, hcl.Diagnostics) {
	logic, err := value.Truth(v)
	if err != nil {
		return truthUnknown, hcl.Diagnostics{{
			Severity: hcl.DiagError, Summary: "Neither true nor false",
			Detail:  strings.ToUpper(err.Error()[:1]) + err.Error()[1:] + ". Compare it with something, such as x == null or x > 0.",
			Subject: expr.Range().Ptr(),
		}}
	}
	switch logic {
	case value.True:
		return truthTrue, nil
	case value.False:
		return truthFalse, nil
	}
	return truthUnknown, nil
}
