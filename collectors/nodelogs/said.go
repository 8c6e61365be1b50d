package nodelogs

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// mostSaid bounds what is kept of what a command says, in bytes.
const mostSaid = 4 << 10

// tail keeps the last of what is written to it.
type tail struct{ kept []byte }

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if extra := len(t.kept) - mostSaid; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.kept) }

// streamError says why the reading ended: what the command said, where it said
// anything.
func streamError(err error, said string) error {
	if err == nil {
		err = errors.New("the command ended")
	}
	return fmt.Errorf("the reading of its log files broke off: %w", spoken{err: err, said: said})
}

// spoken is a command's error in one line.
type spoken struct {
	err  error
	said string
}

// Error returns at most 600 bytes.
func (s spoken) Error() string { return oneLine(cmp.Or(s.said, s.err.Error())) }

// Unwrap returns how the command ended.
func (s spoken) Unwrap() error { return s.err }

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return text[:min(len(text), 600)]
}
