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

// Sensitive marks values that must not be printed: those of variables
// declared sensitive and what is made of them.
const Sensitive = mark("sensitive")

// imprecise marks a truth that is unknown since times are not known finely
// enough: it may be either, whatever else comes.
const imprecise = mark("imprecise")

// partly marks a truth that is unknown since something is not known yet, and may
// be false already since times are not known finely enough.
const partly = mark("partly imprecise")

// fuzz marks a number that is known only to lie somewhere around its value:
// from below seconds under it to above seconds over it. The API's times, cut
// to the second, are so.
type fuzz struct{ below, above float64 }

// resolution is the finest difference of two times that is told apart, in
// seconds; what is nearer comes from the arithmetic, not from the clocks.
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

// fuzzOf returns what is open about a number. Where several things are, which
// happens where a function has put them together, it is the worst of each.
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

// otherMarks returns the marks of v, at any depth, that are no fuzz.
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

// order compares two known, unmarked numbers of which f and g say what is
// open. It returns -1, 0 or 1 as a is less than, equal to or greater than b,
// and false where their precision cannot tell.
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
	if math.Abs(apart) < open-resolution {
		return 0, false
	}
	if apart < 0 {
		return -1, true
	}
	return 1, true
}
