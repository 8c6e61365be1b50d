package value

import (
	"errors"
	"math"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// comparison makes an ordering operator that is true where holds is, given
// -1, 0 or 1.
func comparison(holds func(int) bool) *hclsyntax.Operation {
	return operation(cty.Bool, func(a, b cty.Value) (cty.Value, error) {
		marks := otherMarks(a)
		f, g := fuzzOf(a), fuzzOf(b)
		a, _ = a.Unmark()
		bMarks := otherMarks(b)
		b, _ = b.Unmark()
		if a.IsKnown() && b.IsKnown() {
			c, certain := order(a, f, b, g)
			if !certain {
				return unknownBool().WithMarks(marks, bMarks), nil
			}
			return cty.BoolVal(holds(c)).WithMarks(marks, bMarks), nil
		}
		less, err := stdlib.LessThan(a, b) // what the ranges of unknown numbers tell
		if err != nil {
			return cty.NilVal, err
		}
		if !less.IsKnown() || !f.exact() || !g.exact() {
			return unknownBool().WithMarks(marks, bMarks), nil
		}
		return boundsTell(less.True(), holds).WithMarks(marks, bMarks), nil
	})
}

// boundsTell answers for numbers of which only "less" or "not less" is known.
func boundsTell(less bool, holds func(int) bool) cty.Value {
	if less {
		return cty.BoolVal(holds(-1))
	}
	if holds(0) == holds(1) {
		return cty.BoolVal(holds(1))
	}
	return unknownBool()
}

func unknownBool() cty.Value { return cty.UnknownVal(cty.Bool).RefineNotNull() }

// equal is a == b where want is true, else a != b.
func equal(a, b cty.Value, want bool) (cty.Value, error) {
	aMarks, bMarks := otherMarks(a), otherMarks(b)
	f, g := fuzzOf(a), fuzzOf(b)
	a, _ = a.UnmarkDeep()
	b, _ = b.UnmarkDeep()
	a, b = alike(a, b)
	if isNumber(a) && isNumber(b) && !(f.exact() && g.exact()) {
		c, certain := order(a, f, b, g)
		if !certain {
			return unknownBool().WithMarks(aMarks, bMarks), nil
		}
		return cty.BoolVal((c == 0) == want).WithMarks(aMarks, bMarks), nil
	}
	result := a.Equals(b)
	if result.IsKnown() && !want {
		result = result.Not()
	}
	return result.WithMarks(aMarks, bMarks), nil
}

func isNumber(v cty.Value) bool {
	return v.Type() == cty.Number && v.IsKnown() && !v.IsNull()
}

// alike lets a list be compared with a list that is written out, which is a
// tuple to HCL and so would never be equal to it.
func alike(a, b cty.Value) (cty.Value, cty.Value) {
	if a.Type().IsListType() && b.Type().IsTupleType() {
		if as, err := convert.Convert(b, a.Type()); err == nil {
			return a, as
		}
	}
	if b.Type().IsListType() && a.Type().IsTupleType() {
		if as, err := convert.Convert(a, b.Type()); err == nil {
			return as, b
		}
	}
	return a, b
}

// arithmetic makes an operator whose result is as open as its operands make
// it.
func arithmetic(op string) *hclsyntax.Operation {
	return operation(cty.Number, func(a, b cty.Value) (cty.Value, error) {
		aMarks, bMarks := otherMarks(a), otherMarks(b)
		f, g := fuzzOf(a), fuzzOf(b)
		a, _ = a.Unmark()
		b, _ = b.Unmark()
		result, err := reckon(op, a, b)
		if err != nil {
			return cty.NilVal, err
		}
		if result.IsKnown() {
			result = openness(op, a, f, b, g, result)
		}
		return result.WithMarks(aMarks, bMarks), nil
	})
}

func reckon(op string, a, b cty.Value) (cty.Value, error) {
	switch op {
	case "+":
		return stdlib.Add(a, b)
	case "-":
		return stdlib.Subtract(a, b)
	case "*":
		return stdlib.Multiply(a, b)
	case "/":
		if b.IsKnown() && b.AsBigFloat().Sign() == 0 {
			return cty.NilVal, errors.New("division by zero")
		}
		return stdlib.Divide(a, b)
	default:
		if b.IsKnown() && b.AsBigFloat().Sign() == 0 {
			return cty.NilVal, errors.New("the remainder of a division by zero")
		}
		return stdlib.Modulo(a, b)
	}
}

// openness marks the result of a op b with what f and g leave open of it.
// Where that is everything, the result is unknown.
func openness(op string, a cty.Value, f fuzz, b cty.Value, g fuzz, result cty.Value) cty.Value {
	if f.exact() && g.exact() {
		return result
	}
	switch op {
	case "+":
		return fuzz{f.below + g.below, f.above + g.above}.mark(result)
	case "-":
		return fuzz{f.below + g.above, f.above + g.below}.mark(result)
	case "%":
		return cty.UnknownVal(cty.Number)
	}
	at, low, high := float(result), math.Inf(1), math.Inf(-1)
	if op == "/" && float(b)-g.below <= 0 && float(b)+g.above >= 0 {
		return cty.UnknownVal(cty.Number)
	}
	for _, x := range []float64{float(a) - f.below, float(a) + f.above} {
		for _, y := range []float64{float(b) - g.below, float(b) + g.above} {
			corner := x * y
			if op == "/" {
				corner = x / y
			}
			low, high = math.Min(low, corner), math.Max(high, corner)
		}
	}
	if math.IsNaN(low) || math.IsNaN(high) || math.IsInf(low, 0) || math.IsInf(high, 0) {
		return cty.UnknownVal(cty.Number)
	}
	return fuzz{math.Max(0, at-low), math.Max(0, high-at)}.mark(result)
}

func float(v cty.Value) float64 {
	f, _ := v.AsBigFloat().Float64()
	return f
}

// negate is the unary minus, which turns around what is open.
func negate() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "a", Type: cty.Number, AllowMarked: true}},
		Type:   function.StaticReturnType(cty.Number),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			f, marks := fuzzOf(args[0]), otherMarks(args[0])
			v, _ := args[0].Unmark()
			return fuzz{f.above, f.below}.mark(v.Negate()).WithMarks(marks), nil
		},
	})
}

