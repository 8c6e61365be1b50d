// Package suggest finds the name that somebody probably meant.
package suggest

import (
	"fmt"
	"sort"
	"strings"
)

// Name returns the one of names that is nearest to given, or "" where none is
// near: at most two edits away, and no more than half of it changed. Upper and
// lower case are the same here. Where two are as near, the one that sorts
// first is it.
func Name(given string, names []string) string {
	sorted := append([]string(nil), names...)
	sort.Strings(sorted)
	best, bestDistance := "", 3
	for _, name := range sorted {
		if d := distance(strings.ToLower(given), strings.ToLower(name)); d < bestDistance && 2*d <= len(name) {
			best, bestDistance = name, d
		}
	}
	return best
}

// Sentence returns ` Did you mean "x"?` for the name that Name finds, with the
// space before it, or "".
func Sentence(given string, names []string) string {
	if name := Name(given, names); name != "" {
		return fmt.Sprintf(" Did you mean %q?", name)
	}
	return ""
}

// List returns names, sorted and quoted, as a phrase: `"a", "b" and "c"`. It is
// "" for none.
func List(names []string) string {
	quoted := make([]string, 0, len(names))
	for _, name := range names {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	sort.Strings(quoted)
	if n := len(quoted); n > 1 {
		return strings.Join(quoted[:n-1], ", ") + " and " + quoted[n-1]
	}
	return strings.Join(quoted, "")
}

// distance is the number of runes to insert, delete or replace to make b of a.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	if len(from) > 100 || len(to) > 100 {
		return len(from) + len(to)
	}
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range to {
			cost := diagonal
			if r != s {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(to)]
}
