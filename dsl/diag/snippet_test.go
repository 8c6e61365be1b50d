package diag_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kind-lab/lab/dsl/diag"
)

// parsed is a source in which « and » stand around a range.
func parsed(t *testing.T, marked string) (*hcl.File, hcl.Range) {
	t.Helper()
	before, rest, ok := strings.Cut(marked, "«")
	inside, after, closed := strings.Cut(rest, "»")
	if !ok || !closed {
		t.Fatalf("no range in %q", marked)
	}
	src := before + inside + after
	file, _ := hclsyntax.ParseConfig([]byte(src), "x.hcl", hcl.InitialPos)
	file.Bytes = []byte(src)
	at := func(text string) hcl.Pos {
		return hcl.Pos{Line: 1 + strings.Count(text, "\n"), Column: len(text) - strings.LastIndex(text, "\n"), Byte: len(text)}
	}
	return file, hcl.Range{Filename: "x.hcl", Start: at(before), End: at(before + inside)}
}

// TestSnippets keeps which lines a snippet shows, what of them is marked, and
// what is said to enclose it.
func TestSnippets(t *testing.T) {
	for name, tt := range map[string]struct {
		src, code, marked, context string
		line                       int
	}{
		"a word":                {"a = 1\nb = «foo»\nc = 3\n", "b = foo", "foo", "", 2},
		"the first word":        {"«a» = 1\n", "a = 1", "a", "", 1},
		"the last word":         {"a = 1\nb = «2»", "b = 2", "2", "", 2},
		"an empty range":        {"a = «»1\n", "a = 1", "", "", 1},
		"the end of the file":   {"a = 1\n«»", "", "", "", 2},
		"an empty file":         {"«»", "", "", "", 1},
		"the line's end":        {"a = «1\n»b = 2\n", "a = 1", "1", "", 1},
		"two lines":             {"a = «[\n  1,\n]»\nb = 2\n", "a = [\n  1,\n]", "[\n  1,\n]", "", 1},
		"two lines' ends":       {"a = [«\n\n»]\n", "a = [\n", "\n", "", 1},
		"carriage returns":      {"a = 1\r\nb = «2»\r\n", "b = 2", "2", "", 2},
		"wide characters":       {"a = \"宽é\" + «b»\n", "a = \"宽é\" + b", "b", "", 1},
		"in a block":            {"scenario \"s\" {\n  x = «1»\n}\n", "  x = 1", "1", `scenario "s"`, 2},
		"in a block of a block": {"scenario \"s\" {\n  expect \"e\" {\n    x = «1»\n  }\n}\n", "    x = 1", "1", `scenario "s", expect "e"`, 3},
		"the second block":      {"a \"x\" {\n}\nb \"y\" \"z\" {\n  q = «1»\n}\n", "  q = 1", "1", `b "y" "z"`, 4},
		"a block's header":      {"«scenario» \"s\" {\n}\n", "scenario \"s\" {", "scenario", `scenario "s"`, 1},
		"between two blocks":    {"a {\n}\n«x» = 1\nb {\n}\n", "x = 1", "x", "", 3},
		"a label with a quote":  {"a \"x\\\"y\" {\n  q = «1»\n}\n", "  q = 1", "1", `a "x\"y"`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			file, at := parsed(t, tt.src)
			s := diag.NewSnippet(file, at)
			if s == nil {
				t.Fatal("no snippet")
			}
			marked := strings.TrimSuffix(s.Code[s.HighlightStart:s.HighlightEnd], "")
			if s.Code != tt.code || marked != tt.marked || s.StartLine != tt.line || s.Context != tt.context {
				t.Errorf("got %q with %q from line %d in %q", s.Code, marked, s.StartLine, s.Context)
			}
		})
	}
}

// TestNoSnippet keeps that a range beyond the file has none.
func TestNoSnippet(t *testing.T) {
	file, _ := parsed(t, "a = «1»\n")
	for name, at := range map[string][2]int{"behind the end": {3, 900}, "far behind": {900, 901}, "before the beginning": {-1, 2}} {
		if s := diag.NewSnippet(file, hcl.Range{Start: hcl.Pos{Byte: at[0]}, End: hcl.Pos{Byte: at[1]}}); s != nil {
			t.Errorf("%s: got %+v", name, s)
		}
	}
	if s := diag.NewSnippet(file, hcl.Range{Start: hcl.Pos{Byte: 4, Line: 1}, End: hcl.Pos{Byte: 2}}); s == nil || s.HighlightStart != 4 || s.HighlightEnd != 4 {
		t.Errorf("an end before the start: got %+v", s)
	}
}

