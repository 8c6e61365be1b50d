package kind

import (
	"bufio"
	"io"
	"iter"
	"strings"
)

// longestLine bounds a line of a journal, in bytes; the rest of a longer one is
// a line of its own.
const longestLine = 256 << 10

// lines are the lines of what r gives, until its end or an error.
func lines(r io.Reader) iter.Seq[string] {
	return func(yield func(string) bool) {
		reader := bufio.NewReaderSize(r, longestLine)
		for {
			line, err := reader.ReadSlice('\n')
			if len(line) > 0 && !yield(strings.TrimRight(string(line), "\r\n")) {
				return
			}
			if err != nil && err != bufio.ErrBufferFull {
				return
			}
		}
	}
}
