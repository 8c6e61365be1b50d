package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// provesAgain is how long after an event was caused it is missed, at first,
	// and provesLast in the end: it is lost where ctr did not listen yet.
	provesAgain = 20 * time.Millisecond
	provesLast  = 500 * time.Millisecond
)

// prove returns once an event of our own came out of the stream: a stream
// prints nothing when it is up, and until then it may miss what happens.
func (n *node) prove(ctx context.Context, s *stream) error {
	limit := n.c.options.ProbeTimeout
	proving, cancel := context.WithTimeoutCause(ctx, limit,
		fmt.Errorf("no event came out of the stream within %v of asking for one", limit))
	defer cancel()
	p := &proof{n: n, stdin: s.stdin, pause: provesAgain, asked: &question{}, again: time.NewTimer(0)}
	defer p.again.Stop()
	for {
		for len(n.ahead) > 0 {
			e := n.pop()
			n.hear(ctx, e)
			if e.err == nil && e.isAnswer() {
				return nil
			}
		}
		if n.lines == nil {
			return <-s.ended
		}
		select {
		case line, more := <-n.lines:
			if !more {
				return <-s.ended
			}
			n.listen(ctx, line)
		case <-p.again.C:
			p.ask()
		case <-p.asked.caused:
			p.askLater()
		case <-p.asked.done:
			p.last = p.asked.err
			p.askLater()
		case <-proving.Done():
			return fmt.Errorf("opening containerd's event stream: %w", errors.Join(context.Cause(proving), p.last))
		}
	}
}

// proof asks again and again for an event.
type proof struct {
	n     *node
	stdin input
	// asked is the question whose answer is waited for; without channels where
	// there is none.
	asked *question
	again *time.Timer
	pause time.Duration
	last  error
}

// ask asks once more.
func (p *proof) ask() {
	q, err := p.n.asker.probe(p.stdin)
	if err != nil {
		p.last = err
		p.askLater()
		return
	}
	p.asked = q
}

// askLater asks once more after a pause.
func (p *proof) askLater() {
	p.asked = &question{}
	p.again.Reset(p.pause)
	p.pause = min(2*p.pause, provesLast)
}
