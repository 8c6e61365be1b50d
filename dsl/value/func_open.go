package value

import (
	"math"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// minding makes a function that knows nothing of open times safe with them.
// What it gives keeps open only what can come of something open in its
// arguments: numbers of numbers, texts of texts. A truth that depends on
// something open is unknown.
func minding(f function.Function) function.Function {
	return withOpenness(f, func(o *openness, result cty.Value) cty.Value { return o.onto(result) })
}

// uncertain makes a function that compares what it is given give nothing known
// where a time in that is open.
func uncertain(f function.Function) function.Function {
	return withOpenness(f, func(_ *openness, result cty.Value) cty.Value {
		return cty.UnknownVal(result.Type()).WithMarks(otherMarks(result))
	})
}

// withOpenness is f whose result is changed where something in its arguments
// is open.
func withOpenness(f function.Function, change func(*openness, cty.Value) cty.Value) function.Function {
	return marked(f, func(args []cty.Value) (cty.Value, error) {
		var o openness
		for _, arg := range args {
			o.of(arg)
		}
		result, err := f.Call(args)
		if err != nil || o.none() {
			return result, err
		}
		return change(&o, result), nil
	})
}

// marked is f with another implementation, which gets its arguments' marks.
func marked(f function.Function, call func([]cty.Value) (cty.Value, error)) function.Function {
	params := append([]function.Parameter(nil), f.Params()...)
	for i := range params { // an unknown argument would lose its marks otherwise
		params[i].AllowMarked, params[i].AllowUnknown, params[i].AllowDynamicType = true, true, true
	}
	rest := f.VarParam()
	if rest != nil {
		with := *rest
		with.AllowMarked, with.AllowUnknown, with.AllowDynamicType = true, true, true
		rest = &with
	}
	return function.New(&function.Spec{
		Description: f.Description(), Params: params, VarParam: rest,
		Type: func(args []cty.Value) (cty.Type, error) { return f.ReturnTypeForValues(args) },
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			result, err := call(args)
			if err != nil {
				return cty.NilVal, err
			}
			if plain, _ := result.Unmark(); !plain.IsKnown() { // f may have taken the marks off
				for _, arg := range args {
					result = result.WithMarks(otherMarks(arg))
				}
			}
			return result, nil
		},
	})
}

// openness is what is open in values, by what it is open of: a whole collection
// is of everything.
type openness struct{ numbers, others, all fuzz }

func (o *openness) none() bool {
	return o.numbers.exact() && o.others.exact() && o.all.exact()
}

// of notes what is open in v.
func (o *openness) of(v cty.Value) {
	if !v.ContainsMarked() {
		return
	}
	f := fuzzOf(v)
	v, _ = v.Unmark()
	switch {
	case f.exact():
	case v.Type() == cty.Number:
		o.numbers = o.numbers.worse(f)
	case v.Type().IsPrimitiveType():
		o.others = o.others.worse(f)
	default:
		o.all = o.all.worse(f)
	}
	if !v.IsKnown() || v.IsNull() || !v.CanIterateElements() {
		return
	}
	for it := v.ElementIterator(); it.Next(); {
		_, element := it.Element()
		o.of(element)
	}
}

// onto marks a result with what is open. Where the function took the marks off
// by itself, they lie on the whole of it: they go to where they belong.
func (o *openness) onto(result cty.Value) cty.Value {
	if fuzzOf(result).exact() {
		return result
	}
	rest := otherMarks(result)
	result, _ = result.Unmark()
	worst := o.numbers.worse(o.others).worse(o.all)
	ty := result.Type()
	switch {
	case !result.IsKnown() || result.IsNull():
	case ty == cty.Bool:
		result = unknownBool()
	case ty.IsPrimitiveType() || ty.IsSetType():
		result = worst.mark(result)
	default:
		result = o.leaves(result)
	}
	return result.WithMarks(rest)
}

// leaves marks the primitive values within a known result.
func (o *openness) leaves(result cty.Value) cty.Value {
	marked, err := cty.Transform(result, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		plain, _ := v.Unmark()
		if !plain.IsKnown() || plain.IsNull() {
			return v, nil
		}
		switch f := o.all; {
		case plain.Type() == cty.Number:
			return f.worse(o.numbers).mark(v), nil
		case plain.Type().IsPrimitiveType() || plain.Type().IsSetType():
			return f.worse(o.others).mark(v), nil
		}
		return v, nil
	})
	if err != nil {
		return cty.UnknownVal(result.Type())
	}
	return marked
}

// worse is what two together leave open.
func (f fuzz) worse(g fuzz) fuzz {
	return fuzz{math.Max(f.below, g.below), math.Max(f.above, g.above)}
}

// contains is whether a value is in a list, tuple or set; true as soon as one
// element is known to be it.
func contains() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{
			{Name: "list", Type: cty.DynamicPseudoType, AllowUnknown: true, AllowDynamicType: true, AllowMarked: true},
			{Name: "value", Type: cty.DynamicPseudoType, AllowNull: true, AllowUnknown: true, AllowDynamicType: true, AllowMarked: true},
		},
		Type: func(args []cty.Value) (cty.Type, error) {
			if ty := args[0].Type(); !ty.IsListType() && !ty.IsTupleType() && !ty.IsSetType() && ty != cty.DynamicPseudoType {
				return cty.NilType, function.NewArgErrorf(0, "argument must be list, tuple, or set")
			}
			return cty.Bool, nil
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			list, _ := args[0].Unmark()
			result := cty.False
			inList := otherMarks(args[0])
			if !list.IsKnown() {
				return unknownBool().WithMarks(inList, otherMarks(args[1])), nil
			}
			if isIncomplete(args[0]) {
				result = unknownBool()
			}
			for it := list.ElementIterator(); it.Next(); {
				_, element := it.Element()
				l := same(args[1], element)
				if l == True {
					return cty.True.WithMarks(withoutIncomplete(inList), otherMarks(args[1])), nil
				}
				if l == Undecided {
					result = unknownBool()
				}
			}
			return result.WithMarks(asBlind(inList), otherMarks(args[1])), nil
		},
	})
}
