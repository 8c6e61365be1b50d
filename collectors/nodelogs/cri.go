package nodelogs

import (
	"bytes"
	"time"
	"unicode/utf8"
)

// criBuffer is the length above which a runtime that the kubelet's authors
// test with writes a line in parts: a part that is shorter is the last of a
// stream or of a file.
const criBuffer = 16 << 10

// The streams of a container, as indices.
const (
	stdout = iota
	stderr
)

var streamNames = [...]string{stdout: "stdout", stderr: "stderr"}

// criLine is a line of a log file in the format of the CRI:
// "TIME STREAM P|F[:TAG…] TEXT". The text is part of what was parsed.
type criLine struct {
	at      time.Time
	stream  int
	partial bool // the line goes on in the stream's next one
	text    []byte
}

// parseCRI is false for what is not in the format.
func parseCRI(raw []byte) (criLine, bool) {
	var l criLine
	stamp, rest, found := bytes.Cut(raw, []byte(" "))
	if !found || l.at.UnmarshalText(stamp) != nil {
		return l, false
	}
	l.at = l.at.UTC()
	stream, rest, found := bytes.Cut(rest, []byte(" "))
	switch {
	case !found:
		return l, false
	case string(stream) == "stdout":
		l.stream = stdout
	case string(stream) == "stderr":
		l.stream = stderr
	default:
		return l, false
	}
	tags, text, _ := bytes.Cut(rest, []byte(" "))
	tag, _, _ := bytes.Cut(tags, []byte(":"))
	switch string(tag) {
	case "P":
		l.partial = true
	case "F":
	default:
		return l, false
	}
	l.text = text
	return l, true
}

// textOf is what is kept of a line: at most MaxLine bytes of it, with U+FFFD in
// the place of what is no UTF-8.
func textOf(raw []byte) (text string, cut bool) {
	if len(raw) > MaxLine {
		end := MaxLine
		for back := 0; back < utf8.UTFMax && !utf8.RuneStart(raw[end]); back++ {
			end--
		}
		raw, cut = raw[:end], true
	}
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	return string(raw), cut
}
