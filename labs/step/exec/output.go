package exec

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/kind-lab/lab/labs/step"
)

// output keeps the first bytes that are written to it, step.MaxOutput at most,
// and takes any number.
type output struct {
	mu      sync.Mutex
	kept    []byte
	dropped int64
}

// Write never fails.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	fits := min(len(b), step.MaxOutput-len(o.kept))
	o.kept = append(o.kept, b[:fits]...)
	o.dropped += int64(len(b) - fits)
	return len(b), nil
}

// cut says whether more was written than String has.
func (o *output) cut() bool {
	_, missing := o.text()
	return missing > 0
}

// String is what is kept, with U+FFFD for what is not UTF-8, and a line that
// says how much is missing.
func (o *output) String() string {
	text, missing := o.text()
	if missing == 0 {
		return text
	}
	return fmt.Sprintf("%s\n[cut: %d bytes more]\n", text, missing)
}

// text is what is kept in whole letters, step.MaxOutput bytes at most, and how
// many of the bytes that were written are not in it.
func (o *output) text() (text string, missing int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.dropped == 0 && utf8.Valid(o.kept) {
		return string(o.kept), 0
	}
	var b strings.Builder
	rest := o.kept
	for len(rest) > 0 && (o.dropped == 0 || utf8.FullRune(rest)) {
		size := invalid(rest)
		letter := "\uFFFD"
		if size == 0 {
			_, size = utf8.DecodeRune(rest)
			letter = string(rest[:size])
		}
		if b.Len()+len(letter) > step.MaxOutput {
			break
		}
		b.WriteString(letter)
		rest = rest[size:]
	}
	return b.String(), o.dropped + int64(len(rest))
}

// invalid is how many bytes at the beginning are not UTF-8.
func invalid(text []byte) int {
	n := 0
	for n < len(text) {
		if r, size := utf8.DecodeRune(text[n:]); r != utf8.RuneError || size != 1 {
			break
		}
		n++
	}
	return n
}
