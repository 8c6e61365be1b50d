package nodelogs

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
)

// queued bounds the pieces, of some 32 KiB each, that wait to be recorded. When
// it is reached the command in the node waits, and holds its files.
const queued = 64

// queue is a bounded buffer between what a command writes and its reader.
type queue struct {
	ctx    context.Context
	pieces chan []byte
	rest   []byte
	waits  *atomic.Int64
	end    sync.Once
}

func newQueue(ctx context.Context, waits *atomic.Int64) *queue {
	return &queue{ctx: ctx, pieces: make(chan []byte, queued), waits: waits}
}

// Write waits where the reader is behind, and fails when the context ends.
func (q *queue) Write(p []byte) (int, error) {
	piece := append([]byte(nil), p...)
	select {
	case q.pieces <- piece:
		return len(p), nil
	default:
	}
	q.waits.Add(1)
	select {
	case q.pieces <- piece:
		return len(p), nil
	case <-q.ctx.Done():
		return 0, q.ctx.Err()
	}
}

// Read returns what was written, io.EOF after close, and the context's error
// when it ends.
func (q *queue) Read(p []byte) (int, error) {
	if len(q.rest) == 0 {
		select {
		case piece, more := <-q.pieces:
			if !more {
				return 0, io.EOF
			}
			q.rest = piece
		case <-q.ctx.Done():
			return 0, q.ctx.Err()
		}
	}
	n := copy(p, q.rest)
	q.rest = q.rest[n:]
	return n, nil
}

// close ends the queue; what was written can still be read.
func (q *queue) close() { q.end.Do(func() { close(q.pieces) }) }
