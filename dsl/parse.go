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
	if !longExponent(src) {
		return nil
	}
	tokens, _ := hclsyntax.LexConfig(src, name, at) // the parser reports mistakes
	return tokenNumbers(tokens)
}

// tokenNumbers is hugeNumbers of the tokens of a source.
func tokenNumbers(tokens hclsyntax.Tokens) hcl.Diagnostics {
	for _, token := range tokens {
		if token.Type != hclsyntax.TokenNumberLit {
			continue
		}
		e := bytes.IndexAny(token.Bytes, "eE")
		if e >= 0 && len(bytes.TrimLeft(token.Bytes[e+1:], "+-0")) > maxExponent {
			return hcl.Diagnostics{hugeNumber(token.Range)}
		}
	}
	return nil
}

func hugeNumber(at hcl.Range) *hcl.Diagnostic {
	return mistake(at, "Number out of range", fmt.Sprintf("The exponent of a number can have at most %d digits.", maxExponent))
}

// longExponent says, without parsing, whether a source may have a number with
// too long an exponent.
func longExponent(src []byte) bool {
	digit := func(i int) bool { return i < len(src) && src[i] >= '0' && src[i] <= '9' }
	for i := 1; i < len(src); i++ {
		if src[i] != 'e' && src[i] != 'E' || !digit(i-1) {
			continue
		}
		from := i + 1
		if from < len(src) && (src[from] == '+' || src[from] == '-') {
			from++
		}
		to := from
		for digit(to) {
			to++
		}
		if to-from > maxExponent {
			return true
		}
		i = to - 1
	}
	return false
}

// limits checks a source that is no file, such as a value of a variable, before
// it is parsed.
func limits(src []byte, name string) hcl.Diagnostics {
	return append(bounds(src, name, hcl.InitialPos), hugeNumbers(src, name, hcl.InitialPos)...)
}

// templateLimits is limits of a template.
func templateLimits(src []byte, name string) hcl.Diagnostics {
	if simple(src) && !longExponent(src) {
		return nil
	}
	tokens, _ := hclsyntax.LexTemplate(src, name, hcl.InitialPos) // the parser reports mistakes
	return append(tokenBounds(tokens), tokenNumbers(tokens)...)
}