// TestCarets keeps that the carets stand below what is marked.
func TestCarets(t *testing.T) {
	for name, tt := range map[string]struct{ src, code, carets string }{
		"a word":           {"a = «foo» + 1", "   1: a = foo + 1", "          ^^^"},
		"an empty range":   {"a = «»1", "   1: a = 1", "          ^"},
		"behind wide ones": {"a = \"宽\" + «b»", "   1: a = \"宽\" + b", "                 ^"},
		"wide ones":        {"a = «\"宽宽\"»", "   1: a = \"宽宽\"", "          ^^^^^^"},
		"behind a tab":     {"\ta = «b»", "   1:   a = b", "            ^"},
		"combined":         {"a = \"e\u0301\" + «b»", "   1: a = \"e\u0301\" + b", "                ^"},
	} {
		t.Run(name, func(t *testing.T) {
			file, at := parsed(t, tt.src)
			var b strings.Builder
			if err := diag.WriteText(&b, diag.List{{Summary: "s", Snippet: diag.NewSnippet(file, at)}}, diag.Style{}); err != nil {
				t.Fatal(err)
			}
			want := "│ " + tt.code + "\n│ " + tt.carets + "\n"
			if !strings.Contains(b.String(), want) {
				t.Errorf("got\n%s\nwant\n%s", b.String(), want)
			}
		})
	}
}

// TestLongSnippetsAreCut shows a bounded number of lines.
func TestLongSnippetsAreCut(t *testing.T) {
	for lines, cut := range map[int]bool{1: false, 12: false, 13: true, 100: true} {
		file, at := parsed(t, "a = «"+strings.Repeat("x\n", lines-1)+"x»")
		var b strings.Builder
		if err := diag.WriteText(&b, diag.List{{Summary: "s", Snippet: diag.NewSnippet(file, at)}}, diag.Style{Color: true}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(b.String(), ": "); strings.Contains(b.String(), "…") != cut || got > 13 {
			t.Errorf("%d lines: cut %t, %d shown\n%s", lines, !cut, got, b.String())
		}
	}
}

// TestWrapping keeps text within the width unless a word is longer.
func TestWrapping(t *testing.T) {
	const text = "Words of some length, and a word-that-is-much-longer-than-a-line-may-be, and 宽宽宽 宽宽宽 宽宽宽 too."
	for _, width := range []int{22, 30, 60, 200} {
		var b strings.Builder
		if err := diag.WriteText(&b, diag.List{{Summary: "s", Detail: text}}, diag.Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, line := range strings.Split(b.String(), "\n")[3:] {
			line = strings.TrimPrefix(line, "│ ")
			if n := len([]rune(line)) + strings.Count(line, "宽"); n > width-2 && strings.Contains(line, " ") {
				t.Errorf("width %d: %q has %d columns", width, line, n)
			}
			words = append(words, strings.Fields(strings.Trim(line, "╵"))...)
		}
		if got := strings.Join(words, " "); got != text {
			t.Errorf("width %d: got %q", width, got)
		}
	}
}

// TestSort puts diagnostics in the order of their places, and keeps the order of
// those that have the same.
func TestSort(t *testing.T) {
	at := func(file string, b int) *diag.Range { return &diag.Range{Filename: file, Start: diag.Pos{Byte: b}} }
	l := diag.List{
		{Summary: "6", Range: at("b", 0)}, {Summary: "3", Range: at("a", 5)}, {Summary: "1"}, {Summary: "5", Range: at("a", 50)},
		{Summary: "4", Range: at("a", 5)}, {Summary: "2"},
	}
	l.Sort()
	var got string
	for _, d := range l {
		got += d.Summary
	}
	if got != "123456" {
		t.Errorf("got %s", got)
	}
	var many diag.List // enough that an unstable sort shows
	for i := range 100 {
		many = append(many, diag.Diagnostic{Summary: string(rune('a' + i)), Range: at("a", i%2)})
	}
	many.Sort()
	for i := range 99 {
		if a, b := many[i], many[i+1]; a.Range.Start == b.Range.Start && a.Summary > b.Summary {
			t.Errorf("%q comes before %q", a.Summary, b.Summary)
		}
	}
	if diag.List(nil).HasErrors() || diag.List(nil).Error() != "" {
		t.Error("an empty list has errors")
	}
}

// TestAByteOrderMarkIsNotShown marks the first line of a file that begins with
// one.
func TestAByteOrderMarkIsNotShown(t *testing.T) {
	file, at := parsed(t, "\ufeffa = «b»\n")
	s := diag.NewSnippet(file, at)
	if s == nil || s.Code != "a = b" || s.Code[s.HighlightStart:s.HighlightEnd] != "b" {
		t.Errorf("got %+v", s)
	}
	if s := diag.NewSnippet(file, hcl.Range{Start: hcl.Pos{Line: 1}, End: hcl.Pos{Byte: 1}}); s == nil || s.HighlightStart > s.HighlightEnd {
		t.Errorf("in the mark: got %+v", s)
	}
}
