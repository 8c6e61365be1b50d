package dsl

import (
	"bytes"
	"math"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/value"
)

// native converts the expression of an attribute in a JSON file to the native
// syntax: both syntaxes have the same meaning. It returns attributes of native
// files unchanged.
func (l *loader) native(attr *hcl.Attribute) *hcl.Attribute {
	if attr == nil || !json.IsJSONExpression(attr.Expr) {
		return attr
	}
	expr := l.fromJSON(attr.Expr)
	value.Prepare(expr)
	changed := *attr
	changed.Expr = expr
	return &changed
}

// fromJSON converts an expression. Strings are templates. A string that is a
// single interpolation "${...}" becomes the expression in it.
func (l *loader) fromJSON(expr hcl.Expression) hclsyntax.Expression {
	at := expr.Range()
	if elements, diags := hcl.ExprList(expr); !diags.HasErrors() {
		tuple := &hclsyntax.TupleConsExpr{SrcRange: at, OpenRange: at}
		for _, e := range elements {
			tuple.Exprs = append(tuple.Exprs, l.fromJSON(e))
		}
		return tuple
	}
	if pairs, diags := hcl.ExprMap(expr); !diags.HasErrors() {
		object := &hclsyntax.ObjectConsExpr{SrcRange: at, OpenRange: at}
		for _, pair := range pairs {
			key := &hclsyntax.ObjectConsKeyExpr{Wrapped: l.fromJSON(pair.Key), ForceNonLiteral: true}
			object.Items = append(object.Items, hclsyntax.ObjectConsItem{KeyExpr: key, ValueExpr: l.fromJSON(pair.Value)})
		}
		return object
	}
	literal, diags := expr.Value(nil)
	l.diags = append(l.diags, diags...)
	if !diags.HasErrors() && literal.Type() == cty.Number && literal.IsKnown() && !literal.IsNull() && tooGreat(literal) {
		l.diags = append(l.diags, hugeNumber(at))
		return &hclsyntax.LiteralValueExpr{Val: cty.DynamicVal, SrcRange: at}
	}
	if diags.HasErrors() || literal.Type() != cty.String || literal.IsNull() || !literal.IsKnown() {
		return &hclsyntax.LiteralValueExpr{Val: literal, SrcRange: at}
	}
	return l.template(literal.AsString(), at)
}

// tooGreat says whether a number needs a longer exponent than a number can have.
func tooGreat(number cty.Value) bool {
	exponent := number.AsBigFloat().MantExp(nil) // of 2
	return math.Abs(float64(exponent)) > math.Pow10(maxExponent)*math.Log2(10)
}

// template parses a string of a JSON file. Its ranges begin at the string. After
// an escape sequence they are off by its length.
func (l *loader) template(text string, at hcl.Range) hclsyntax.Expression {
	start := at.Start
	start.Column++
	start.Byte++
	if diags := templateLimits([]byte(text), at.Filename); diags.HasErrors() {
		diags[0].Subject = &at
		l.diags = append(l.diags, diags[0])
		return &hclsyntax.LiteralValueExpr{Val: cty.DynamicVal, SrcRange: at}
	}
	parsed, diags := hclsyntax.ParseTemplate([]byte(text), at.Filename, start)
	for _, d := range diags {
		d.Subject, d.Context = &at, nil
	}
	l.diags = append(l.diags, diags...)
	if parsed == nil || diags.HasErrors() {
		return &hclsyntax.LiteralValueExpr{Val: cty.DynamicVal, SrcRange: at}
	}
	switch expr := parsed.(type) { // diagnostics show the whole string
	case *hclsyntax.TemplateWrapExpr:
		expr.SrcRange = at
	case *hclsyntax.TemplateExpr:
		expr.SrcRange = at
	}
	return parsed
}

// parseJSON parses a JSON file. The file is never nil.
func parseJSON(data []byte, name string) (*hcl.File, hcl.Diagnostics) {
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	if at, ok := tooDeep(data, name); !ok {
		return &hcl.File{Bytes: data, Body: hcl.EmptyBody()}, hcl.Diagnostics{tooComplicated(at)}
	}
	file, diags := json.Parse(data, name)
	if file == nil || file.Body == nil {
		return &hcl.File{Bytes: data, Body: hcl.EmptyBody()}, diags
	}
	return file, diags
}

// tooDeep finds the place at which a JSON text is nested too deeply; true if
// there is none.
func tooDeep(data []byte, name string) (hcl.Range, bool) {
	depth, quoted, line := 0, false, 1
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '\n':
			line++
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
		if depth > maxNesting {
			at := hcl.Pos{Line: line, Column: 1, Byte: i}
			return hcl.Range{Filename: name, Start: at, End: at}, false
		}
	}
	return hcl.Range{}, true
}
