package editor

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func TestOffsetsArePositions(t *testing.T) {
	const content = "ab\ncdé🙂f\n\n�x"
	for name, tt := range map[string]struct {
		utf8   bool
		offset int
		at     position
	}{
		"begin":                               {false, 0, position{0, 0}},
		"within a line":                       {false, 1, position{0, 1}},
		"a line's end":                        {false, 2, position{0, 2}},
		"the next line":                       {false, 3, position{1, 0}},
		"behind two bytes":                    {false, 7, position{1, 3}},
		"behind a pair":                       {false, 11, position{1, 5}},
		"an empty line":                       {false, 13, position{2, 0}},
		"behind a replacement":                {false, 17, position{3, 1}},
		"behind two bytes, in bytes":          {true, 7, position{1, 4}},
		"behind a pair, in bytes":             {true, 11, position{1, 8}},
		"behind a replacement, in bytes":      {true, 17, position{3, 3}},
		"the end":                             {false, len(content), position{3, 2}},
		"the end, in bytes":                   {true, len(content), position{3, 4}},
		"the line after the end has no place": {true, 13, position{2, 0}},
	} {
		x := text{content, tt.utf8}
		if got := x.position(tt.offset); got != tt.at {
			t.Errorf("%s: %+v, want %+v", name, got, tt.at)
		}
		if got := x.offset(tt.at); got != tt.offset {
			t.Errorf("%s: offset %d, want %d", name, got, tt.offset)
		}
	}
}

// TestPositionsThatAreNotThere holds that one beyond a line or the text is the
// nearest before it.
func TestPositionsThatAreNotThere(t *testing.T) {
	const content = "ab\n🙂é\nz"
	for name, tt := range map[string]struct {
		utf8 bool
		at   position
		want int
	}{
		"beyond the line":             {false, position{0, 99}, 2},
		"beyond the line, in bytes":   {true, position{0, 99}, 2},
		"beyond the text":             {false, position{9, 9}, len(content)},
		"before the line":             {false, position{1, -4}, 3},
		"before the text":             {true, position{-4, 0}, 0},
		"within a pair":               {false, position{1, 1}, 3},
		"within a letter, in bytes":   {true, position{1, 2}, 3},
		"in the next one, in bytes":   {true, position{1, 5}, 7},
		"the last line's end":         {false, position{2, 5}, len(content)},
		"the last line's end, bytes":  {true, position{2, 5}, len(content)},
		"the largest number there is": {false, position{1 << 40, 1 << 40}, len(content)},
	} {
		if got := (text{content, tt.utf8}).offset(tt.at); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}

// FuzzPositions holds for any text that the place of every character is found
// again, and that it counts what the client counts.
func FuzzPositions(f *testing.F) {
	for _, s := range []string{"", "\n", "a\r\nb", "é🙂�\n\n🙂", "tab\tend"} {
		f.Add(s, 3, 4)
	}
	f.Fuzz(func(t *testing.T, content string, line, character int) {
		if !utf8.ValidString(content) {
			return // the protocol's JSON is UTF-8
		}
		for _, inBytes := range []bool{false, true} {
			x := text{content, inBytes}
			for i := range content {
				at := x.position(i)
				if got := x.offset(at); got != i {
					t.Fatalf("%q, bytes %t: %d is %+v, which is %d", content, inBytes, i, at, got)
				}
				begin := strings.LastIndexByte(content[:i], '\n') + 1
				want := i - begin
				if !inBytes {
					want = len(utf16.Encode([]rune(content[begin:i])))
				}
				if at.Character != want {
					t.Fatalf("%q, bytes %t: %d is at character %d, want %d", content, inBytes, i, at.Character, want)
				}
			}
			at := x.offset(position{line, character})
			if at < 0 || at > len(content) || !utf8.ValidString(content[:at]) {
				t.Fatalf("%q, bytes %t: line %d, character %d is %d", content, inBytes, line, character, at)
			}
		}
	})
}

func TestSpansDoNotRunBackwards(t *testing.T) {
	if got := (text{content: "ab\ncd"}).span(4, 1); got.Start != got.End || got.Start != (position{1, 1}) {
		t.Errorf("got %+v", got)
	}
}
