package value

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// simple is the truth of a plain expression by Kleene's tables and, for times,
// by the rule of the language: less apart than they are known is unknown.
func simple(n *node, w world) string {
	if len(n.parts) == 0 {
		if n.text == "true" || n.text == "false" {
			return n.text
		}
		a := w[strings.TrimPrefix(n.text, "k.")]
		if a.known == "not" {
			return "unknown"
		}
		return fmt.Sprint(a.is == 1)
	}
	if n.parts[0].kind != 'b' {
		return simpleComparison(n, w)
	}
	not := map[string]string{"true": "false", "false": "true", "unknown": "unknown"}
	a := simple(n.parts[0], w)
	if len(n.parts) == 1 {
		return not[a]
	}
	b := simple(n.parts[1], w)
	or := strings.Contains(n.text, "||")
	if or {
		a, b = not[a], not[b]
	}
	and := "true"
	switch {
	case a == "false" || b == "false":
		and = "false"
	case a == "unknown" || b == "unknown":
		and = "unknown"
	}
	if or {
		return not[and]
	}
	return and
}

func simpleComparison(n *node, w world) string {
	var is [2]int
	coarse := 0
	for i, p := range n.parts {
		a, ok := w[strings.TrimPrefix(p.text, "k.")]
		if !ok {
			a = atom{known: "finely", is: int(p.text[0] - '0')}
		}
		switch a.known {
		case "not":
			return "unknown"
		case "to the second":
			coarse = 4
		}
		is[i] = a.is
	}
	d := is[0] - is[1]
	if max(d, -d) < coarse {
		return "unknown"
	}
	switch op := strings.Fields(n.text)[1]; op {
	case "==":
		return fmt.Sprint(d == 0)
	case "!=":
		return fmt.Sprint(d != 0)
	case "<":
		return fmt.Sprint(d < 0)
	case "<=":
		return fmt.Sprint(d <= 0)
	case ">":
		return fmt.Sprint(d > 0)
	default:
		return fmt.Sprint(d >= 0)
	}
}

// TestTruthIsComplete holds that logic and comparisons tell as much as Kleene's
// tables do.
func TestTruthIsComplete(t *testing.T) {
	p, told := newProver(), map[string]int{}
	for seed := range uint64(4000) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		n, w := grow(rnd, plain, 'b', 1+rnd.IntN(4)), newWorld(rnd)
		differs := func(n *node) bool { return p.truthIn(t, w, n.String()) != simple(n, w) }
		if differs(n) {
			n = shrink(n, differs)
			t.Fatalf("seed %d: %s is %s, want %s\nwhere %s", seed, n, p.truthIn(t, w, n.String()), simple(n, w), w)
		}
		told[simple(n, w)]++
	}
	for _, truth := range []string{"true", "false", "unknown"} {
		if told[truth] < 400 {
			t.Errorf("only %d of 4000 are %s: the worlds do not try it", told[truth], truth)
		}
	}
}
