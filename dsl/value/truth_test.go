package value

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
)

// atom is something in a world that is known, or partly or not at all.
type atom struct {
	kind byte // b, n, t (a time in quarters of a second), s
	// is is what it is in truth; null that there is no such value.
	is   int
	null bool
	// known says how it is known: not, finely, or to the second.
	known string
}

// world is a set of atoms by name, and two lists of them.
type world map[string]atom

// atoms are the names of a world's atoms by kind.
var atoms = map[byte][]string{'b': {"b0", "b1", "b2", "b3"}, 'n': {"n0", "n1", "n2"}, 't': {"t0", "t1", "t2", "t3"}, 's': {"s0", "s1"}}

func newWorld(rnd *rand.Rand) world {
	w := world{}
	for _, kind := range []byte("bnts") {
		for _, name := range atoms[kind] {
			a := atom{kind: kind, known: "not"}
			a.is = rnd.IntN(map[byte]int{'b': 2, 'n': 3, 't': 24, 's': 2}[kind])
			if rnd.IntN(2) == 0 {
				a.known = "finely"
			}
			if kind == 't' && rnd.IntN(2) == 0 {
				a.known = "to the second"
			}
			w[name] = a
		}
	}
	return w
}

// completed is a world that this one may turn out to be, in which all is
// known. Where nulls are allowed what is not known may turn out not to be.
func (w world) completed(rnd *rand.Rand, nulls bool) world {
	full := world{}
	for _, kind := range []byte("bnts") {
		for _, name := range atoms[kind] {
			a := w[name]
			switch a.known {
			case "not":
				a.is = newWorld(rnd)[name].is
				a.null = nulls && rnd.IntN(3) == 0
			case "to the second":
				a.is += rnd.IntN(4)
			}
			a.known = "finely"
			full[name] = a
		}
	}
	return full
}

func (a atom) value() cty.Value {
	ty := map[byte]cty.Type{'b': cty.Bool, 'n': cty.Number, 't': cty.Number, 's': cty.String}[a.kind]
	switch {
	case a.known == "not":
		return cty.UnknownVal(ty)
	case a.null:
		return cty.NullVal(ty)
	case a.kind == 'b':
		return cty.BoolVal(a.is == 1)
	case a.kind == 's':
		return cty.StringVal(string(rune('a' + a.is)))
	case a.kind == 'n':
		return number(a.is)
	}
	t := Time{Seconds: float64(a.is) / 4, Precision: 1}
	if a.known == "to the second" {
		t.Precision = time.Second
	}
	return timeValue(t)
}

// scope is what expressions see of a world: its atoms as k.b0 and so on.
func (w world) scope(shared *Shared) *Scope {
	k := map[string]cty.Value{}
	for name, a := range w {
		k[name] = a.value()
	}
	return &Scope{Shared: shared, Extra: map[string]cty.Value{"k": cty.ObjectVal(k)}}
}

func (w world) String() string {
	var b strings.Builder
	for _, kind := range []byte("bnts") {
		for _, name := range atoms[kind] {
			a := w[name]
			v := Format(a.value())
			if a.known == "to the second" {
				v += " to the second"
			}
			fmt.Fprintf(&b, "%s=%s ", name, v)
		}
	}
	return b.String()
}

// node is an expression: a text with a %s for each of its parts. want is the
// parts' kinds.
type node struct {
	kind  byte
	text  string
	parts []*node
}

func (n *node) String() string {
	args := make([]any, len(n.parts))
	for i, p := range n.parts {
		args[i] = p.String()
	}
	return fmt.Sprintf(n.text, args...)
}

// form is a way to make an expression of a kind from parts of others.
type form struct{ kind, text, parts string }

