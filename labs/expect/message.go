package expect

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/kind-lab/lab/dsl/value"
)

// message is the scenario's own message. What is not known in it is named so;
// what cannot be evaluated says why, since the verdict stands without it.
func (d *Decider) message(eval Evaluator) string {
	if d.e.Message == nil {
		return ""
	}
	return messageText(d.e.Message, eval)
}

func messageText(expr hcl.Expression, eval Evaluator) string {
	if t, ok := expr.(*hclsyntax.TemplateExpr); ok {
		var b strings.Builder
		for _, part := range t.Parts {
			b.WriteString(messageText(part, eval))
		}
		return b.String()
	}
	if t, ok := expr.(*hclsyntax.TemplateWrapExpr); ok {
		return messageText(t.Wrapped, eval)
	}
	v, diags := eval.EvalMarked(expr)
	if diags.HasErrors() {
		first := firstError(diags)
		return "(could not be evaluated: " + first.Summary + ": " + first.Detail + ")"
	}
	plain, _ := v.Unmark()
	text, err := convert.Convert(plain, cty.String)
	if v.HasMark(value.Sensitive) || err != nil || !text.IsKnown() || text.IsNull() {
		return value.Format(v)
	}
	return text.AsString()
}
