package kind

import (
	"fmt"
	"strings"
	"sync"
	"unicode"

	"sigs.k8s.io/kind/pkg/log"
)

// logger turns what the library tells a terminal into lines of progress.
type logger struct {
	mu   sync.Mutex
	step string
	line func(string)
	// booted is closed once the nodes' containers have booted: to run a
	// command in one earlier breaks its cgroups (kind's issue 2409).
	booted chan struct{}
}

func newLogger(line func(string)) *logger {
	return &logger{line: line, booted: make(chan struct{})}
}

// begin notes the step. The first two make the containers.
func (l *logger) begin(step string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.step = step
	if strings.HasPrefix(step, "Ensuring node image") || strings.HasPrefix(step, "Preparing nodes") {
		return
	}
	select {
	case <-l.booted:
	default:
		close(l.booted)
	}
}

// current is the step that was last begun, such as "Starting control-plane".
func (l *logger) current() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.step
}

func (l *logger) Warn(message string)          { l.tell(message) }
func (l *logger) Warnf(f string, args ...any)  { l.tell(fmt.Sprintf(f, args...)) }
func (l *logger) Error(message string)         { l.tell(message) }
func (l *logger) Errorf(f string, args ...any) { l.tell(fmt.Sprintf(f, args...)) }

// V returns a logger for level 0 alone: what is above it is for debugging the
// library.
func (l *logger) V(level log.Level) log.InfoLogger {
	if level > 0 {
		return log.NoopInfoLogger{}
	}
	return info{l}
}

type info struct{ *logger }

func (i info) Info(message string)         { i.tell(message) }
func (i info) Infof(f string, args ...any) { i.tell(fmt.Sprintf(f, args...)) }
func (i info) Enabled() bool               { return true }

// tell passes on the beginning of a step and every other message, and leaves
// out that a step has ended: the next one says so.
func (l *logger) tell(message string) {
	text := plain(message)
	step, begins := strings.CutPrefix(text, "• ")
	switch {
	case begins:
		text = strings.TrimSpace(strings.TrimSuffix(step, "..."))
		l.begin(text)
	case text == "", strings.HasPrefix(text, "✓ "), strings.HasPrefix(text, "✗ "), strings.HasPrefix(text, "Creating cluster "),
		strings.HasPrefix(text, "cgroup v1 is deprecated"):
		return
	}
	l.line(text)
}

// plain drops pictures, control characters and the space around them.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '•', r == '✓', r == '✗', r == '≤':
			return r
		case r == '\n', r == '\t':
			return ' '
		case r == '\ufe0f', unicode.IsControl(r), unicode.Is(unicode.So, r):
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// serial makes progress callable by several goroutines at once, and nil no
// trouble.
func serial(progress func(string)) func(string) {
	var mu sync.Mutex
	return func(line string) {
		if progress == nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		progress(line)
	}
}

var _ log.Logger = (*logger)(nil)
