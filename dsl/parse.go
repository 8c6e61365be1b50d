package dsl

import (
	"bytes"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kind-lab/lab/dsl/value"
)

// maxExponent is the maximum number of digits in a number's exponent. A greater
// number would take too long to compute.
const maxExponent = 4

// ParseExpression reads one expression in the native syntax, ready to be
// evaluated by a value.Scope, within the limits of a scenario's expressions. name
// and at are the place in its ranges; at.Byte must be 0.
func ParseExpression(src []byte, name string, at hcl.Pos) (hcl.Expression, hcl.Diagnostics) {
	if diags := bounds(src, name, at); diags.HasErrors() {
		return nil, diags
	}
	if diags := hugeNumbers(src, name, at); diags.HasErrors() {
		return nil, diags
	}
	expr, diags := hclsyntax.ParseExpression(src, name, at)
	if diags.HasErrors() {
		return nil, diags
	}
	value.Prepare(expr)
	return expr, diags
}

// hugeNumbers rejects numbers such as 1e99999999.
func hugeNumbers(src []byte, name string, at hcl.Pos) hcl.Diagnostics {
	tokens, _ := hclsyntax.LexConfig(src, name, at) // the parser reports mistakes
	for _, token := range tokens {
		if token.Type != hclsyntax.TokenNumberLit {
			continue
		}
		e := bytes.IndexAny(token.Bytes, "eE")
		if e >= 0 && len(bytes.TrimLeft(token.Bytes[e+1:], "+-0")) > maxExponent {
			return hcl.Diagnostics{mistake(token.Range, "Number out of range",
				fmt.Sprintf("The exponent of a number can have at most %d digits.", maxExponent))}
		}
	}
	return nil
}
