package value

import (
	"errors"
	"math"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
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
				return unknownBool().Mark(imprecise).WithMarks(marks, bMarks), nil
			}
			return cty.BoolVal(holds(c)).WithMarks(marks, bMarks), nil
		}
		if !f.exact() || !g.exact() {
			return unknownBool().WithMarks(marks, bMarks), nil
		}
		return boundsTell(a, b, holds).WithMarks(marks, bMarks), nil
	})
}

// boundsTell answers for two unmarked numbers, of which one at least is unknown,
// by their ranges: where every order that they admit has the same answer.
func boundsTell(a, b cty.Value, holds func(int) bool) cty.Value {
	if a.Type() != cty.Number || b.Type() != cty.Number {
		return unknownBool()
	}
	var answers [2]bool // which were given: false, true
	answer := func(order int) {
		if holds(order) {
			answers[1] = true
		} else {
			answers[0] = true
		}
	}
	notLess, aOverB := beyond(a, b)
	notGreater, bOverA := beyond(b, a)
	if !notLess {
		answer(-1)
	}
	if !notGreater {
		answer(1)
	}
	if !aOverB && !bOverA {
		answer(0)
	}
	if answers[0] == answers[1] {
		return unknownBool()
	}
	return cty.BoolVal(answers[1])
}

// beyond says of the ranges of two numbers whether a is at least b, and whether it
// is greater.
func beyond(a, b cty.Value) (atLeast, greater bool) {
	low, withLow := a.Range().NumberLowerBound()
	high, withHigh := b.Range().NumberUpperBound()
	if !low.IsKnown() || !high.IsKnown() {
		return false, false
	}
	c := low.AsBigFloat().Cmp(high.AsBigFloat())
	return c >= 0, c > 0 || c == 0 && !(withLow && withHigh)
}

func unknownBool() cty.Value { return cty.UnknownVal(cty.Bool).RefineNotNull() }

// arithmetic makes an operator whose result is as open as its operands make
// it.
func arithmetic(op string) *hclsyntax.Operation {
	return operation(cty.Number, func(a, b cty.Value) (cty.Value, error) {
		aMarks, bMarks := otherMarks(a), otherMarks(b)
		f, g := fuzzOf(a), fuzzOf(b)
		a, _ = a.Unmark()
		b, _ = b.Unmark()
		if !g.exact() && b.IsKnown() && b.AsBigFloat().Sign() == 0 && (op == "/" || op == "%") {
			return cty.UnknownVal(cty.Number).WithMarks(aMarks, bMarks), nil
		}
		result, err := reckon(op, a, b)
		if err != nil {
			return cty.NilVal, err
		}
		if result.IsKnown() {
			result = openIn(op, a, f, b, g, result)
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

// openIn marks the result of a op b with what f and g leave open of it.
// Where that is everything, the result is unknown.
func openIn(op string, a cty.Value, f fuzz, b cty.Value, g fuzz, result cty.Value) cty.Value {
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
		Params: []function.Parameter{{Name: "a", Type: cty.Number, AllowUnknown: true, AllowMarked: true}},
		Type:   function.StaticReturnType(cty.Number),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			f, marks := fuzzOf(args[0]), otherMarks(args[0])
			v, _ := args[0].Unmark()
			if !v.IsKnown() {
				return cty.UnknownVal(cty.Number).WithMarks(marks), nil
			}
			return fuzz{f.above, f.below}.mark(v.Negate()).WithMarks(marks), nil
		},
	})
}

// roughly makes a function over numbers keep how open its arguments are: its
// result may be off by as much as all of them together.
func roughly(f function.Function) function.Function { return rounding(f, 0) }

// rounding is roughly for a function whose result may be off by some more
// if an argument is open.
func rounding(f function.Function, more float64) function.Function {
	return marked(f, func(args []cty.Value) (cty.Value, error) {
		plain, open, marks := bare(args)
		result, err := f.Call(plain)
		if err != nil {
			return cty.NilVal, err
		}
		if open > 0 && result.Type() == cty.Number && result.IsKnown() {
			result = fuzz{open + more, open + more}.mark(result)
		}
		return result.WithMarks(marks), nil
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
