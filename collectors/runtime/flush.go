package runtime

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
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
		return n.kernel.told(ctx)
	case <-ctx.Done():
		return ctx.Err()
	}
}