// plain are the forms whose truth the simple evaluator below knows; rich are
// further ones.
var (
	plain = []form{
		{"b", "(%s && %s)", "bb"}, {"b", "(%s || %s)", "bb"}, {"b", "!%s", "b"},
		{"b", "(%s == %s)", "nn"}, {"b", "(%s != %s)", "nn"}, {"b", "(%s < %s)", "nn"}, {"b", "(%s >= %s)", "nn"},
		{"b", "(%s == %s)", "tt"}, {"b", "(%s != %s)", "tt"}, {"b", "(%s < %s)", "tt"}, {"b", "(%s > %s)", "tt"},
		{"b", "(%s <= %s)", "tt"}, {"b", "(%s >= %s)", "tt"}, {"b", "(%s == %s)", "ss"}, {"b", "(%s != %s)", "ss"},
	}
	rich = []form{
		{"b", "(%s ? %s : %s)", "bbb"}, {"b", "(%s == %s)", "bb"}, {"b", "(%s == null)", "b"}, {"b", "(%s != null)", "t"},
		{"b", "(%s != null && %s < %s)", "ttt"},
		{"b", "alltrue([%s, %s, %s])", "bbb"}, {"b", "anytrue([%s, %s, %s])", "bbb"},
		{"b", "alltrue([for x in [%s, %s, %s] : x < %s if x != %s])", "nnnnn"},
		{"b", "anytrue([for x in [%s, %s] : x == %s if %s])", "ttnb"},
		{"b", "contains([%s, %s], %s)", "nnn"}, {"b", "contains([%s, %s], %s)", "ttt"}, {"b", "contains([%s, %s], %s)", "sss"},
		{"b", "contains(toset([%s, %s]), %s)", "ttt"},
		{"b", "ordered([%s, %s, %s])", "ttt"}, {"b", "ordered([%s, %s])", "nt"},
		{"b", "([%s, %s] == [%s, %s])", "ttnn"}, {"b", "([%s, %s] != [%s, %s])", "sbsb"},
		{"b", "({ a = %s, b = %s, c = %s } == { a = %s, b = %s, c = %s })", "ntbntb"},
		{"b", "(tolist([%s, %s]) == [%s, %s])", "nnnn"}, {"b", "(tomap({ a = %s }) == { a = %s })", "nn"},
		{"b", "(length([for x in [%s, %s, %s] : x if x < %s]) == %s)", "ttttn"},
		{"b", "(length({ a = %s, b = %s }) == %s)", "ttn"}, {"b", "(length(distinct([%s, %s])) == %s)", "ttn"},
		{"b", "(index([%s, %s, %s], %s) == %s)", "nnnnn"}, {"b", "(index([%s, %s], %s) == %s)", "tttn"},
		{"b", "(\"${%s}\" == \"${%s}\")", "tt"}, {"b", "(tostring(%s) == tostring(%s))", "tn"},
		{"b", "(format(\"%%s\", %s) == %s)", "ss"}, {"b", "(upper(%s) == upper(%s))", "ss"},
		{"b", "can(regex(\"^a\", %s))", "s"}, {"b", "try(%s, %s)", "bb"}, {"b", "can(%s)", "b"},
		{"b", "(concat([%s], [%s])[1] == %s)", "ttn"}, {"b", "(slice([%s, %s], 0, 1)[0] < %s)", "ttt"},
		{"b", "(merge({ a = %s }, { b = %s }).a < %s)", "ttt"}, {"b", "(values({ a = %s, b = %s })[1] == %s)", "ttn"},
		{"b", "(lookup({ a = %s }, \"a\", %s) < %s)", "ttt"}, {"b", "(coalesce(%s, %s) < %s)", "ttn"},
		{"b", "(one([for x in [%s, %s] : x if %s]) == %s)", "ttbt"},
		{"b", "(flatten([[%s], [%s, %s]])[2] > %s)", "tttt"}, {"b", "(join(\",\", [%s, %s]) == \"a,b\")", "ss"},
		{"b", "(jsonencode([%s]) == jsonencode([%s]))", "tt"}, {"b", "([for i in [%s, %s] : i * 2][0] == %s)", "ttt"},
		{"n", "(%s + %s)", "nn"}, {"n", "length([%s])", "t"}, {"n", "(%s ? %s : %s)", "bnn"}, {"n", "-%s", "n"}, {"n", "max(%s, %s)", "nn"},
		{"t", "(%s - %s)", "tt"}, {"t", "(%s + %s)", "tn"}, {"t", "abs(%s - %s)", "tt"}, {"t", "max(%s, %s)", "tt"}, {"t", "min(%s, %s)", "tt"},
		{"t", "floor(%s)", "t"}, {"t", "ceil(%s)", "t"}, {"t", "(%s * 2)", "t"}, {"t", "(%s / 2)", "t"}, {"t", "(%s / %s)", "tt"},
		{"t", "(%s %% 2)", "t"}, {"t", "sum([%s, %s])", "tt"}, {"t", "(%s ? %s : %s)", "btt"}, {"t", "-%s", "t"}, {"t", "(%s * %s)", "tt"},
		{"s", "(%s ? %s : %s)", "bss"}, {"s", "\"${%s}\"", "s"}, {"s", "lower(%s)", "s"},
	}
)

