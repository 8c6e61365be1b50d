package layout

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/labs/expect"
)

func TestClean(t *testing.T) {
	for name, test := range map[string]struct{ text, line, lines string }{
		"plain":               {"a b", "a b", "a b"},
		"letters":             {"東京 é 👩‍💻", "東京 é 👩‍💻", "東京 é 👩‍💻"},
		"colours":             {"\x1b[31mred\x1b[0m", "red", "red"},
		"a title":             {"a\x1b]0;t\x07b", "ab", "ab"},
		"lines and tabs":      {"a\tb\r\nc", "a b  c", "a\tb\nc"},
		"a return":            {"a\rb", "a b", "a b"},
		"separators":          {"a\u2028b", "a b", "a b"},
		"direction":           {"a\u202eb", "ab", "ab"},
		"control characters":  {"a\x00\x07b", "ab", "ab"},
		"bytes that are none": {"a\xffb", "ab", "ab"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Clean(test.text); got != test.line {
				t.Errorf("Clean: %q, want %q", got, test.line)
			}
			if got := CleanLines(test.text); got != test.lines {
				t.Errorf("CleanLines: %q, want %q", got, test.lines)
			}
		})
	}
}

func TestBlockEndsWithItsLastLine(t *testing.T) {
	for text, want := range map[string]string{"": "", "\n \n": "", "a  \n\n  b\t\r\n\n": "a\n\n  b", "\x1b[2Ja\n": "a"} {
		if got := Block(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	for name, test := range map[string]struct {
		text    string
		columns int
		want    []string
	}{
		"nothing":            {"", 5, []string{""}},
		"it fits":            {"a  b", 5, []string{"a  b"}},
		"at spaces":          {"one two three", 8, []string{"one two", "three"}},
		"within a long word": {"abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		"at a separator":     {"kindest/node:v1.28", 10, []string{"kindest/", "node:v1.28"}},
		"wide letters":       {"東京東京", 4, []string{"東京", "東京"}},
		"less than one":      {"ab", 0, []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Wrap(test.text, test.columns)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCut(t *testing.T) {
	for name, test := range map[string]struct {
		style       Style
		text        string
		columns     int
		end, middle string
	}{
		"it fits":     {Style{}, "abcdef", 6, "abcdef", "abcdef"},
		"too long":    {Style{}, "abcdefgh", 6, "abcde…", "ab…fgh"},
		"ASCII":       {Style{ASCII: true}, "abcdefgh", 6, "abcde~", "ab~fgh"},
		"very narrow": {Style{}, "abcdefgh", 3, "ab…", "ab…"},
		"no columns":  {Style{}, "abc", 0, "…", "…"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.style.Cut(test.text, test.columns); got != test.end {
				t.Errorf("Cut: %q, want %q", got, test.end)
			}
			if got := test.style.CutMiddle(test.text, test.columns); got != test.middle {
				t.Errorf("CutMiddle: %q, want %q", got, test.middle)
			}
		})
	}
}

func TestStyle(t *testing.T) {
	for width, want := range map[int]int{0: DefaultWidth, 10: LeastWidth, 60: 60, 200: 200} {
		if got := (Style{Width: width}).Columns(); got != want {
			t.Errorf("a width of %d has %d columns, want %d", width, got, want)
		}
	}
	if got := (Style{}).Paint(Red, "a"); got != "a" {
		t.Errorf("without colours: %q", got)
	}
	if got := (Style{Color: true}).Paint(Red, "a"); got != "\x1b[31ma\x1b[0m" {
		t.Errorf("with colours: %q", got)
	}
	for status, want := range map[expect.Status]string{expect.Pass: "✓+", expect.Fail: "✗x", expect.Error: "!!", expect.Skip: "–-", expect.Pending: "….", 99: "??", -1: "??"} {
		if got := (Style{}).Mark(status) + (Style{ASCII: true}).Mark(status); got != want {
			t.Errorf("%v: %s, want %s", status, got, want)
		}
	}
}

func TestPage(t *testing.T) {
	p := NewPage(Style{Width: 60, Color: true})
	p.Heading("Title\x07")
	p.Text("  ", "first\n  "+strings.Repeat("word ", 12)+"\n\n")
	p.Note("note")
	p.Blank()
	p.Linef("%d  ", 7)
	want := "\x1b[1mTitle\x1b[0m\n  first\n    " + strings.TrimRight(strings.Repeat("word ", 11), " ") + "\n    word\n\x1b[90mnote\x1b[0m\n\n7\n"
	if diff := cmp.Diff(want, p.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGrid(t *testing.T) {
	long := strings.Repeat("word ", 12) + "end"
	for name, test := range map[string]struct {
		grid Grid
		want string
	}{
		"columns are as wide as they need": {Grid{Rows: [][]Cell{{{Text: "a"}, {Text: "bbb"}}, {{Text: "aaaa"}, {Text: "b"}}}}, "a     bbb\naaaa  b\n"},
		"to the right":                     {Grid{Right: []int{1}, Rows: [][]Cell{{{Text: "a"}, {Text: "1"}}, {{Text: "a"}, {Text: "100"}}}}, "a    1\na  100\n"},
		"a rule":                           {Grid{Rule: true, Indent: " ", Head: [][]Cell{{{Text: "H"}, {Text: "I"}}}, Rows: [][]Cell{{{Text: "aa"}, {Text: "b"}}}}, " H   I\n ─────\n aa  b\n"},
		"the flexible column gives way":    {Grid{Flexible: 1, Rows: [][]Cell{{{Text: "a"}, {Text: long}}}}, "a  " + strings.Repeat("word ", 10) + "word\n   word end\n"},
		"a whole cell loses its middle":    {Grid{Most: map[int]int{0: 5}, Flexible: 1, Rows: [][]Cell{{{Text: "abcdefgh", Whole: true}, {Text: "b"}}}}, "ab…gh  b\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := NewPage(Style{Width: 60})
			p.Grid(test.grid)
			if diff := cmp.Diff(test.want, p.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTable(t *testing.T) {
	fail := expect.Fail
	p := NewPage(Style{Width: 60, Color: true})
	p.Table([]string{"ON", "WHAT"}, [][]StatusCell{{{Text: "v128\x07"}, {Text: "false", Status: &fail}}})
	want := "\x1b[90mON\x1b[0m    \x1b[90mWHAT\x1b[0m\n\x1b[1mv128\x1b[0m  \x1b[31m✗ false\x1b[0m\n"
	if diff := cmp.Diff(want, p.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
