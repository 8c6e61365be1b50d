package markdown

import (
	"html"
	"regexp"
	"strings"

	"github.com/kind-lab/lab/labs/report/layout"
)

// fenced is a block of text as it is: its fence is longer than any in it.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "text\n" + strings.TrimRight(text, "\n") + "\n" + fence
}

// special are the characters that mean something somewhere in Markdown.
const special = "\\`*_{}[]()#+-.!|~$:=^\"'"

// inline is one line of text as Markdown that shows it: every character that
// could mean something is escaped, also what would make a link, a reference or
// call a name.
func inline(text string) string {
	text = strings.Join(strings.Fields(layout.Clean(text)), " ")
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '<' || r == '>' || r == '&':
			b.WriteString(html.EscapeString(string(r)))
		case strings.ContainsRune("-.:'\"()!=+", r) && strings.Trim(text[:i], "0123456789") != "":
			b.WriteRune(r) // it means something at a line's begin alone, or behind what is escaped
		case strings.ContainsRune(special, r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return uncalled(b.String())
}

// folded is one line of clean text as the title of a fold, which is HTML.
func folded(text string) string { return html.EscapeString(uncalled(text)) }

// emoji is a name between colons, for which GitHub shows a picture, escaped or not.
// Minutes between hours and seconds are none.
var emoji = regexp.MustCompile(`:((?:[a-z0-9_+\\-]*[a-z_+\\-][a-z0-9_+\\-]*|[0-9]{3,}):)`)

// uncalled puts what is not seen behind the characters with which GitHub finds
// people, issues, addresses and pictures.
func uncalled(text string) string {
	for range 2 { // the colon at the end of one may begin another
		text = emoji.ReplaceAllString(text, ":\u2060$1")
	}
	return strings.NewReplacer("@", "@\u2060", "#", "#\u2060", "://", ":\u2060//", "www.", "www\u2060.").Replace(text)
}
