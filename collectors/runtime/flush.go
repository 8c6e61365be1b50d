package runtime

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"time"
)

// marks are the events of our own that somebody waits for to come out of a
// stream.
type marks struct {
	mu    sync.Mutex
	waits map[string]chan struct{}
}

// expect returns a channel that is closed when the event of that name comes.
func (m *marks) expect(name string) <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.waits == nil {
		m.waits = map[string]chan struct{}{}
	}
	m.waits[name] = make(chan struct{})
	return m.waits[name]
}

// pass tells that the event of that name came.
func (m *marks) pass(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if wait := m.waits[name]; wait != nil {
		close(wait)
		delete(m.waits, name)
	}
}

// flush returns once an event that it causes came out of the stream: all that
// happened before it was heard by then, and what the kernel's log adds to it.
func (n *node) flush(ctx context.Context) error {
	name := probePrefix + strings.ToLower(rand.Text())
	came := n.marks.expect(name)
	defer n.marks.pass(name)
	// The namespace is removed whether or not the event came in time.
	if err := n.makeNamed(context.WithoutCancel(ctx), name); err != nil {
		return err
	}
	select {
	case <-came:
		return n.kernel.done(ctx)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// whileHeard is a context that ends when nothing of the stream was recorded for
// ProbeTimeout. One that brings much is read for as long as that takes.
func (n *node) whileHeard(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := n.c.options.ProbeTimeout
	ctx, cancel := context.WithCancelCause(ctx)
	began := time.Now()
	go func() {
		for left := limit; left > 0; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(left):
			}
			since := n.doubt.last()
			if since.Before(began) {
				since = began
			}
			left = time.Until(since.Add(limit))
		}
		cancel(context.DeadlineExceeded)
	}()
	return ctx, func() { cancel(context.Canceled) }
}
