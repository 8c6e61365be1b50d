package value

import (
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"regexp"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// length is the number of elements of a collection, or of characters of a
// string.
func length() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "value", Type: cty.DynamicPseudoType, AllowUnknown: true, AllowDynamicType: true, AllowMarked: true}},
		Type: func(args []cty.Value) (cty.Type, error) {
			ty := args[0].Type()
			if ty == cty.String || ty == cty.DynamicPseudoType || ty.IsTupleType() || ty.IsObjectType() || ty.IsCollectionType() {
				return cty.Number, nil
			}
			return cty.Number, function.NewArgErrorf(0, "argument must be a string, a collection type, or a structural type")
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			v, marks := args[0].Unmark()
			n, err := lengthOf(v)
			if err != nil {
				return cty.NilVal, fmt.Errorf("counting: %w", err)
			}
			if isIncomplete(args[0]) && n.IsKnown() {
				least := cty.UnknownVal(cty.Number).Refine().NotNull().NumberRangeLowerBound(n, true).NewValue()
				return least.WithMarks(asBlind(marks)), nil
			}
			return n.WithMarks(marks), nil
		},
	})
}

// lengthOf is the length of an unmarked value.
func lengthOf(v cty.Value) (cty.Value, error) {
	switch ty := v.Type(); {
	case ty == cty.DynamicPseudoType:
		return cty.UnknownVal(cty.Number), nil
	case ty == cty.String:
		if !v.IsKnown() {
			return cty.UnknownVal(cty.Number), nil
		}
		return stdlib.Strlen(v)
	case ty.IsTupleType():
		return number(len(ty.TupleElementTypes())), nil
	case ty.IsObjectType():
		return number(len(ty.AttributeTypes())), nil
	default:
		return v.Length(), nil
	}
}

// allTrue is whether every element is true; false as soon as one is false.
func allTrue() function.Function { return quantifier(cty.False) }

// anyTrue is whether an element is true; true as soon as one is.
func anyTrue() function.Function { return quantifier(cty.True) }

// quantifier looks for one element that decides and gives it; the opposite
// where all elements are known and none is it. It rests on the one element, or
// on all.
func quantifier(decides cty.Value) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "list", Type: cty.List(cty.Bool), AllowUnknown: true, AllowMarked: true}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			list, marks := args[0].Unmark()
			if !list.IsKnown() {
				return unknownBool().WithMarks(marks), nil
			}
			result, all := decides.Not(), []cty.ValueMarks{asBlind(marks)}
			if isIncomplete(args[0]) {
				result = unknownBool()
			}
			decided := cty.NilVal
			for _, v := range list.AsValueSlice() {
				element, its := settled(v).Unmark()
				all = append(all, asBlind(its))
				switch {
				case !element.IsKnown():
					result = unknownBool()
				case element.IsNull():
					return cty.NilVal, errors.New("an element is null, which is neither true nor false")
				}
				if decided == cty.NilVal && element.RawEquals(decides) {
					decided = decides.WithMarks(its, withoutIncomplete(marks))
				}
			}
			if decided != cty.NilVal {
				return decided, nil
			}
			return result.WithMarks(all...), nil
		},
	})
}

// sum adds numbers.
func sum() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType}},
		Type:   function.StaticReturnType(cty.Number),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			list, err := convert.Convert(args[0], cty.List(cty.Number))
			if err != nil {
				return cty.NilVal, function.NewArgErrorf(0, "argument must be a list of numbers: %s", err)
			}
			total := cty.Zero
			if !list.IsKnown() {
				return cty.UnknownVal(cty.Number), nil
			}
			for _, v := range list.AsValueSlice() {
				if v.IsNull() {
					return cty.NilVal, function.NewArgErrorf(0, "an element is null, which cannot be added")
				}
				if total, err = stdlib.Add(total, v); err != nil {
					return cty.NilVal, fmt.Errorf("adding: %w", err)
				}
			}
			return total, nil
		},
	})
}

// one is the only element of a list, or null for an empty one.
func one() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType}},
		Type: func(args []cty.Value) (cty.Type, error) {
			ty := args[0].Type()
			switch {
			case ty.IsListType() || ty.IsSetType():
				return ty.ElementType(), nil
			case ty.IsTupleType() && len(ty.TupleElementTypes()) == 0:
				return cty.DynamicPseudoType, nil
			case ty.IsTupleType() && len(ty.TupleElementTypes()) == 1:
				return ty.TupleElementType(0), nil
			}
			return cty.NilType, function.NewArgErrorf(0, "must be a list, set or tuple value with either zero or one elements")
		},
		Impl: func(args []cty.Value, ty cty.Type) (cty.Value, error) {
			elements := args[0].AsValueSlice()
			switch len(elements) {
			case 0:
				return cty.NullVal(ty), nil
			case 1:
				return elements[0], nil
			}
			return cty.NilVal, function.NewArgErrorf(0, "must be a list, set or tuple value with either zero or one elements, but this has %d", len(elements))
		},
	})
}

