package layout

import (
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Clean is one line of text without what a terminal would obey rather than
// show: control sequences and characters, and what turns the direction of
// writing. A tab or a line's end within it becomes a space.
func Clean(text string) string {
	if printable(text) {
		return text
	}
	text = strings.ToValidUTF8(ansi.Strip(text), "\uFFFD")
	return strings.Map(printed, text)
}

// CleanLines is Clean for text of several lines: it keeps tabs and line ends.
func CleanLines(text string) string {
	if printable(text, '\t', '\n') {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ToValidUTF8(ansi.Strip(text), "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' {
			return r
		}
		return printed(r)
	}, text)
}

// Lines are the lines of a text, each as Clean has it, without empty ones at
// the text's end.
func Lines(text string) []string {
	text = strings.TrimRight(text, "\r\n\t ")
	if text == "" {
		return nil
	}
	all := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range all {
		all[i] = strings.TrimRight(Clean(line), " ")
	}
	return all
}

// Block is the Lines of a text as one text.
func Block(text string) string { return strings.Join(Lines(text), "\n") }

// printed is a rune as it is written in a line: what breaks lines is a space,
// and what controls a terminal is left out.
func printed(r rune) rune {
	switch {
	case r == '\t' || r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
		return ' '
	case r == '\u200c' || r == '\u200d': // parts of letters and of emoji
		return r
	case unicode.IsControl(r) || unicode.In(r, unicode.Cf):
		return -1
	}
	return r
}

// printable says that a text holds only what ASCII prints, and these.
func printable(text string, also ...byte) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && !slices.Contains(also, c) {
			return false
		}
	}
	return true
}
