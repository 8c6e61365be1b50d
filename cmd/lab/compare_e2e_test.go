//go:build e2e

package main

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kind-lab/lab/labs/report/compare"
)

// TestCompareOnRealClusters compares how 1.28 and 1.29 end a pod of three
// sidecars that take 5 s each: together, and one after another in the reverse
// order of their starts.
func TestCompareOnRealClusters(t *testing.T) {
	t.Parallel()
	dir, scenario := t.TempDir(), inTestdata(t, "compare")
	lab := func(args ...string) string {
		t.Helper()
		out, code := labIn(t, dir, args...)
		if code != exitPass {
			t.Errorf("lab %s: exit code %d, want %d", strings.Join(args, " "), code, exitPass)
		}
		return out
	}
	text := lab("compare", "--no-logs", scenario, "--kubernetes", "1.28+SidecarContainers,1.29")
	t.Logf("\n%s", text)
	for _, want := range []string{
		`order of ends in stopping +v128_on +main → a, b, c together \(within \d\.\d\d s\)`,
		`v129 +one after another: main → c → b → a`,
		`sidecars in the\s+reverse order of their starts`,
		`they end one after another +v128_on +✓ false`,
	} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("the comparison has no %q", want)
		}
	}
	var c compare.Comparison
	if err := json.Unmarshal([]byte(lab("compare", "--format", "json", "last")), &c); err != nil {
		t.Fatal(err)
	}
	spans := map[string]float64{}
	var err error
	for _, d := range c.Parts[0].Differences {
		for _, g := range d.Groups {
			if d.Kind == compare.KindSpan {
				seconds, _, _ := strings.Cut(g.Text, " ")
				if spans[g.Sides[0]], err = strconv.ParseFloat(seconds, 64); err != nil {
					t.Errorf("%q: %v", g.Text, err)
				}
			}
		}
	}
	if on, v129 := spans["v128_on"], spans["v129"]; on < 4.9 || on > 10 || v129 < 14.9 || v129 > 25 {
		t.Errorf("from the first end to the last: %v; want about 5 s and 15 s", spans)
	}
}
