package layout

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kind-lab/lab/labs/expect"
)

// texts are names and sentences in letters of all widths.
var texts = []string{
	"", "a", "plain words of a sentence", "東京の猫は走る", "a東b京c", "東京 kindest/node:v1.28.15 東京", "👩‍💻 works 👩‍💻", "e\u0301te\u0301",
	strings.Repeat("x", 200), strings.Repeat("東", 90), strings.Repeat("a/東-", 40), strings.Repeat("word ", 40) + "end", "   indented", "a  b   c",
}

func TestWrappedLinesFitAndLoseNoLetter(t *testing.T) {
	bare := func(text string) string { return strings.Join(strings.Fields(text), "") }
	for _, text := range texts {
		for _, columns := range []int{2, 3, 7, 16, 60, 100} {
			lines := Wrap(text, columns)
			if got := bare(strings.Join(lines, "")); got != bare(text) {
				t.Errorf("%q in %d columns became %q", text, columns, lines)
			}
			for _, line := range lines {
				if Width(line) > columns {
					t.Errorf("%q in %d columns has the line %q of %d", text, columns, line, Width(line))
				}
			}
		}
	}
}

func TestShortenedTextsFitAndKeepTheirEnds(t *testing.T) {
	for _, text := range texts {
		for columns := 1; columns < 70; columns++ {
			end, middle := Style{}.Cut(text, columns), Style{}.CutMiddle(text, columns)
			if Width(end) > columns || Width(middle) > columns {
				t.Errorf("%q in %d columns is cut to %q and %q", text, columns, end, middle)
			}
			if Width(text) <= columns && (end != text || middle != text) {
				t.Errorf("%q fits into %d columns, but is cut to %q and %q", text, columns, end, middle)
			}
			if head, tail, cut := strings.Cut(middle, "…"); cut && (!strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail)) {
				t.Errorf("%q is cut to %q, which has other ends", text, middle)
			}
		}
	}
}

func TestPaddedTextsFillTheirColumns(t *testing.T) {
	for _, text := range texts {
		left, right := PadLeft(text, 30), Pad(text, 30)
		if want := max(30, Width(text)); Width(left) != want || Width(right) != want {
			t.Errorf("%q is padded to %q and %q, want %d columns", text, left, right, want)
		}
		if !strings.HasSuffix(left, text) || !strings.HasPrefix(right, text) {
			t.Errorf("%q is padded to %q and %q", text, left, right)
		}
	}
}

// TestColumnsStayAligned puts a bar into the second column of a table, behind
// texts of all widths: it stands below itself.
func TestColumnsStayAligned(t *testing.T) {
	for _, right := range [][]int{nil, {0}} {
		for _, whole := range []bool{true, false} {
			for columns := LeastWidth; columns <= 200; columns += 7 {
				t.Run(fmt.Sprintf("right %v, whole %t, %d columns", right, whole, columns), func(t *testing.T) {
					g := Grid{Indent: "  ", Right: right, Flexible: 0}
					for _, text := range texts {
						g.Rows = append(g.Rows, []Cell{{Text: text, Whole: whole}, {Text: "¦", Whole: true}, {Text: "end"}})
					}
					checkAligned(t, g, columns)
				})
			}
		}
	}
}

func checkAligned(t *testing.T, g Grid, columns int) {
	t.Helper()
	p := NewPage(Style{Width: columns})
	p.Grid(g)
	bars, at := 0, -1
	for line := range strings.Lines(p.String()) {
		line = strings.TrimSuffix(line, "\n")
		if Width(line) > columns {
			t.Errorf("a line has %d columns: %q", Width(line), line)
		}
		before, _, found := strings.Cut(line, "¦")
		if !found {
			continue
		}
		bars++
		if at >= 0 && Width(before) != at {
			t.Errorf("the second column is at %d and at %d: %q", at, Width(before), line)
		}
		at = Width(before)
	}
	if bars != len(g.Rows) {
		t.Errorf("%d rows, want %d:\n%s", bars, len(g.Rows), p)
	}
}

// TestTablesStayWithinThePage looks at tables in which each column in turn gives
// way, and at one in which none does.
func TestTablesStayWithinThePage(t *testing.T) {
	for _, n := range []int{1, 2, 5, 9} {
		for flexible := range n + 1 {
			g := Grid{Flexible: min(flexible, n-1), Rule: true}
			for i := range texts {
				var row []Cell
				for column := range n {
					row = append(row, Cell{Text: texts[(i+column)%len(texts)], Whole: column%2 == 1})
				}
				if i == 0 {
					g.Head = [][]Cell{row}
				}
				g.Rows = append(g.Rows, row)
			}
			for columns := LeastWidth; columns <= 200; columns += 35 {
				p := NewPage(Style{Width: columns})
				p.Grid(g)
				checkWithin(t, p, columns)
			}
		}
	}
}

// TestTextsStayWithinThePage writes texts of others behind indents of any depth.
func TestTextsStayWithinThePage(t *testing.T) {
	for _, text := range texts {
		for _, depth := range []int{0, 3, 40, 80, 300} {
			for columns := LeastWidth; columns <= 200; columns += 35 {
				p := NewPage(Style{Width: columns})
				p.Heading(text)
				p.Note(text)
				p.Text("    ", "output:\n"+strings.Repeat(" ", depth)+text)
				checkWithin(t, p, columns)
			}
		}
	}
}

func checkWithin(t *testing.T, p *Page, columns int) {
	t.Helper()
	for line := range strings.Lines(p.String()) {
		if w := Width(strings.TrimSuffix(line, "\n")); w > columns {
			t.Errorf("a line has %d columns where there are %d: %q", w, columns, line)
		}
	}
}

func TestSignsHaveAStandInInASCII(t *testing.T) {
	for name, test := range map[string]struct{ sign, ascii, want, wantASCII string }{
		"an arrow": {Style{}.Arrow(), Style{ASCII: true}.Arrow(), " → ", " -> "},
		"a line":   {Style{}.Sign("─", "-"), Style{ASCII: true}.Sign("─", "-"), "─", "-"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.sign != test.want || test.ascii != test.wantASCII {
				t.Errorf("%q and %q, want %q and %q", test.sign, test.ascii, test.want, test.wantASCII)
			}
		})
	}
}

func TestStatusesHaveColoursOfTheirOwn(t *testing.T) {
	for status, want := range map[expect.Status]string{
		expect.Pass: Green, expect.Fail: Red, expect.Error: Yellow, expect.Skip: Dim, expect.Pending: Dim, 99: Dim,
	} {
		if got := StatusColor(status); got != want {
			t.Errorf("%v has %q, want %q", status, got, want)
		}
	}
}
