package value

import (
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// equal is a == b where want is true, else a != b.
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

// same is whether two values are equal, as far as it can be told: what differs
// in one known part differs, whatever else is still unknown in it, and times
// within a value are compared as times.
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

// sameUnknown compares where one of two unmarked values is not known: types
// and ranges may tell, unless a time is open.
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

// alike lets a list or a map be compared with one that is written out, which
// is a tuple or an object to HCL and so would never be equal to it.
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
