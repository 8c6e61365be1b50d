package logs

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"time"
)

// maxStamp bounds the time at the beginning of a line of the API.
const maxStamp = 64

// line is one line of a log.
type line struct {
	at    time.Time
	stamp string // the time as the API sent it
	text  string
	cut   bool
}

// parseLine reads "TIME TEXT". It is false for what has no time: a message of
// the kubelet and no line of the container.
func parseLine(raw string) (line, bool) {
	stamp, text, found := strings.Cut(raw, " ")
	if !found {
		stamp, text = raw, ""
	}
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return line{}, false
	}
	l := line{at: at.UTC(), stamp: at.UTC().Format(time.RFC3339Nano), text: text}
	if len(l.text) > MaxLine {
		l.text, l.cut = strings.Clone(l.text[:MaxLine]), true
	}
	return l, true
}

// lineReader reads lines of which it keeps a bounded beginning: enough that
// parseLine sees that a line is too long.
type lineReader struct{ r *bufio.Reader }

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10)}
}

// next returns a line without its end. The last line of a stream may come
// with the stream's error.
func (l *lineReader) next() (string, error) {
	var kept []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if room := MaxLine + maxStamp + 1 - len(kept); len(part) > 0 && room > 0 {
			kept = append(kept, part[:min(len(part), room)]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return strings.TrimSuffix(string(kept), "\n"), err
	}
}
