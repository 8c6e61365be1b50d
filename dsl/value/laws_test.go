package value

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// law is two ways to write the same. a, b and c stand for values of a kind, as
// in the worlds of the tests of truth: b for truths, n for numbers, t for times,
// s for texts.
type law struct{ kinds, one, other string }

// laws are what must hold whatever is known of the values, and however finely.
func laws() []law {
	return []law{
		// The order of arguments that does not matter.
		{"bb", `a && b`, `b && a`}, {"bb", `a || b`, `b || a`}, {"bbb", `a && (b && c)`, `(a && b) && c`}, {"bbb", `a || (b || c)`, `(a || b) || c`},
		{"nn", `a + b`, `b + a`}, {"nn", `a * b`, `b * a`}, {"tt", `a + b`, `b + a`}, {"tt", `a * b`, `b * a`},
		{"tt", `max(a, b)`, `max(b, a)`}, {"tt", `min(a, b)`, `min(b, a)`}, {"ttt", `max(a, b, c)`, `max(c, a, b)`}, {"ttt", `sum([a, b, c])`, `sum([c, b, a])`},
		{"bbb", `alltrue([a, b, c])`, `alltrue([c, a, b])`}, {"bbb", `anytrue([a, b, c])`, `anytrue([b, c, a])`},
		{"ttt", `contains([a, b], c)`, `contains([b, a], c)`}, {"sss", `contains([a, b], c)`, `contains([b, a], c)`},
		{"ss", `toset([a, b])`, `toset([b, a])`}, {"ss", `sort([a, b])`, `sort([b, a])`}, {"ss", `length(distinct([a, b]))`, `length(distinct([b, a]))`},
		{"tt", `a == b`, `b == a`}, {"ttt", `[a, b] == [c, a]`, `[c, a] == [a, b]`}, {"ss", `{ x = a } == { x = b }`, `{ x = b } == { x = a }`},

		// De Morgan, and the other laws of logic.
		{"bb", `!(a && b)`, `!a || !b`}, {"bb", `!(a || b)`, `!a && !b`}, {"b", `!!a`, `a`}, {"b", `a && a`, `a`}, {"b", `a || a`, `a`},
		{"b", `a && true`, `a`}, {"b", `a || false`, `a`}, {"b", `a && false`, `false`}, {"b", `a || true`, `true`},
		{"bbb", `a && (b || c)`, `(a && b) || (a && c)`}, {"bbb", `a || (b && c)`, `(a || b) && (a || c)`},
		{"bbb", `alltrue([a, b, c])`, `a && b && c`}, {"bbb", `anytrue([a, b, c])`, `a || b || c`}, {"bb", `!alltrue([a, b])`, `anytrue([!a, !b])`},
		{"b", `alltrue([a])`, `a`}, {"bb", `alltrue([for x in [a, b] : x])`, `alltrue([a, b])`}, {"bb", `alltrue([for x in [a] : b if x])`, `!a || b`},
		{"bb", `anytrue([for x in [a] : b if x])`, `a && b`}, {"b", `a ? true : false`, `a`}, {"b", `a ? false : true`, `!a`}, {"bss", `a ? b : c`, `!a ? c : b`},

		// Comparisons.
		{"tt", `a != b`, `!(a == b)`}, {"tt", `a < b`, `b > a`}, {"tt", `a <= b`, `b >= a`}, {"tt", `a <= b`, `!(a > b)`}, {"tt", `a < b`, `ordered([a, b])`},
		{"tt", `a < b`, `!(a >= b)`}, {"nn", `a <= b`, `a < b || a == b`}, {"nnn", `ordered([a, b, c])`, `a < b && b < c && a < c`},
		{"tt", `[a] == [b]`, `a == b`}, {"tt", `{ x = a } == { x = b }`, `a == b`}, {"ss", `[a, 1] == [b, 1]`, `a == b`}, {"tt", `contains([a], b)`, `a == b`},
		{"tt", `a - b < 0`, `a < b`}, {"tt", `a - b > 0`, `a > b`}, {"tt", `-a < -b`, `b < a`}, {"tt", `a + 1 < b + 1`, `a < b`}, {"tt", `a * 2 < b * 2`, `a < b`},

		// Arithmetic.
		{"t", `-(-a)`, `a`}, {"nn", `a - b`, `-(b - a)`}, {"tt", `a - b`, `a + -b`}, {"n", `a + 0`, `a`}, {"n", `a * 1`, `a`}, {"n", `a / 1`, `a`},
		{"tt", `sum([a, b])`, `sum([b, a])`}, {"n", `abs(-a)`, `abs(a)`}, {"nn", `max(a, b)`, `-min(-a, -b)`}, {"t", `max(a)`, `a`}, {"n", `floor(a)`, `-ceil(-a)`},

		// Collections and texts.
		{"ss", `length([a, b])`, `2`}, {"ss", `concat([a], [b])`, `[a, b]`}, {"ss", `[a, b][1]`, `b`}, {"ss", `{ x = a, y = b }.y`, `b`}, {"s", `one([a])`, `a`},
		{"ss", `flatten([[a], [b]])`, `[a, b]`}, {"ss", `slice([a, b], 1, 2)`, `[b]`}, {"ss", `values({ x = a, y = b })`, `[a, b]`}, {"ss", `merge({ x = a }, { x = b })`, `{ x = b }`},
		{"ss", `lookup({ x = a }, "x", b)`, `a`}, {"s", `"${a}"`, `a`}, {"s", `lower(upper(a))`, `lower(a)`}, {"ss", `join("", [a, b])`, `"${a}${b}"`}, {"s", `trimspace(" ${a} ")`, `a`},
		{"ss", `[for x in [a, b] : x]`, `[a, b]`}, {"ss", `jsondecode(jsonencode([a, b]))`, `[a, b]`}, {"s", `replace(a, "x", "y")`, `a`}, {"s", `split(",", "${a},${a}")`, `[a, a]`},
		{"s", `try(a, "x")`, `a`}, {"n", `tonumber(tostring(a))`, `a`}, {"s", `coalesce(a, "x")`, `a`}, {"ss", `index([a, "z", b], "z") >= 0`, `true`},
	}
}

