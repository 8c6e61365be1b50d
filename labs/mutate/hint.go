package mutate

import (
	"regexp"
)

// hints are what may be the reason that a condition survives, by what it looks
// like; the first that matches is given.
var hints = []struct {
	like *regexp.Regexp
	text string
}{
	{regexp.MustCompile(`\btarget\.|\bvar\.|\bmatrix\.`), "Part of its condition depends only on the cluster or on a variable: does the condition need an observation to be true?"},
	{regexp.MustCompile(`\|\||\banytrue\(|\btry\(|\bcan\(`), "Its condition can be true in several ways: state the intended one."},
	{regexp.MustCompile(`<|(^|[^=])>`), "Its bound may be far from the observed value: compare with the value on another cluster, or use ordered()."},
	{regexp.MustCompile(`!=|!`), "It states what does not happen, which is also true of a run in which nothing happens. State what happens instead."},
	{regexp.MustCompile(`\bobject\(`), "It reads an object that no change affects."},
}

const noHint = "No change to what it reads made it false: does it follow from an expectation before it, or does it read what never changes?"

// hintOf says what may be the reason that an expectation survives.
func hintOf(scenario string, e *Expectation, subjects []*subject) string {
	for _, s := range subjects {
		if s.judging.Run().Scenario != scenario {
			continue
		}
		for _, st := range s.judging.Scenario().Steps {
			if st.Verb != e.Verb || st.Name != e.Name {
				continue
			}
			return hintFor(sourceOf(s.judging.Files(), conditionOf(st)))
		}
	}
	return noHint
}

func hintFor(condition string) string {
	for _, h := range hints {
		if h.like.MatchString(condition) {
			return h.text
		}
	}
	return noHint
}
