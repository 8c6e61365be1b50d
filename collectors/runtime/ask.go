package runtime

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

const (
	// probePrefix begins the names of questions, and so of the events, and maybe
	// of the containerd namespaces, that they cause.
	probePrefix = "lab-probe-"
	// writeFor bounds the wait for room in the input of a stream.
	writeFor = 100 * time.Millisecond
)

// errDetached is the answer to a question whose stream broke.
var errDetached = errors.New("the answer did not come")

// input is the standard input of a stream.
type input interface {
	io.Writer
	SetWriteDeadline(time.Time) error
}

// asker asks a node, over the input of its event stream, to cause events. One
// question is on its way at most. All who begin to wait meanwhile share the next:
// a question answers those alone who began before it was sent.
type asker struct {
	mu sync.Mutex
	// stdin is the open stream's; nil while none is open, and then questions
	// wait for one.
	stdin input
	sent  *question
	next  *question
	// over says that nothing will be answered any more.
	over error
}

// question is one event that is to be caused.
type question struct {
	name string
	// waiting counts those who wait for it.
	waiting int
	// caused has something when the node says that it caused the event.
	caused chan struct{}
	// done is closed when the event came, or never will. Then err says why.
	done chan struct{}
	err  error
}

func newQuestion() *question {
	return &question{name: probePrefix + strings.ToLower(rand.Text()), caused: make(chan struct{}, 1), done: make(chan struct{})}
}

// ask returns once an event came out of the stream that was caused after ask was
// called. Its error wraps errDetached where the stream broke meanwhile.
func (a *asker) ask(ctx context.Context) error {
	a.mu.Lock()
	if a.over != nil {
		defer a.mu.Unlock()
		return a.over
	}
	if a.next == nil {
		a.next = newQuestion()
	}
	q := a.next
	q.waiting++
	a.advance()
	a.mu.Unlock()
	select {
	case <-q.done:
		return q.err
	case <-ctx.Done():
		a.leave(q)
		return context.Cause(ctx)
	}
}

// leave drops a question for which nobody waits any more.
func (a *asker) leave(q *question) {
	a.mu.Lock()
	defer a.mu.Unlock()
	q.waiting--
	if q.waiting > 0 {
		return
	}
	if a.next == q {
		a.next = nil
	}
	if a.sent == q {
		a.sent = nil
		a.advance()
	}
}

// advance sends the next question where none is on its way. The caller holds a.mu.
func (a *asker) advance() {
	for a.stdin != nil && a.sent == nil && a.next != nil {
		a.sent, a.next = a.next, nil
		if err := a.sent.send(a.stdin); err != nil {
			a.end(err)
		}
	}
}

// send writes the question's line. A pipe takes it as a whole or not at all.
func (q *question) send(stdin input) error {
	if err := stdin.SetWriteDeadline(time.Now().Add(writeFor)); err != nil {
		return fmt.Errorf("asking over the input of the event stream: %w", err)
	}
	if _, err := io.WriteString(stdin, q.name+"\n"); err != nil {
		return fmt.Errorf("asking over the input of the event stream: %w", err)
	}
	return nil
}

// end answers the question that is on its way. The caller holds a.mu.
func (a *asker) end(err error) {
	a.sent.err = err
	close(a.sent.done)
	a.sent = nil
}

// probe asks over the input of a stream that is not open yet, instead of what
// was asked before.
func (a *asker) probe(stdin input) (*question, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent = newQuestion()
	return a.sent, a.sent.send(stdin)
}

// attach begins to ask over the input of a stream that is open.
func (a *asker) attach(stdin input) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stdin, a.sent = stdin, nil
	a.advance()
}

// detach ends all questions: their stream broke.
func (a *asker) detach(why error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.endAll(fmt.Errorf("%w: %w", errDetached, why))
}

// close ends all questions, and those to come.
func (a *asker) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = errors.New("the observation had ended before")
	a.endAll(a.over)
}

// endAll answers all questions. The caller holds a.mu.
func (a *asker) endAll(err error) {
	a.stdin = nil
	for _, q := range []*question{a.sent, a.next} {
		if q != nil {
			q.err = err
			close(q.done)
		}
	}
	a.sent, a.next = nil, nil
}

// pass notes that the event of that name came out of the stream.
func (a *asker) pass(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sent != nil && a.sent.name == name {
		a.end(nil)
		a.advance()
	}
}

// answered takes a line of the stream's standard error, and says whether it is
// about a question: its name where the event was caused, "NAME: REASON" where not.
func (a *asker) answered(line string) bool {
	if !strings.HasPrefix(line, probePrefix) {
		return false
	}
	name, reason, failed := strings.Cut(line, ":")
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.sent == nil || a.sent.name != name:
	case failed:
		a.end(fmt.Errorf("the node cannot cause an event in containerd: %w", spoken{err: errors.New("ctr failed"), said: reason}))
		a.advance()
	default:
		select {
		case a.sent.caused <- struct{}{}:
		default: // it said so before
		}
	}
	return true
}
