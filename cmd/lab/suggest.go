package main

import (
	"strings"

	"github.com/agext/levenshtein"
)

// similar returns the name that is most like what was typed, or "" if none is
// within two edits and at most half of it is wrong.
func similar(typed string, names []string) string {
	best, least := "", 3
	for _, name := range names {
		edits := levenshtein.Distance(strings.ToLower(typed), strings.ToLower(name), nil)
		if edits < least && 2*edits <= len(name) {
			best, least = name, edits
		}
	}
	return best
}
