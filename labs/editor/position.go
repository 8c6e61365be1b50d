package editor

import (
	"strings"
	"unicode/utf8"
)

// text is a document's content with what is needed to count as the client
// does.
type text struct {
	content string
	// utf8 says that the client counts bytes; otherwise it counts UTF-16 code
	// units, as the protocol has it by default.
	utf8 bool
}

// offset is a position's byte offset; one that is not there is the nearest
// before it.
func (t text) offset(p position) int {
	start := 0
	for range max(p.Line, 0) {
		next := strings.IndexByte(t.content[start:], '\n')
		if next < 0 {
			return len(t.content)
		}
		start += next + 1
	}
	line := t.content[start:]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	left := max(p.Character, 0)
	if t.utf8 {
		at := min(left, len(line))
		for at > 0 && at < len(line) && !utf8.RuneStart(line[at]) {
			at--
		}
		return start + at
	}
	for i, r := range line {
		width := units(r)
		if left < width {
			return start + i
		}
		left -= width
	}
	return start + len(line)
}

// position is a byte offset's position.
func (t text) position(offset int) position {
	offset = min(max(offset, 0), len(t.content))
	before := t.content[:offset]
	p := position{Line: strings.Count(before, "\n")}
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if t.utf8 {
		p.Character = len(line)
		return p
	}
	for _, r := range line {
		p.Character += units(r)
	}
	return p
}

// units is how many UTF-16 code units a character takes.
func units(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// span is the range between two byte offsets.
func (t text) span(start, end int) span { return span{t.position(start), t.position(max(start, end))} }
