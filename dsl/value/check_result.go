package value

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
)

// passes is what a function gives that hands on what it was given; nil for
// another function.
func (x *examiner) passes(call *hclsyntax.FunctionCallExpr, args []*shape) *shape {
	if call.ExpandFinal || len(args) == 0 {
		return nil
	}
	switch call.Name {
	case "object":
		return &shape{v: cty.DynamicVal, kind: objectKind, open: true}
	case "try":
		return oneOf(args, false)
	case "coalesce":
		var kept []*shape
		for _, arg := range args {
			if !arg.isNull() {
				kept = append(kept, arg)
			}
		}
		return oneOf(kept, true)
	case "one":
		return x.element(args[0])
	case "lookup":
		return x.lookup(args)
	case "lower", "upper":
		return letters(call.Name, args[0])
	case "distinct", "slice", "sort", "tolist", "values":
		if x.collects(args[0]) {
			return &shape{v: cty.DynamicVal, elem: x.element(args[0]), list: true}
		}
	case "concat":
		var all []*shape
		for _, arg := range args {
			if !x.collects(arg) {
				return nil
			}
			all = append(all, x.element(arg))
		}
		return &shape{v: cty.DynamicVal, elem: oneOf(all, false), list: true}
	}
	return nil
}

// collects says whether something is known of the elements of a collection.
func (x *examiner) collects(s *shape) bool {
	if s.v.IsWhollyKnown() || s.isNull() || len(s.either) > 0 {
		return false
	}
	ty := s.ty()
	return s.elem != nil || s.items != nil || ty.IsListType() || ty.IsSetType() || ty.IsMapType()
}

// lookup is a map's element or the default.
func (x *examiner) lookup(args []*shape) *shape {
	if len(args) < 2 || len(args) > 3 {
		return anything()
	}
	found := x.element(args[0])
	if key, ok := args[1].text(); ok {
		x.unreached++ // there is a default for one that is not there
		found = x.named(args[0], key, hcl.Range{}, hcl.Range{})
		x.unreached--
	}
	if found.ty() == cty.DynamicPseudoType {
		return anything()
	}
	return oneOf(append([]*shape{found}, args[2:]...), true)
}

// letters is a text in lower or upper case.
func letters(name string, s *shape) *shape {
	change := strings.ToLower
	if name == "upper" {
		change = strings.ToUpper
	}
	if text, ok := s.text(); ok && !s.v.HasMarkDeep(Sensitive) {
		return constant(cty.StringVal(change(text)))
	}
	result := typed(cty.String)
	if t := s.texts; categoryOf(s) == aText && t != nil && t.all != nil {
		changed := &wording{of: t.of}
		for _, text := range t.all {
			changed.all = append(changed.all, change(text))
		}
		result.texts = changed
	}
	return result
}

// calls is what a function gives for what is known of its arguments. Files are
// not read.
func (x *examiner) calls(call *hclsyntax.FunctionCallExpr, args []*shape, fn function.Function) *shape {
	result := &shape{v: resultOf(call.Name)}
	switch call.Name {
	case "file", "fileexists", "helm", "kustomize", "templatefile", "can", "yamldecode", "jsondecode", "regexall":
		return result
	}
	if call.ExpandFinal {
		return result
	}
	params := fn.Params()
	values := make([]cty.Value, len(args))
	for i, arg := range args {
		want := cty.DynamicPseudoType
		switch {
		case i < len(params):
			want = params[i].Type
		case fn.VarParam() != nil:
			want = fn.VarParam().Type
		default:
			return result
		}
		v, err := convert.Convert(arg.v, want)
		if err != nil {
			return result
		}
		values[i] = v
	}
	if len(values) < len(params) {
		return result
	}
	v, err := fn.Call(values)
	if err != nil || v == cty.NilVal || v.Type() == cty.DynamicPseudoType && !v.IsNull() {
		return result
	}
	return &shape{v: v, kind: x.schema.kindOfType(v.Type())}
}

// resultOf is an unknown value of the type that a function gives whatever its
// arguments are.
func resultOf(name string) cty.Value {
	switch name {
	case "alltrue", "anytrue", "can", "contains", "fileexists", "logged", "ordered", "overlaps", "semver":
		return cty.UnknownVal(cty.Bool)
	case "abs", "ceil", "floor", "index", "length", "log_time", "max", "min", "precision", "seconds", "sum", "tonumber":
		return cty.UnknownVal(cty.Number)
	case "cidrhost", "file", "format", "join", "jsonencode", "lower", "replace", "tostring", "trimspace", "upper", "yamlencode":
		return cty.UnknownVal(cty.String)
	case "helm", "keys", "kustomize", "sort", "split":
		return cty.UnknownVal(cty.List(cty.String))
	}
	return cty.DynamicVal
}
