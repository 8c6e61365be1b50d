package value

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// comparisonDifference says how the sides of a comparison differ, if its
// references do not show that.
func comparisonDifference(expr *hclsyntax.BinaryOpExpr, is Logic, ctx *hcl.EvalContext) string {
	a, aDiags := bareOf(expr.LHS).Value(ctx)
	b, bDiags := bareOf(expr.RHS).Value(ctx)
	if aDiags.HasErrors() || bDiags.HasErrors() || a.HasMark(Sensitive) || b.HasMark(Sensitive) {
		return ""
	}
	f, g := fuzzOf(a), fuzzOf(b)
	x, _ := a.Unmark()
	y, _ := b.Unmark()
	switch {
	case !x.IsKnown() || !y.IsKnown() || x.IsNull() || y.IsNull():
		return ""
	case isNumber(x) && isNumber(y):
		if isPlain(expr.LHS) && isPlain(expr.RHS) && (len(expr.LHS.Variables()) == 0 || len(expr.RHS.Variables()) == 0) && is != Undecided {
			return ""
		}
		return numberDifference(expr, x, f, y, g)
	case isSequence(x) && isSequence(y) || isNamed(x) && isNamed(y):
		return Difference(a, b)
	case x.Type() == cty.String && y.Type() == cty.String && (len(x.AsString()) > 40 || len(y.AsString()) > 40):
		return Difference(a, b)
	case !isPlain(expr.LHS):
		return "the left side is " + Format(a)
	case !isPlain(expr.RHS):
		return "the right side is " + Format(b)
	}
	return ""
}

// isPlain says whether an expression is a reference or a constant, and therefore
// shows its value.
func isPlain(expr hcl.Expression) bool {
	bare := bareOf(expr)
	return isChain(bare) || len(bare.Variables()) == 0
}

// numberDifference says by how much two numbers differ. Numbers
// that may be times are formatted as times.
func numberDifference(expr *hclsyntax.BinaryOpExpr, x cty.Value, f fuzz, y cty.Value, g fuzz) string {
	apart, _ := new(big.Float).Sub(x.AsBigFloat(), y.AsBigFloat()).Float64()
	if _, certain := order(x, f, y, g); !certain {
		return undecidable(apart, f, g)
	}
	switch {
	case apart == 0:
		return "both sides are " + Format(x)
	case len(expr.RHS.Variables()) == 0:
		return "the left side is " + Format(x)
	case apart < 0:
		return fmt.Sprintf("the left side, %s, is %s less than the right side, %s", Format(x), decimal(-apart), Format(y))
	}
	return fmt.Sprintf("the left side, %s, is %s greater than the right side, %s", Format(x), decimal(apart), Format(y))
}

// undecidable says why the order of two times is unknown.
func undecidable(apart float64, f, g fuzz) string {
	open := max(f.below, f.above, g.below, g.above)
	return fmt.Sprintf("the two are %s s apart, and known only to within %s (the API has times in whole seconds), so their order is unknown",
		decimal(max(apart, -apart)), time.Duration(open*float64(time.Second)))
}

func decimal(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(f, 'f', 6, 64), "0"), ".")
}

// orderDifference says which two of the times of ordered are not in order, or
// have an unknown order.
func orderDifference(list hcl.Expression, is Logic, ctx *hcl.EvalContext) string {
	v, diags := list.Value(ctx)
	isSensitive := v.HasMarkDeep(Sensitive)
	v, _ = v.Unmark()
	if diags.HasErrors() || isSensitive || !v.IsKnown() || v.IsNull() || !v.CanIterateElements() || is == True {
		return ""
	}
	times := v.AsValueSlice()
	for j := range times {
		for i := range j {
			if text := pairDifference(times, i, j, is); text != "" {
				return text
			}
		}
	}
	return ""
}

