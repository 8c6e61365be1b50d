package runtime

import (
	"context"
	"time"
)

// flush returns once an event that it causes came out of the stream: all that
// containerd knew before it was heard by then, and what the kernel's log adds to it.
func (n *node) flush(ctx context.Context) error {
	if err := n.asker.ask(ctx); err != nil {
		return err
	}
	return n.kernel.done(ctx)
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