// grow makes a random expression of a kind.
func grow(rnd *rand.Rand, forms []form, kind byte, depth int) *node {
	var fit []form
	for _, f := range forms {
		if f.kind[0] == kind {
			fit = append(fit, f)
		}
	}
	if depth == 0 || len(fit) == 0 || rnd.IntN(6) == 0 {
		switch names := atoms[kind]; {
		case kind == 'b' && rnd.IntN(8) == 0:
			return &node{kind: kind, text: []string{"true", "false"}[rnd.IntN(2)]}
		case kind == 'n' && rnd.IntN(3) == 0:
			return &node{kind: kind, text: fmt.Sprint(rnd.IntN(3))}
		default:
			return &node{kind: kind, text: "k." + names[rnd.IntN(len(names))]}
		}
	}
	f := fit[rnd.IntN(len(fit))]
	n := &node{kind: kind, text: f.text}
	for i := range len(f.parts) {
		n.parts = append(n.parts, grow(rnd, forms, f.parts[i], depth-1))
	}
	return n
}

// shrink makes an expression as small as it gets while it still fails.
func shrink(n *node, fails func(*node) bool) *node {
	for _, smaller := range reductions(n) {
		if fails(smaller) {
			return shrink(smaller, fails)
		}
	}
	return n
}

// reductions are expressions a little smaller than n: one of its parts in its
// place, or one part made smaller.
func reductions(n *node) []*node {
	var all []*node
	for _, p := range n.parts {
		if p.kind == n.kind {
			all = append(all, p)
		}
	}
	if len(n.parts) > 0 && n.kind == 'b' {
		all = append(all, &node{kind: 'b', text: "true"}, &node{kind: 'b', text: "false"})
	}
	for i, p := range n.parts {
		for _, r := range reductions(p) {
			parts := append([]*node(nil), n.parts...)
			parts[i] = r
			all = append(all, &node{kind: n.kind, text: n.text, parts: parts})
		}
	}
	return all
}

// prover evaluates expressions in worlds.
type prover struct{ shared *Shared }

func newProver() prover { return prover{NewShared(nil, "")} }

// truthIn is the truth of an expression in a world: "true", "false",
// "unknown" or "error".
func (p prover) truthIn(t testing.TB, w world, src string) string {
	expr, diags := ParseExpression([]byte(src), "test.hcl")
	if diags.HasErrors() {
		t.Fatalf("%s: %s", src, diags)
	}
	v, diags := w.scope(p.shared).Eval(expr)
	if diags.HasErrors() {
		return "error"
	}
	l, err := Truth(v)
	if err != nil {
		return "error"
	}
	return map[Logic]string{True: "true", False: "false", Undecided: "unknown"}[l]
}

// unsound says how the truth that an expression has in a world contradicts
// what the world may turn out to be; empty if it does not.
func (p prover) unsound(t testing.TB, n *node, w world, seed uint64) string {
	src := n.String()
	was := p.truthIn(t, w, src)
	if again := p.truthIn(t, w, src); again != was {
		return fmt.Sprintf("is %s, and then %s", was, again)
	}
	if was == "unknown" {
		return ""
	}
	rnd := rand.New(rand.NewPCG(seed, 7))
	catches := strings.Contains(src, "can(") || strings.Contains(src, "try(")
	for i := range 6 {
		if catches && (i >= 4 || mayBreak(src)) {
			break // they tell what breaks from what does not
		}
		full := w.completed(rnd, i >= 4)
		is := p.truthIn(t, full, src)
		if is != was && !(is == "error" && (i >= 4 || mayBreak(src))) {
			return fmt.Sprintf("is %s, but %s where %s", was, is, full)
		}
	}
	return ""
}

// mayBreak says whether an expression may turn out to be a mistake only where
// more is known, which does not contradict that one side of it decided.
func mayBreak(src string) bool {
	for _, partial := range []string{"index(", "one(", "/", "%"} {
		if strings.Contains(src, partial) {
			return true
		}
	}
	return false
}

// checkSound makes an expression and a world of a seed and holds them to what
// is promised.
func (p prover) checkSound(t testing.TB, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	n, w := grow(rnd, append(append([]form(nil), plain...), rich...), 'b', 1+rnd.IntN(3)), newWorld(rnd)
	if p.unsound(t, n, w, seed) == "" {
		return
	}
	n = shrink(n, func(n *node) bool { return p.unsound(t, n, w, seed) != "" })
	t.Fatalf("seed %d: %s\nwhere %s\n%s", seed, n, w, p.unsound(t, n, w, seed))
}

// TestTruthIsSound checks that a result from partial knowledge stays valid,
// whatever the rest turns out to be: a truth, and also a mistake.
func TestTruthIsSound(t *testing.T) {
	p := newProver()
	for seed := range uint64(4000) {
		p.checkSound(t, seed)
	}
}

func FuzzTruthIsSound(f *testing.F) {
	p := newProver()
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { p.checkSound(t, seed) })
}
