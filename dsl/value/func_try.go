package value

import (
	"github.com/hashicorp/hcl/v2/ext/customdecode"
	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// tried is HCL's try or can, whose result keeps the marks of what was tried.
func tried(f function.Function) function.Function {
	marksOf := func(args []cty.Value) cty.ValueMarks {
		for _, arg := range args {
			if v, diags := customdecode.ExpressionClosureFromVal(arg).Value(); !diags.HasErrors() {
				return otherMarks(v)
			}
		}
		return nil
	}
	return function.New(&function.Spec{
		Params: f.Params(), VarParam: f.VarParam(),
		Type: func(args []cty.Value) (cty.Type, error) { return f.ReturnTypeForValues(args) },
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			result, err := f.Call(args)
			if err != nil {
				return cty.NilVal, err
			}
			return result.WithMarks(marksOf(args)), nil
		},
	})
}

// try is the value of the first expression that has one.
func try() function.Function { return tried(tryfunc.TryFunc) }

// can is whether an expression has a value.
func can() function.Function { return tried(tryfunc.CanFunc) }
