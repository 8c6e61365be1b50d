package value

import (
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// equal is a == b if want is true, else a != b.
func equal(a, b cty.Value, want bool) cty.Value {
	aMarks, bMarks := otherMarks(a), otherMarks(b)
	result := unknownBool()
	if l := same(a, b); l != Undecided {
		result = cty.BoolVal((l == True) == want)
	} else if isKnown(a) && isKnown(b) {
		result = result.Mark(imprecise)
	}
	return result.WithMarks(aMarks, bMarks)
}

// isKnown says whether all of a value is known.
func isKnown(v cty.Value) bool {
	plain, _ := v.UnmarkDeep()
	return plain.IsWhollyKnown()
}

// same says whether two values are equal, as far as that is known. Values that
// differ in a known part differ, even if other parts are unknown. Times in a
// value are compared as times.
func same(a, b cty.Value) Logic {
	f, g := fuzzOf(a), fuzzOf(b)
	a, _ = a.Unmark()
	b, _ = b.Unmark()
	a, b = alike(a, b)
	switch {
	case !a.IsKnown() || !b.IsKnown():
		return sameUnknown(a, f, b, g)
	case a.IsNull() || b.IsNull():
		return logic(a.IsNull() && b.IsNull())
	case !f.exact() || !g.exact():
		if !isNumber(a) || !isNumber(b) {
			return Undecided // such as a time that was made a text
		}
		c, certain := order(a, f, b, g)
		if !certain {
			return Undecided
		}
		return logic(c == 0)
	case isSequence(a) && isSequence(b):
		return sameElements(a.AsValueSlice(), b.AsValueSlice())
	case isNamed(a) && isNamed(b):
		return sameNamed(a.AsValueMap(), b.AsValueMap())
	}
	return logicOf(a, b)
}

func isNumber(v cty.Value) bool { return v.Type() == cty.Number }

func isSequence(v cty.Value) bool { return v.Type().IsListType() || v.Type().IsTupleType() }

func isNamed(v cty.Value) bool { return v.Type().IsMapType() || v.Type().IsObjectType() }

// sameUnknown compares two unmarked values, one of which is unknown. Types and
// ranges may show the result, unless a time is open.
func sameUnknown(a cty.Value, f fuzz, b cty.Value, g fuzz) Logic {
	if !f.exact() || !g.exact() {
		return Undecided
	}
	return logicOf(a, b)
}

func sameElements(a, b []cty.Value) Logic {
	if len(a) != len(b) {
		return False
	}
	result := True
	for i := range a {
		switch same(a[i], b[i]) {
		case False:
			return False
		case Undecided:
			result = Undecided
		}
	}
	return result
}

func sameNamed(a, b map[string]cty.Value) Logic {
	if len(a) != len(b) {
		return False
	}
	result := True
	for name, x := range a {
		y, ok := b[name]
		if !ok {
			return False
		}
		switch same(x, y) {
		case False:
			return False
		case Undecided:
			result = Undecided
		}
	}
	return result
}

// logicOf is cty's own answer, without marks.
func logicOf(a, b cty.Value) Logic {
	a, _ = a.UnmarkDeep()
	b, _ = b.UnmarkDeep()
	result := a.Equals(b)
	if !result.IsKnown() {
		return Undecided
	}
	return logic(result.True())
}

func logic(b bool) Logic {
	if b {
		return True
	}
	return False
}

// alike makes a list or a map comparable with a literal one. In HCL the literal
// is a tuple or an object, and would never be equal.
func alike(a, b cty.Value) (cty.Value, cty.Value) {
	if isCollectionOf(a.Type(), b.Type()) {
		if as, err := convert.Convert(b, a.Type()); err == nil {
			return a, as
		}
	}
	if isCollectionOf(b.Type(), a.Type()) {
		if as, err := convert.Convert(a, b.Type()); err == nil {
			return as, b
		}
	}
	return a, b
}

func isCollectionOf(of, written cty.Type) bool {
	return of.IsListType() && written.IsTupleType() || of.IsMapType() && written.IsObjectType()
}
