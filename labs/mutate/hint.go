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
	{regexp.MustCompile(`\btarget\.|\bvar\.|\bmatrix\.`), "Part of its condition depends on the cluster or on a variable alone: is anything that was observed needed to make it true?"},
	{regexp.MustCompile(`\|\||\banytrue\(|\btry\(|\bcan\(`), "Its condition has several ways to be true: state the one that is meant."},
	{regexp.MustCompile(`[<>]`), "Its bound may be far from what was seen: compare with what another cluster shows, or use ordered()."},
	{regexp.MustCompile(`!=|!`), "It says what is not so: that is also true of a run in which nothing happened. State what is so instead."},
	{regexp.MustCompile(`\bobject\(`), "It reads an object that no change of the recording concerns."},
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
