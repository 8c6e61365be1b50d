package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/kind-lab/lab/labs/expect"
)

// Style says how text is written.
type Style struct {
	// Color allows ANSI colours; nothing is told by them alone.
	Color bool
	// Width is the number of columns to stay within; 0 means 100, and less
	// than 60 means 60.
	Width int
	// ASCII writes marks, arrows and lines with ASCII characters only. Names
	// and texts of others stay as they are.
	ASCII bool
}

const (
	defaultWidth = 100
	leastWidth   = 60
)

// width is the number of columns to stay within.
func (s Style) width() int {
	if s.Width == 0 {
		return defaultWidth
	}
	return max(leastWidth, s.Width)
}

// SGR sequences; dim is bright black, which more terminals show than faint.
const (
	sgrReset  = "\x1b[0m"
	sgrBold   = "\x1b[1m"
	sgrRed    = "\x1b[31m"
	sgrGreen  = "\x1b[32m"
	sgrYellow = "\x1b[33m"
	sgrCyan   = "\x1b[36m"
	sgrDim    = "\x1b[90m"
)

func (s Style) paint(sgr, text string) string {
	if !s.Color || sgr == "" || text == "" {
		return text
	}
	return sgr + text + sgrReset
}

// mark is the sign of a status.
func (s Style) mark(status expect.Status) string {
	signs := [...]string{"…", "–", "✓", "✗", "!"}
	if s.ASCII {
		signs = [...]string{".", "-", "+", "x", "!"}
	}
	if status < 0 || int(status) >= len(signs) {
		return "?"
	}
	return signs[status]
}

func statusColor(status expect.Status) string {
	switch status {
	case expect.Pass:
		return sgrGreen
	case expect.Fail:
		return sgrRed
	case expect.Error:
		return sgrYellow
	}
	return sgrDim
}

func (s Style) arrow() string { return s.sign(" → ", " -> ") }

func (s Style) sign(sign, ascii string) string {
	if s.ASCII {
		return ascii
	}
	return sign
}

// width is the number of columns that clean text takes.
func width(text string) int { return ansi.StringWidth(text) }

// clean is one line of text without what a terminal would obey rather than
// show: control sequences and characters, and what turns the direction of
// writing. A tab or a line's end within it becomes a space.
func clean(text string) string {
	if plain(text) {
		return text
	}
	text = strings.ToValidUTF8(ansi.Strip(text), "\uFFFD")
	return strings.Map(printed, text)
}

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

func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// lines are the lines of a text, clean, without empty ones at its end.
func lines(text string) []string {
	text = strings.TrimRight(text, "\r\n\t ")
	if text == "" {
		return nil
	}
	all := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range all {
		all[i] = strings.TrimRight(clean(line), " ")
	}
	return all
}

// wrap breaks clean text into lines of at most so many columns: at spaces, and
// within a word only where it is longer than a line.
func wrap(text string, columns int) []string {
	columns = max(1, columns)
	if width(text) <= columns {
		return []string{text}
	}
	var out []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line != "" && width(line)+1+width(word) <= columns:
			line += " " + word
			continue
		case line != "":
			out = append(out, line)
		}
		for len(word) > columns && width(beginOf(word, columns)) > columns {
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

// cut shortens clean text at its end.
func (s Style) cut(text string, columns int) string {
	if width(text) <= columns {
		return text
	}
	return ansi.Truncate(text, max(1, columns), s.sign("…", "~"))
}

// cutMiddle shortens a clean name in its middle, since names differ at their
// ends.
func (s Style) cutMiddle(name string, columns int) string {
	w := width(name)
	if w <= columns || columns < 4 {
		return s.cut(name, columns)
	}
	head := (columns - 1) / 2
	tail := columns - 1 - head
	return ansi.Cut(name, 0, head) + s.sign("…", "~") + ansi.Cut(name, w-tail, w)
}

// pad fills clean text with spaces up to so many columns.
func pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-width(text)))
}

func padLeft(text string, columns int) string {
	return strings.Repeat(" ", max(0, columns-width(text))) + text
}
