package value

import (
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/zclconf/go-cty/cty"
)

// mark is the type of this package's own marks without content.
type mark string

// Sensitive marks values that must not be printed: values of sensitive variables
// and values computed from them.
const Sensitive = mark("sensitive")

// imprecise marks a truth that is unknown because times are not precise enough:
// it may be either, whatever is observed later.
const imprecise = mark("imprecise")

// partly marks a truth that is unknown because something is not known yet. It may
// be false already, but times are not precise enough to know.
const partly = mark("partly imprecise")

// fuzz marks a number that is known only to lie somewhere around its value:
// from below seconds under it to above seconds over it. The API's
// times, which are cut to the second, have this mark.
type fuzz struct{ below, above float64 }

// resolution is the smallest difference of two times that counts, in seconds. A
// smaller difference comes from the arithmetic, not from the clocks.
const resolution = 0.5e-9

// timeValue is a time as a number of seconds with nanoseconds, marked with
// what its precision leaves open.
func timeValue(t Time) cty.Value {
	v, err := cty.ParseNumberVal(strconv.FormatFloat(t.Seconds, 'f', 9, 64))
	if err != nil || math.IsInf(t.Seconds, 0) {
		return cty.UnknownVal(cty.Number)
	}
	switch {
	case t.Precision <= time.Nanosecond:
		return v
	case t.Late:
		return v.Mark(fuzz{below: t.Precision.Seconds()})
	}
	return v.Mark(fuzz{above: t.Precision.Seconds()})
}

// fuzzOf returns the fuzz of a number. If it has several, because a function
// combined them, the result is the worst of each.
func fuzzOf(v cty.Value) fuzz {
	var worst fuzz
	for f := range cty.ValueMarksOfType[fuzz](v) {
		worst.below = math.Max(worst.below, f.below)
		worst.above = math.Max(worst.above, f.above)
	}
	return worst
}

// exact says whether nothing is open.
func (f fuzz) exact() bool { return f.below == 0 && f.above == 0 }

// mark marks v with f, unless f is exact.
func (f fuzz) mark(v cty.Value) cty.Value {
	if f.exact() {
		return v
	}
	return v.Mark(f)
}

// otherMarks returns the marks of v, at any depth, that are not fuzz.
func otherMarks(v cty.Value) cty.ValueMarks {
	_, marks := v.UnmarkDeep()
	rest := cty.ValueMarks{}
	for m := range marks {
		if _, is := m.(fuzz); !is {
			rest[m] = struct{}{}
		}
	}
	return rest
}

// order compares two known, unmarked numbers with the fuzz f and g. It returns -1,
// 0 or 1 if a is less than, equal to or greater than b, and false if their
// precision does not show which.
func order(a cty.Value, f fuzz, b cty.Value, g fuzz) (int, bool) {
	x, y := a.AsBigFloat(), b.AsBigFloat()
	if f.exact() && g.exact() {
		return x.Cmp(y), true
	}
	if x.IsInf() || y.IsInf() {
		return x.Cmp(y), true
	}
	open := math.Max(f.below+g.above, f.above+g.below)
	apart, _ := new(big.Float).Sub(x, y).Float64()
	if math.Abs(apart) < open-math.Min(resolution, open/2) { // less than the resolution may be open
		return 0, false
	}
	if apart < 0 {
		return -1, true
	}
	return 1, true
}
