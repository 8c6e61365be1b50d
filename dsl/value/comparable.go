package value

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"
)

// compared is a == b if want is true, else a != b. It is an error if both
// are known and their types are never equal: one that is silently false, or
// silently true for !=, would be a verdict about nothing.
func compared(a, b cty.Value, want bool) (cty.Value, error) {
	if err := comparable(a, b); err != nil {
		return cty.NilVal, err
	}
	return equal(a, b, want), nil
}

// comparable says why two values cannot be compared: they are known, not null,
// and of types that are never equal, one of them a number, a text, true or
// false. The values themselves are not named, since they may be sensitive.
func comparable(a, b cty.Value) error {
	if !a.IsKnown() || !b.IsKnown() || a.IsNull() || b.IsNull() {
		return nil
	}
	one, other := constant(a), constant(b)
	first, second := categoryOf(one), categoryOf(other)
	plain := a.Type().IsPrimitiveType() || b.Type().IsPrimitiveType()
	if first == second || first == someValue || second == someValue || !plain {
		return nil
	}
	are := func(x, y category) bool { return first == x && second == y || first == y && second == x }
	hint := ""
	switch {
	case first == aList || second == aList:
		hint = ". Use contains() to check whether a list has a value"
	case are(aNumber, aText):
		hint = ". Convert the string with tonumber(), or the number with tostring()"
	case are(aTruth, aText):
		hint = ". Convert both to strings with tostring()"
	}
	return fmt.Errorf("the left side is %s and the right side %s, which are never equal%s", one.noun(), other.noun(), hint)
}