// indexOf is the position of a value in a list.
func indexOf() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{
			{Name: "list", Type: cty.DynamicPseudoType, AllowUnknown: true, AllowDynamicType: true, AllowMarked: true},
			{Name: "value", Type: cty.DynamicPseudoType, AllowNull: true, AllowUnknown: true, AllowDynamicType: true, AllowMarked: true},
		},
		Type: func(args []cty.Value) (cty.Type, error) {
			if ty := args[0].Type(); !ty.IsListType() && !ty.IsTupleType() && ty != cty.DynamicPseudoType {
				return cty.NilType, function.NewArgErrorf(0, "argument must be a list or tuple")
			}
			return cty.Number, nil
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			list, _ := args[0].Unmark()
			marks := []cty.ValueMarks{otherMarks(args[0]), otherMarks(args[1])}
			if !list.IsKnown() {
				return cty.UnknownVal(cty.Number).WithMarks(marks...), nil
			}
			for i, v := range list.AsValueSlice() {
				switch same(v, args[1]) {
				case Undecided:
					return cty.UnknownVal(cty.Number).WithMarks(marks...), nil
				case True:
					return number(i).WithMarks(marks...), nil
				}
			}
			if isRead(args[0]) {
				return cty.UnknownVal(cty.Number).WithMarks(marks...), nil // it may come yet
			}
			return cty.NilVal, errors.New("item not found")
		},
	})
}

// replace replaces what a string or, between slashes, a regular expression
// finds.
func replace() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{
			{Name: "str", Type: cty.String}, {Name: "substr", Type: cty.String}, {Name: "replace", Type: cty.String},
		},
		Type: function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			str, substr, with := args[0].AsString(), args[1].AsString(), args[2].AsString()
			if len(substr) > 1 && substr[0] == '/' && substr[len(substr)-1] == '/' {
				re, err := regexp.Compile(substr[1 : len(substr)-1])
				if err != nil {
					return cty.NilVal, function.NewArgErrorf(1, "not a regular expression: %s", err)
				}
				return cty.StringVal(re.ReplaceAllString(str, with)), nil
			}
			return cty.StringVal(strings.ReplaceAll(str, substr, with)), nil
		},
	})
}

// cidrHost is the address with a number within a network; a negative number
// counts from the network's end.
func cidrHost() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "prefix", Type: cty.String}, {Name: "hostnum", Type: cty.Number}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			prefix, err := netip.ParsePrefix(args[0].AsString())
			if err != nil {
				return cty.NilVal, function.NewArgErrorf(0, "not a network such as 10.0.0.0/16: %s", err)
			}
			host, accuracy := args[1].AsBigFloat().Int(nil)
			if host == nil || accuracy != big.Exact {
				return cty.NilVal, function.NewArgErrorf(1, "a whole number is required")
			}
			return hostIn(prefix.Masked(), host)
		},
	})
}

func hostIn(prefix netip.Prefix, host *big.Int) (cty.Value, error) {
	base := prefix.Addr().AsSlice()
	size := new(big.Int).Lsh(big.NewInt(1), uint(len(base)*8-prefix.Bits()))
	if host.Sign() < 0 {
		host = new(big.Int).Add(host, size)
	}
	if host.Sign() < 0 || host.Cmp(size) >= 0 {
		return cty.NilVal, function.NewArgErrorf(1, "the network %s has %s addresses: this is none of them", prefix, size)
	}
	sum := new(big.Int).Add(new(big.Int).SetBytes(base), host)
	addr, _ := netip.AddrFromSlice(sum.FillBytes(base))
	return cty.StringVal(addr.String()), nil
}

// keysOf is the names in a map or an object, sorted; how open its values are
// does not matter.
func keysOf() function.Function {
	return marked(stdlib.KeysFunc, func(args []cty.Value) (cty.Value, error) {
		plain, _, marks := bare(args)
		result, err := stdlib.KeysFunc.Call(plain)
		if err != nil {
			return cty.NilVal, err
		}
		return result.WithMarks(marks), nil
	})
}

// regex is HCL's, but for a text that was observed and may go on: what does not
// match it yet is unknown and no mistake.
func regex() function.Function {
	return marked(stdlib.RegexFunc, func(args []cty.Value) (cty.Value, error) {
		plain, _, marks := bare(args)
		v, err := stdlib.RegexFunc.Call(plain)
		switch {
		case err == nil:
			return v.WithMarks(marks), nil
		case !isRead(args[1]):
			return cty.NilVal, err
		}
		ty, typeErr := stdlib.RegexFunc.ReturnTypeForValues(plain)
		if typeErr != nil {
			return cty.NilVal, typeErr
		}
		return cty.UnknownVal(ty).WithMarks(asBlind(marks)), nil
	})
}
