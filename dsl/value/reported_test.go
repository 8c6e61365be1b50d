package value

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
)

// TestWhatIsToldOfADifference has the key words of what is reported of each
// comparison: the values that decided.
func TestWhatIsToldOfADifference(t *testing.T) {
	const a, b, main = `pod.api.container["a"]`, `pod.api.container["b"]`, `pod.myapp-x1.container["main"]`
	for _, tt := range []struct {
		name, expr string
		want       []string // none: nothing is reported
	}{
		{"a plain comparison shows by itself", main + `.exit_code == 1`, nil},
		{"a sum", main + `.restarts + 1 == 3`, []string{"2"}},
		{"two equal times", main + `.started_at < ` + main + `.started_at`, []string{"both", "3.25"}},
		{"which is less, and by how much", main + `.started_at > ` + main + `.finished_at`, []string{"3.25", "5.25", "less", "8.5"}},
		{"which is greater", main + `.finished_at < ` + main + `.started_at`, []string{"8.5", "5.25", "greater", "3.25"}},
		{"times that the API cannot tell apart", a + `.finished_at < ` + b + `.started_at`, []string{"0 s apart", "1s"}},
		{"a difference of such times", `0 < ` + b + `.started_at - ` + a + `.finished_at`, []string{"0 s apart"}},
		{"the computed side on the left", `lower(pod.myapp-x1.status) == "ready"`, []string{"left", `"notready"`}},
		{"the computed side on the right", `"ready" == lower(pod.myapp-x1.status)`, []string{"right", `"notready"`}},
		{"lists", `pod.myapp-x1.statuses == ["Init:0/1"]`, []string{"1 more", `"NotReady"`}},
		{"long texts", `"` + strings.Repeat("x", 60) + `a" == "` + strings.Repeat("x", 60) + `b"`, []string{"character 61", `"a"`, `"b"`}},
		{"what is not known yet", `lower(pod.other.phase) == "x"`, nil},
		{"null", main + `.signal == 9`, nil},
		{"an order that is wrong", `ordered([1, ` + main + `.finished_at, ` + main + `.started_at])`, []string{"element 2", "8.5", "element 3", "3.25", "5.25 s before"}},
		{"an order of equal times", `ordered([1, 1])`, []string{"element 1", "element 2", "neither"}},
		{"an order that is unknown", `ordered([1, ` + a + `.finished_at, ` + b + `.started_at])`, []string{"element 2", "element 3", "0 s apart"}},
		{"an order that is wrong, with one not known", `ordered([2, pod.other.created_at, 1])`, []string{"element 1", "element 3", "1 s before"}},
		{"an order that is right", `ordered([1, 2])`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			parts := observedScope().Decisive(parse(t, tt.expr))
			if len(parts) != 1 {
				t.Fatalf("%d parts are reported, want 1", len(parts))
			}
			told := parts[0].Difference
			for _, word := range tt.want {
				if !strings.Contains(told, word) {
					t.Errorf("reported %q, want %q in it", told, word)
				}
			}
			if len(tt.want) == 0 && told != "" {
				t.Errorf("reported %q, want nothing", told)
			}
		})
	}
}

// TestDecisivePartsAgreeWithTheWhole evaluates each part by itself: it has the
// truth that is reported, and parts that decide are those of a condition that is
// decided.
func TestDecisivePartsAgreeWithTheWhole(t *testing.T) {
	for _, src := range askedOfPods() {
		expr := parse(t, src)
		s := observedScope()
		f, diags := s.Find(expr)
		whole, err := Truth(f.Value)
		if diags.HasErrors() || err != nil {
			t.Fatal(src, diags, err)
		}
		parts := s.Decisive(expr)
		if len(parts) == 0 || len(parts) > maxParts {
			t.Errorf("%s: %d parts are reported", src, len(parts))
		}
		for _, part := range parts {
			text := src[part.Range.Start.Byte:part.Range.End.Byte]
			if whole == Undecided && part.Is != Undecided {
				t.Errorf("%s is not known yet, and %s is reported, which is %s", src, text, part.Is)
			}
			if strings.Contains(src, "for ") { // names of the loop cannot be evaluated by themselves
				continue
			}
			v, diags := observedScope().Eval(parse(t, text))
			if is, err := Truth(v); diags.HasErrors() || err != nil || is != part.Is {
				t.Errorf("%s: reported that %s is %s, but it is %s (%v)", src, text, part.Is, is, diags)
			}
		}
	}
}

func TestDecisiveIsBounded(t *testing.T) {
	s := observedScope()
	s.ScenarioLocals = map[string]hcl.Expression{"loop": parse(t, `local.loop && true`)}
	many := strings.TrimSuffix(strings.Repeat(`target.minor < 1 || `, 30), " || ")
	if parts := s.Decisive(parse(t, many)); len(parts) != maxParts {
		t.Errorf("%d parts are reported, want %d", len(parts), maxParts)
	}
	deep := strings.Repeat("!(", 200) + "true" + strings.Repeat(")", 200)
	s.Decisive(parse(t, deep))
	if parts := s.Decisive(parse(t, `local.loop`)); parts != nil {
		t.Errorf("a local that refers to itself has parts: %v", parts)
	}
	if parts := s.Decisive(parse(t, `null`)); parts != nil {
		t.Errorf("null has parts: %v", parts)
	}
}
