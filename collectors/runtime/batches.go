package runtime

import (
	"context"
	"sync"
)

// batches are questions to a node of which several are asked at a time: all that
// came up while the ones before were asked. A command in a node costs more than
// what it asks, on a busy host above all.
type batches[T any] struct {
	mu      sync.Mutex
	waiting []T
	asking  bool
	// idle is closed when nobody asks; nil where nobody did yet.
	idle chan struct{}
}

// add adds a question. The questions are asked beside, in their order and at most
// limit at a time.
func (b *batches[T]) add(group *sync.WaitGroup, question T, limit int, ask func([]T)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, question)
	if b.asking {
		return
	}
	b.asking, b.idle = true, make(chan struct{})
	group.Go(func() {
		for batch := b.next(limit); len(batch) > 0; batch = b.next(limit) {
			ask(batch)
		}
	})
}

// next takes what waits, or notes that nobody asks any more.
func (b *batches[T]) next(limit int) []T {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := min(limit, len(b.waiting))
	batch := b.waiting[:n:n]
	b.waiting = b.waiting[n:]
	if n == 0 {
		b.waiting, b.asking = nil, false
		close(b.idle)
	}
	return batch
}

// done waits until nobody asks.
func (b *batches[T]) done(ctx context.Context) error {
	b.mu.Lock()
	idle := b.idle
	b.mu.Unlock()
	if idle == nil {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
