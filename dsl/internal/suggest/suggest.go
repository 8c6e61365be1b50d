// Package suggest finds the name that an author probably meant.
package suggest

import (
	"fmt"
	"sort"
	"strings"
)

// Name returns the name that is nearest to given, or "" if none is near. A near
// name is at most two edits away, and at most half of it changed. Case does not
// count, and two exchanged letters are one edit. If two names are equally near,
// Name prefers the one with the longer common beginning and end, then the one
// that sorts first.
func Name(given string, names []string) string {
	sorted := append([]string(nil), names...)
	sort.Strings(sorted)
	given = strings.ToLower(given)
	best, bestDistance, bestEnds := "", 3, 0
	for _, name := range sorted {
		lower := strings.ToLower(name)
		d, e := distance(given, lower), ends(given, lower)
		if 2*d <= len(name) && (d < bestDistance || d == bestDistance && d < 3 && e > bestEnds) {
			best, bestDistance, bestEnds = name, d, e
		}
	}
	return best
}

// ends is the length of the common beginning and end of a and b.
func ends(a, b string) int {
	n := min(len(a), len(b))
	head, tail := 0, 0
	for head < n && a[head] == b[head] {
		head++
	}
	for tail < n-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head + tail
}

// Sentence returns ` Did you mean "x"?` for the name that Name finds, with the
// leading space, or "".
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

// distance is the number of edits that turn a into b: a rune inserted, deleted or
// replaced, or two neighbours exchanged.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	if len(from) > 100 || len(to) > 100 {
		return len(from) + len(to)
	}
	rows := make([][]int, len(from)+1)
	for i := range rows {
		rows[i] = make([]int, len(to)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(from); i++ {
		for j := 1; j <= len(to); j++ {
			d := rows[i-1][j-1]
			if from[i-1] != to[j-1] {
				d = 1 + min(d, rows[i-1][j], rows[i][j-1])
				if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
					d = min(d, 1+rows[i-2][j-2])
				}
			}
			rows[i][j] = d
		}
	}
	return rows[len(from)][len(to)]
}

// Or returns names, sorted, as a phrase: "a, b or c". It is "" for none.
func Or(names []string) string {
	sorted := append([]string(nil), names...)
	sort.Strings(sorted)
	if n := len(sorted); n > 1 {
		return strings.Join(sorted[:n-1], ", ") + " or " + sorted[n-1]
	}
	return strings.Join(sorted, "")
}

// Quoted returns names in quotes.
func Quoted(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = `"` + name + `"`
	}
	return out
}

// Capital returns the text with a capital first letter.
func Capital(text string) string {
	if text != "" && text[0] >= 'a' && text[0] <= 'z' {
		return strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}
