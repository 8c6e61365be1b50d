package layout

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Width is the number of columns that clean text takes.
func Width(text string) int { return ansi.StringWidth(text) }

// LongestName is how many columns the name of a cluster or a pod takes at most
// in a line or a table with others.
const LongestName = 24

// Wrap breaks clean text into lines of at most so many columns: at spaces, and
// within a word only where it is longer than a line.
func Wrap(text string, columns int) []string {
	columns = max(1, columns)
	if Width(text) <= columns {
		return []string{text}
	}
	var out []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line != "" && Width(line)+1+Width(word) <= columns:
			line += " " + word
			continue
		case line != "":
			out = append(out, line)
		}
		for len(word) > columns && Width(beginOf(word, columns)) > columns {
			head := breakWord(beginOf(word, columns), columns)
			out = append(out, head)
			word = word[len(head):]
		}
		line = word
	}
	return append(out, line)
}

// beginOf is so much of a word, which may be very long, that it has more columns
// than are asked for where the word does.
func beginOf(word string, columns int) string {
	end := 8 * columns
	if len(word) <= end {
		return word
	}
	for !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end]
}

// breakWord is the beginning of a word that fits: up to a separator in its
// latter half where there is one. It is never empty.
func breakWord(word string, columns int) string {
	head := ansi.Truncate(word, columns, "")
	if head == "" {
		_, size := utf8.DecodeRuneInString(word)
		return word[:size]
	}
	if i := strings.LastIndexAny(head, "/-_.,="); i > len(head)/2 {
		return head[:i+1]
	}
	return head
}

// Cut shortens clean text at its end.
func (s Style) Cut(text string, columns int) string {
	if Width(text) <= columns {
		return text
	}
	return ansi.Truncate(text, max(1, columns), s.Sign("…", "~"))
}

// CutMiddle shortens a clean name in its middle, since names differ at their
// ends.
func (s Style) CutMiddle(name string, columns int) string {
	w := Width(name)
	if w <= columns || columns < 4 {
		return s.Cut(name, columns)
	}
	sign := s.Sign("…", "~")
	head := ansi.Cut(name, 0, (columns-1)/2)
	room := columns - 1 - Width(head)
	tail := ansi.Cut(name, w-room, w)
	if Width(tail) > room { // it begins with the second half of a wide letter
		tail = ansi.Cut(name, w-room+1, w)
	}
	return head + sign + tail
}

// Pad fills clean text with spaces up to so many columns.
func Pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-Width(text)))
}

// PadLeft puts spaces before clean text, up to so many columns.
func PadLeft(text string, columns int) string {
	return strings.Repeat(" ", max(0, columns-Width(text))) + text
}