// roughly makes a function over numbers keep how open its arguments are: its
// result may be off by as much as all of them together.
func roughly(f function.Function) function.Function {
	params := append([]function.Parameter(nil), f.Params()...)
	for i := range params {
		params[i].AllowMarked = true
	}
	rest := f.VarParam()
	if rest != nil {
		marked := *rest
		marked.AllowMarked = true
		rest = &marked
	}
	return function.New(&function.Spec{
		Description: f.Description(),
		Params:      params,
		VarParam:    rest,
		Type: func(args []cty.Value) (cty.Type, error) {
			plain, _, _ := bare(args)
			return f.ReturnTypeForValues(plain)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			plain, open, marks := bare(args)
			result, err := f.Call(plain)
			if err != nil {
				return cty.NilVal, err
			}
			if result.Type() == cty.Number && result.IsKnown() {
				result = fuzz{open, open}.mark(result)
			}
			return result.WithMarks(marks), nil
		},
	})
}

// bare takes the marks off args. It returns the sum of all that is open in
// them and the marks that are no fuzz.
func bare(args []cty.Value) ([]cty.Value, float64, cty.ValueMarks) {
	plain, marks, open := make([]cty.Value, len(args)), cty.ValueMarks{}, 0.0
	for i, arg := range args {
		unmarked, paths := arg.UnmarkDeepWithPaths()
		plain[i] = unmarked
		for _, path := range paths {
			for m := range path.Marks {
				if f, is := m.(fuzz); is {
					open += math.Max(f.below, f.above)
				} else {
					marks[m] = struct{}{}
				}
			}
		}
	}
	return plain, open, marks
}
