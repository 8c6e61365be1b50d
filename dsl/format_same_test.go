package dsl

import (
	"regexp"
	"strings"
	"testing"
)

// TestFormatMends spoils the blanks of formatted files, each in several ways,
// and wants the file back.
func TestFormatMends(t *testing.T) {
	spoil := map[string]func(string) string{
		"without indentation": func(s string) string { return regexp.MustCompile(`(?m)^ +`).ReplaceAllString(s, "") },
		"deeper":              func(s string) string { return regexp.MustCompile(`(?m)^( *)(\S)`).ReplaceAllString(s, "$1   $2") },
		"with tabs":           func(s string) string { return regexp.MustCompile(`(?m)^ +`).ReplaceAllString(s, "\t") },
		"without alignment":   func(s string) string { return regexp.MustCompile(`(?m)^( *\w+) += `).ReplaceAllString(s, "$1 = ") },
		"too much space": func(s string) string {
			return regexp.MustCompile(`(?m)^( *\w+) += `).ReplaceAllString(s, "$1          =   ")
		},
		"a byte order mark": func(s string) string { return "\xef\xbb\xbf" + s },
		"not at all":        func(s string) string { return s },
	}
	for file, src := range sourcesIn(t, "testdata/valid/*.hcl", "testdata/valid/*/*.hcl") {
		if strings.Contains(src, "<<") {
			continue // blanks in a heredoc are not the formatter's
		}
		for name, change := range spoil {
			got, list := Format([]byte(change(src)), file)
			if string(got) != src || len(list) > 0 {
				t.Errorf("%s, %s: %s\n%s", file, name, list.Error(), got)
			}
		}
	}
}

// TestFormatChangesBlanksAlone formats sources of every form twice: the second
// time must change nothing, and the first nothing but blanks.
func TestFormatChangesBlanksAlone(t *testing.T) {
	blanks := regexp.MustCompile(`[ \t]+`)
	for name, tt := range map[string]struct{ src, want string }{
		"comments are aligned":     {"a = 1 # x\nbcd = 2 # y\n", "a   = 1 # x\nbcd = 2 # y\n"},
		"comments of all kinds":    {"a=1 // x\n/* y */\nb=2\n", "a = 1 // x\n/* y */\nb = 2\n"},
		"a blank line parts":       {"a = 1\n\nbcd = 2\n", "a = 1\n\nbcd = 2\n"},
		"operators":                {"a=1+2*-3\n", "a = 1 + 2 * -3\n"},
		"a conditional":            {"a=b?c:d\n", "a = b ? c : d\n"},
		"a call":                   {"a = f( 1,2 )\n", "a = f(1, 2)\n"},
		"a list":                   {"a = [ 1,2,3 ]\n", "a = [1, 2, 3]\n"},
		"a for":                    {"a = [for x in y:x if x>1]\n", "a = [for x in y : x if x > 1]\n"},
		"a template":               {"a = \"x ${ b } y\"\n", "a = \"x ${b} y\"\n"},
		"an index":                 {"a = b [ 0 ] . c\n", "a = b[0].c\n"},
		"no newline at the end":    {"a=1", "a = 1"},
		"carriage returns":         {"a=1\r\nb=2\r\n", ""},
		"a block on one line":      {"a \"b\" {c=1}\n", "a \"b\" { c = 1 }\n"},
		"nested blocks":            {"a {\nb {\nc = 1\n}\n}\n", "a {\n  b {\n    c = 1\n  }\n}\n"},
		"a heredoc with a brace":   {"a = <<E\n}\n  {\nE\nb=1\n", ""},
		"an object over lines":     {"a = {\nb=1\nlong=2\n}\n", "a = {\n  b    = 1\n  long = 2\n}\n"},
		"brackets over lines":      {"a = f([\n1,\n2,\n])\n", "a = f([\n  1,\n  2,\n])\n"},
		"a comment at the end":     {"a=1\n# the end", "a = 1\n# the end"},
		"blanks at the line's end": {"a = 1   \nb = 2\n", "a = 1\nb = 2\n"},
	} {
		t.Run(name, func(t *testing.T) {
			once, list := Format([]byte(tt.src), "x.hcl")
			if len(list) > 0 {
				t.Fatal(list.Error())
			}
			if tt.want != "" && string(once) != tt.want {
				t.Errorf("got %q, want %q", once, tt.want)
			}
			if a, b := blanks.ReplaceAllString(tt.src, ""), blanks.ReplaceAllString(string(once), ""); a != b {
				t.Errorf("more than blanks: %q became %q", a, b)
			}
			if twice, _ := Format(once, "x.hcl"); string(twice) != string(once) {
				t.Errorf("formatted again: %q, was %q", twice, once)
			}
		})
	}
}

// TestFormatOfMistakes returns the source as it is, and the place of the
// mistake.
func TestFormatOfMistakes(t *testing.T) {
	for name, tt := range map[string]struct {
		src  string
		line int
	}{
		"an open brace":     {"a=1\nb {\n", 2},
		"an open string":    {"a=1\n\nb=\"x\n", 3},
		"no value":          {"a=\n", 1},
		"nested too deeply": {"a=1\nb=" + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "\n", 2},
	} {
		t.Run(name, func(t *testing.T) {
			got, list := Format([]byte(tt.src), "x.hcl")
			if string(got) != tt.src || !list.HasErrors() || list[0].Range.Start.Line != tt.line || list[0].Snippet == nil {
				t.Errorf("got %.40q, %v", got, list)
			}
		})
	}
}
