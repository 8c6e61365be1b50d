package html

import (
	"strings"
	"unicode/utf8"

	"github.com/kind-lab/lab/labs/report/layout"
)

// longestLine bounds what is shown of one line, in bytes; a cut line says so.
const longestLine = 4096

// line is one line of text that may be shown: without control sequences and
// characters, and no longer than longestLine. The second value says that
// something was cut off.
func line(text string) (string, bool) {
	const room = 16 * longestLine // for what the cleaning takes away
	cut := len(text) > room
	if cut {
		text = text[:room]
	}
	text = layout.Clean(strings.ReplaceAll(text, "\t", "    "))
	if len(text) <= longestLine {
		return text, cut
	}
	end := longestLine
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end], true
}

// show is a text of any number of lines that may be shown.
func show(text string) string {
	if !strings.ContainsAny(text, "\r\n") {
		return showLine(text)
	}
	all := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, one := range all {
		all[i] = showLine(one)
	}
	return strings.Join(all, "\n")
}

func showLine(text string) string {
	text, cut := line(text)
	if cut {
		text += " … (cut)"
	}
	return text
}

// clean is a decoded JSON value whose texts may all be shown.
func clean(value any) any {
	switch v := value.(type) {
	case string:
		return show(v)
	case []any:
		for i := range v {
			v[i] = clean(v[i])
		}
	case map[string]any:
		for key, inner := range v {
			v[key] = clean(inner)
		}
	}
	return value
}
