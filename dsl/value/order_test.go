package value

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
)

// opens are the ways in which a time can be open: exact, cut to the second,
// heard of late, and by far less than the resolution.
func opens() []fuzz {
	return []fuzz{{}, {above: 1}, {below: 1}, {above: 0.5, below: 0.25}, {above: 1e-10}, {below: 1e-12, above: 1e-12}}
}

// TestOrderIsTheOppositeTheOtherWayRound compares numbers in both directions:
// what is reported of one must be reported of the other.
func TestOrderIsTheOppositeTheOtherWayRound(t *testing.T) {
	numbers := []float64{-1e9, -1, -0.5, 0, 1e-12, 1e-10, 0.25, 0.5, 1, 1.0000000001, 2, 1e9}
	for _, f := range opens() {
		for _, g := range opens() {
			for _, x := range numbers {
				for _, y := range numbers {
					a, b := cty.NumberFloatVal(x), cty.NumberFloatVal(y)
					c, certain := order(a, f, b, g)
					d, certainToo := order(b, g, a, f)
					if certain != certainToo || certain && c != -d {
						t.Errorf("%g %v and %g %v: %d %t, the other way round %d %t", x, f, y, g, c, certain, d, certainToo)
					}
				}
			}
		}
	}
}

// TestWhatIsOpenIsNotInOrderWithItself is about times after arithmetic that
// leaves less open than is reported apart.
func TestWhatIsOpenIsNotInOrderWithItself(t *testing.T) {
	const at = `pod.api.container["a"].started_at`
	for _, scale := range []string{"1", "1000", "1e9", "1e12"} {
		for _, op := range []string{"==", "!=", "<", "<=", ">", ">="} {
			src := fmt.Sprintf("%s / %s %s %s / %s", at, scale, op, at, scale)
			v, diags := observedScope().Eval(parse(t, src))
			if diags.HasErrors() || v.IsKnown() {
				t.Errorf("%s is %s (%v), want what is not known", src, Format(v), diags)
			}
		}
	}
}

// randomTime is a time that may be unknown, null or open.
func randomTime(rnd *rand.Rand) Opt[Time] {
	switch rnd.IntN(6) {
	case 0:
		return Opt[Time]{}
	case 1:
		return None[Time]()
	}
	at := Time{Seconds: float64(rnd.IntN(24)) / 4, Precision: 1, Late: rnd.IntN(3) == 0}
	if rnd.IntN(2) == 0 {
		at.Precision = time.Second
	}
	return Some(at)
}

// TestComparisonsAgree holds what the six comparisons tell of the same two
// times against each other.
func TestComparisonsAgree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 1))
	opposite := map[string]string{"==": "!=", "<": ">=", "<=": ">"}
	mirrored := map[string]string{"==": "==", "!=": "!=", "<": ">", "<=": ">="}
	shared := NewShared(nil, "")
	truth := func(scope *Scope, src string) Logic {
		v, diags := scope.Eval(parse(t, src))
		l, err := Truth(v)
		if diags.HasErrors() || err != nil {
			t.Fatalf("%s: %v, %v", src, diags, err)
		}
		return l
	}
	for range 300 {
		a, b := optTime(randomTime(rnd)), optTime(randomTime(rnd))
		scope := &Scope{Shared: shared, Extra: map[string]cty.Value{"a": a, "b": b}}
		for op, other := range opposite {
			is, not := truth(scope, "a "+op+" b"), truth(scope, "!(a "+other+" b)")
			if is != not {
				t.Errorf("a %s b is %s, !(a %s b) is %s where a = %#v, b = %#v", op, is, other, not, a, b)
			}
		}
		for op, other := range mirrored {
			one, two := truth(scope, "a "+op+" b"), truth(scope, "b "+other+" a")
			if one != two {
				t.Errorf("a %s b is %s, b %s a is %s where a = %#v, b = %#v", op, one, other, two, a, b)
			}
		}
		if one, two := truth(scope, "a < b"), truth(scope, "ordered([a, b])"); one != two {
			t.Errorf("a < b is %s, ordered([a, b]) is %s where a = %#v, b = %#v", one, two, a, b)
		}
	}
}

// randomContainer is a container of which the times may be known or not.
func randomContainer(rnd *rand.Rand, name string) *Container {
	c := &Container{Name: name, StartedAt: randomTime(rnd), FinishedAt: randomTime(rnd)}
	if rnd.IntN(3) == 0 {
		c.State = Some([]string{"running", "terminated", "waiting"}[rnd.IntN(3)])
	}
	for range rnd.IntN(3) {
		c.Runs = append(c.Runs, ContainerRun{StartedAt: randomTime(rnd), FinishedAt: randomTime(rnd)})
	}
	if rnd.IntN(4) == 0 {
		c.RunsLack = "the watch broke off"
	}
	return c
}

// TestOverlapsIsSymmetric asks whether two containers ran at the same time in
// both ways.
func TestOverlapsIsSymmetric(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 1))
	ab := parse(t, `overlaps(pod.x.container["a"], pod.x.container["b"])`)
	ba := parse(t, `overlaps(pod.x.container["b"], pod.x.container["a"])`)
	shared, told := NewShared(nil, ""), map[string]int{}
	for range 500 {
		pod := &Pod{Name: "x", Containers: []*Container{randomContainer(rnd, "a"), randomContainer(rnd, "b")}}
		scope := &Scope{Shared: shared, Pods: map[string]*Pod{"x": pod}}
		one, diags := scope.Find(ab)
		two, diagsToo := scope.Find(ba)
		if diags.HasErrors() || diagsToo.HasErrors() {
			t.Fatal(diags, diagsToo)
		}
		if !one.Value.RawEquals(two.Value) || one.Imprecise != two.Imprecise {
			t.Errorf("%#v, the other way round %#v where %+v %+v", one.Value, two.Value, pod.Containers[0], pod.Containers[1])
		}
		told[Format(one.Value)]++
	}
	for _, truth := range []string{"true", "false", NotObserved} {
		if told[truth] < 20 {
			t.Errorf("only %d of 500 are %s: the containers do not try it", told[truth], truth)
		}
	}
}

func TestTimeValues(t *testing.T) {
	for _, tt := range []struct {
		name  string
		at    Time
		want  string
		below float64
		above float64
	}{
		{"to the nanosecond", Time{Seconds: 1.000000001, Precision: 1}, "1.000000001", 0, 0},
		{"without a precision", Time{Seconds: -2.5}, "-2.5", 0, 0},
		{"cut to the second", Time{Seconds: 3, Precision: time.Second}, "3", 0, 1},
		{"heard of late", Time{Seconds: 3, Precision: 250 * time.Millisecond, Late: true}, "3", 0.25, 0},
		{"finer than a nanosecond", Time{Seconds: 1.0000000004}, "1", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := timeValue(tt.at)
			if f := fuzzOf(v); Format(v) != tt.want || f != (fuzz{tt.below, tt.above}) {
				t.Errorf("is %s, open by %v; want %s, %v", Format(v), f, tt.want, fuzz{tt.below, tt.above})
			}
		})
	}
}
