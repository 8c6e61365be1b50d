package build

import (
	"slices"
	"strings"
	"testing"
)

func TestALongLineIsWhole(t *testing.T) {
	text := strings.Repeat("0123456789", longestLine/4)
	var got []string
	l := &lines{each: func(line string) bool {
		got = append(got, line)
		return true
	}}
	if _, err := l.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	l.last()
	if joined := strings.Join(got, ""); joined != text || len(got) < 2 {
		t.Errorf("%d lines with %d bytes of %d", len(got), len(joined), len(text))
	}
}

func TestOutputLinesAfterALongOne(t *testing.T) {
	long := strings.Repeat("x", 2<<20)
	if got := OutputLines([]byte("a\r\n" + long + "\n\n  b  ")); !slices.Equal(got, []string{"a", long, "b"}) {
		t.Errorf("%d lines", len(got))
	}
}

// FuzzLines writes a text in two parts: where it is cut makes no difference.
func FuzzLines(f *testing.F) {
	f.Add("a\nb\r\nc", 2)
	f.Add("a  \n\n \tb", 4)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		if cut < 0 || cut > len(text) {
			return
		}
		read := func(parts ...string) string {
			l := &lines{}
			for _, part := range parts {
				if n, err := l.Write([]byte(part)); n != len(part) || err != nil {
					t.Fatal(n, err)
				}
			}
			return l.last()
		}
		if whole, cutUp := read(text), read(text[:cut], text[cut:]); whole != cutUp {
			t.Errorf("%q as a whole, %q in parts", whole, cutUp)
		}
	})
}