// contradict says whether two values, of which parts may be unknown, cannot be
// the same. Both are without marks.
func contradict(a, b cty.Value) bool {
	if !a.IsKnown() || !b.IsKnown() {
		return false
	}
	return same(a, b) == False
}

// TestLaws evaluates both sides of each law in many worlds: neither is a mistake
// where the other is none, and what both tell is the same.
func TestLaws(t *testing.T) {
	shared := NewShared(nil, "")
	for _, l := range laws() {
		t.Run(l.one+" is "+l.other, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(uint64(len(l.one)), 5))
			one, other := parse(t, l.one), parse(t, l.other)
			both := 0
			for range 60 {
				w := newWorld(rnd)
				extra, where := map[string]cty.Value{}, ""
				for i, kind := range []byte(l.kinds) {
					names := atoms[kind]
					extra[string(rune('a'+i))] = w[names[i%len(names)]].value()
					where += fmt.Sprintf(" %c=%#v", 'a'+i, w[names[i%len(names)]].value())
				}
				scope := &Scope{Shared: shared, Extra: extra}
				x, xDiags := scope.Eval(one)
				y, yDiags := scope.Eval(other)
				if xDiags.HasErrors() || yDiags.HasErrors() {
					t.Fatalf("a mistake where%s: %v %v", where, xDiags, yDiags)
				}
				if contradict(x, y) {
					t.Fatalf("%s and %s where%s", Format(x), Format(y), where)
				}
				if x.IsKnown() && y.IsKnown() {
					both++
				}
			}
			if both == 0 {
				t.Error("in no world both sides are known: the law says nothing")
			}
		})
	}
}

// TestLawsOfLogicAreWhole holds those laws of logic that tell as much on both
// sides: each is known where the other is.
func TestLawsOfLogicAreWhole(t *testing.T) {
	shared, truths := NewShared(nil, ""), []cty.Value{cty.True, cty.False, cty.UnknownVal(cty.Bool)}
	for _, l := range laws() {
		if strings.Trim(l.kinds, "b") != "" {
			continue
		}
		one, other := parse(t, l.one), parse(t, l.other)
		for _, a := range truths {
			for _, b := range truths {
				for _, c := range truths {
					scope := &Scope{Shared: shared, Extra: map[string]cty.Value{"a": a, "b": b, "c": c}}
					x, _ := scope.Eval(one)
					y, _ := scope.Eval(other)
					if Format(x) != Format(y) {
						t.Errorf("%s is %s and %s is %s where a=%s b=%s c=%s", l.one, Format(x), l.other, Format(y), Format(a), Format(b), Format(c))
					}
				}
			}
		}
	}
}
