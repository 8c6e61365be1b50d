package expect

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/value"
)

// setting is the truth of an optional argument, with what it was read from: true
// if it is not written or null.
func setting(expr hcl.Expression, eval Evaluator) (truth, []value.Read, hcl.Diagnostics) {
	if expr == nil {
		return truthTrue, nil, nil
	}
	f, diags := eval.Find(expr)
	switch {
	case diags.HasErrors():
		return truthUnknown, f.Reads, diags
	case f.Value.IsNull():
		return truthTrue, f.Reads, nil
	}
	t, diags := truthOf(expr, f.Marked())
	return t, f.Reads, diags
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
