package mutate

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
)

// TestPastAnother moves an end past what the other containers of the pod do: of
// lines past those that a condition looks for.
func TestPastAnother(t *testing.T) {
	p := newPlace()
	pattern := "^works$"
	p.readings = map[*dsl.Step]reading{{}: {
		reads:    []value.Read{{Stream: value.LogStream, Name: "batch-x1", Container: "app", Pattern: pattern}},
		patterns: map[string]*regexp.Regexp{pattern: regexp.MustCompile(pattern)},
	}}
	texts := func(kind, begins string) (found []string) {
		for _, c := range kindOf(t, kind).candidates(p) {
			if rest, is := strings.CutPrefix(c.text, begins); is && strings.Contains(rest, ", just ") {
				found = append(found, rest)
			}
		}
		return found
	}
	if got, want := texts(KindEndMoved, "batch-x1/helper ends "), []string{
		"2.0 s later, just after batch-x1/proxy ends", "4.0 s sooner, just before batch-x1/app ends", `11.0 s sooner, just before batch-x1/app writes "works"`,
	}; !slices.Equal(got, want) {
		t.Errorf("ends past %q\nwant %q", got, want)
	}
	if got, want := texts(KindStartMoved, "batch-x1/helper starts "), []string{
		"1.5 s sooner, just before batch-x1/proxy starts, and everything in it moves too",
		"13.5 s later, just after batch-x1/proxy ends, and everything in it moves too",
		"0.5 s sooner, just before batch-x1/app starts, and everything in it moves too",
		"7.5 s later, just after batch-x1/app ends, and everything in it moves too",
		`0.5 s later, just after batch-x1/app writes "works", and everything in it moves too`,
	}; !slices.Equal(got, want) {
		t.Errorf("starts past %q\nwant %q", got, want)
	}
	if got := texts(KindLineMoved, `batch-x1/app writes "works" `); len(got) != 4 {
		t.Errorf("the line is moved past %q", got)
	}
	if got := texts(KindLineMoved, `batch-x1/proxy writes "serves" `); len(got) != 0 {
		t.Errorf("a line of which nothing speaks is moved past %q", got)
	}
}