func pairDifference(times []cty.Value, i, j int, is Logic) string {
	a, b := times[i], times[j]
	f, g := fuzzOf(a), fuzzOf(b)
	a, _ = a.Unmark()
	b, _ = b.Unmark()
	if !isNumber(a) || !isNumber(b) || !a.IsKnown() || !b.IsKnown() || a.IsNull() || b.IsNull() {
		return ""
	}
	apart, _ := new(big.Float).Sub(a.AsBigFloat(), b.AsBigFloat()).Float64()
	c, certain := order(a, f, b, g)
	pair := fmt.Sprintf("of element %d, %s, and element %d, %s, ", i+1, Format(a), j+1, Format(b))
	switch {
	case is == Undecided && !certain && j == i+1:
		return pair + undecidable(apart, f, g)
	case is == False && certain && c == 0:
		return pair + "neither is before the other"
	case is == False && certain && c > 0:
		return fmt.Sprintf("%sthe second is %s s before the first", pair, decimal(apart))
	}
	return ""
}

// maxDifferences limits how many differences of two values are reported.
const maxDifferences = 3

// Difference says where two known values differ, in words such as `[1] is
// "Running", not "NotReady"`. It is empty if no difference is known.
func Difference(got, want cty.Value) string {
	var d differences
	d.compare("", got, want)
	if n := len(d); n > maxDifferences {
		return fmt.Sprintf("%s, and %d more differences", strings.Join(d[:maxDifferences], ", "), n-maxDifferences)
	}
	return strings.Join(d, ", ")
}

type differences []string

func (d *differences) compare(path string, got, want cty.Value) {
	if same(got, want) == True {
		return
	}
	x, _ := got.Unmark()
	y, _ := want.Unmark()
	switch {
	case !x.IsKnown() || !y.IsKnown() || x.IsNull() || y.IsNull():
	case got.HasMark(Sensitive) || want.HasMark(Sensitive): // also what is within is
	case isSequence(x) && isSequence(y):
		d.sequences(path, x.AsValueSlice(), y.AsValueSlice())
		return
	case isNamed(x) && isNamed(y):
		d.named(path, x.AsValueMap(), y.AsValueMap())
		return
	case x.Type() == cty.String && y.Type() == cty.String:
		d.texts(path, x.AsString(), y.AsString())
		return
	}
	*d = append(*d, fmt.Sprintf("%s is %s, not %s", subject(path), Format(got), Format(want)))
}

func subject(path string) string {
	if path == "" {
		return "it"
	}
	return path
}

// sequences reports the elements that differ, then missing and extra elements.
func (d *differences) sequences(path string, got, want []cty.Value) {
	for i := range min(len(got), len(want)) {
		d.compare(fmt.Sprintf("%s[%d]", path, i), got[i], want[i])
	}
	rest := func(all []cty.Value, from int) string {
		return Format(cty.TupleVal(all[from:]))
	}
	switch n := len(got) - len(want); {
	case n > 0:
		*d = append(*d, fmt.Sprintf("%s has %d more at its end: %s", subject(path), n, rest(got, len(want))))
	case n < 0:
		*d = append(*d, fmt.Sprintf("%s lacks %d at its end: %s", subject(path), -n, rest(want, len(got))))
	}
}

func (d *differences) named(path string, got, want map[string]cty.Value) {
	names := append(sortedKeys(got), sortedKeys(want)...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		g, has := got[name]
		w, wanted := want[name]
		at := path + "[" + quote(name) + "]"
		if hclsyntax.ValidIdentifier(name) {
			at = strings.TrimPrefix(path+"."+name, ".")
		}
		switch {
		case !has:
			*d = append(*d, at+" is missing")
		case !wanted:
			*d = append(*d, at+" is more")
		default:
			d.compare(at, g, w)
		}
	}
}

// texts reports short texts in full, and long texts from the first difference.
func (d *differences) texts(path, got, want string) {
	if len(got) <= 40 && len(want) <= 40 {
		*d = append(*d, fmt.Sprintf("%s is %s, not %s", subject(path), quote(got), quote(want)))
		return
	}
	a, b := []rune(got), []rune(want)
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	part := func(r []rune) string { return quote(string(r[min(at, len(r)):min(at+20, len(r))])) }
	*d = append(*d, fmt.Sprintf("%s differs from character %d on: %s, not %s", subject(path), at+1, part(a), part(b)))
}
