package build

import (
	"bytes"
	"strings"
	"sync"
)

// lines splits what is written to it into lines, and keeps the last of them.
type lines struct {
	each func(string) bool

	mu   sync.Mutex
	part []byte
	kept []string
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.part = append(l.part, b...)
	for {
		i := bytes.IndexAny(l.part, "\r\n")
		next := i + 1
		if i < 0 && len(l.part) > longestLine {
			i, next = longestLine, longestLine
		}
		if i < 0 {
			return len(b), nil
		}
		l.keep(string(l.part[:i]))
		l.part = l.part[next:]
	}
}

func (l *lines) keep(line string) {
	line = strings.TrimRight(line, " \t")
	if line == "" || l.each != nil && !l.each(line) {
		return
	}
	l.kept = append(l.kept, line)
	if len(l.kept) > keptLines {
		l.kept = l.kept[len(l.kept)-keptLines:]
	}
}

// last is the end of what was written, of the lines that an error shows.
func (l *lines) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.part) > 0 {
		l.keep(string(l.part))
		l.part = nil
	}
	return strings.Join(l.kept, "\n")
}

// OutputLines are the non-empty lines of a command's output.
func OutputLines(out []byte) []string {
	var found []string
	for line := range bytes.Lines(out) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			found = append(found, string(line))
		}
	}
	return found
}

// OneLine joins the lines of a text.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
