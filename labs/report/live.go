package report

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// LiveOptions says how a run is told while it goes on.
type LiveOptions struct {
	// TTY says that the writer is a terminal, which can be written over.
	TTY   bool
	Color bool
	// Width is the terminal's number of columns; 0 means 100. Lines of logs
	// are cut to it on a terminal only.
	Width int
	// Size tells a terminal's columns and lines, 0 for what is not known; nil
	// means Width and 24. It is asked whenever the terminal is written to, so
	// that what is written fits one that is resized.
	Size func() (width, height int)
	// ASCII is as in Style.
	ASCII bool
	// Clusters are the names of the clusters in the plan's order.
	Clusters []string
	// Logs tells the lines that containers write, too.
	Logs bool
	// Verbose tells of each state of a pod, and not only of changes of its
	// STATUS and READY.
	Verbose bool
	// Now tells the time; nil means time.Now. Tick makes the status lines of a
	// terminal go on; nil means ten times a second.
	Now  func() time.Time
	Tick <-chan time.Time
}

// Live tells what happens while a run goes on: lines, and on a terminal below
// them a lane for each cluster that says what it is doing and for how long, and
// what its pods and their containers are.
// Its methods are safe for concurrent use.
type Live struct {
	w    io.Writer
	opts LiveOptions
	teller
	quit chan struct{}
	over sync.WaitGroup

	mu      sync.Mutex
	err     error
	closed  bool
	pending bytes.Buffer
	flushed time.Time
	board   board
}

const (
	// redraw is how often a terminal is written to at most, unless much waits
	// to be written.
	redraw      = 50 * time.Millisecond
	tick        = 100 * time.Millisecond
	mostPending = 64 << 10
)

// NewLive begins to tell. Close has to be called in the end: until then a
// terminal is written to also between events.
func NewLive(w io.Writer, opts LiveOptions) *Live {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	style := Style{Color: opts.Color, Width: opts.Width, ASCII: opts.ASCII}
	l := &Live{w: w, opts: opts, teller: newTeller(style, opts), quit: make(chan struct{})}
	l.board = newBoard(style, opts.Clusters, opts.Now())
	if opts.TTY {
		l.over.Go(l.spin)
	}
	return l
}

// Event tells of an event. A failure to write is kept for Close.
func (l *Live) Event(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.opts.Now()
	l.board.event(e, now)
	for _, line := range l.tell(e) {
		l.pending.WriteString(line)
		l.pending.WriteByte('\n')
	}
	if !l.opts.TTY || now.Sub(l.flushed) >= redraw || l.pending.Len() >= mostPending {
		l.flush(now)
	}
}

// Close takes the status lines off the terminal and returns the first failure
// to write. Events that come later are told without status lines.
func (l *Live) Close() error {
	l.mu.Lock()
	already := l.closed
	l.closed = true
	if !already {
		close(l.quit)
		l.flush(l.opts.Now())
	}
	l.mu.Unlock()
	l.over.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// spin writes what waits, and the status lines anew, until Close.
func (l *Live) spin() {
	ticks := l.opts.Tick
	if ticks == nil {
		ticker := time.NewTicker(tick)
		defer ticker.Stop()
		ticks = ticker.C
	}
	for {
		select {
		case <-l.quit:
			return
		case <-ticks:
			l.mu.Lock()
			if !l.closed {
				l.flush(l.opts.Now())
			}
			l.mu.Unlock()
		}
	}
}

// The beginning and the end of what a terminal shows at once, where it can
// (synchronized output); others pass over them.
const (
	beginShown = "\x1b[?2026h"
	endShown   = "\x1b[?2026l"
)

// flush writes what waits: on a terminal over the lanes, which then stand below
// it.
func (l *Live) flush(now time.Time) {
	l.flushed = now
	var out bytes.Buffer
	if l.opts.TTY {
		l.measure()
		out.WriteString(beginShown + l.board.up())
		if l.pending.Len() > 0 || l.closed {
			out.WriteString("\x1b[J")
		}
	}
	if _, err := l.pending.WriteTo(&out); err != nil {
		l.fail(err)
	}
	if l.opts.TTY {
		if !l.closed {
			out.WriteString(l.board.draw(now))
		}
		out.WriteString(endShown)
	}
	if out.Len() == 0 {
		return
	}
	if _, err := out.WriteTo(l.w); err != nil {
		l.fail(err)
	}
}

// measure takes in how large the terminal is now.
func (l *Live) measure() {
	if l.opts.Size == nil {
		return
	}
	width, height := l.opts.Size()
	l.board.Width, l.teller.Width, l.board.height = width, width, height
}

func (l *Live) fail(err error) {
	if l.err == nil {
		l.err = fmt.Errorf("telling what happens: %w", err)
	}
}
