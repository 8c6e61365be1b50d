// Package live shows a run while it goes on: what happens, line by line, and on a
// terminal a dashboard of its clusters.
package live

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/layout"
)

// View shows what happens while a run goes on: lines, and on a terminal below
// them a lane for each cluster that says what it is doing and for how long, and
// what its pods and their containers are.
// Its methods are safe for concurrent use.
type View struct {
	w    io.Writer
	opts Options
	quit chan struct{}
	over sync.WaitGroup

	mu        sync.Mutex
	err       error
	closed    bool
	pending   bytes.Buffer
	flushed   time.Time
	printer   printer
	dashboard dashboard
}

const (
	// redraw is how often a terminal is written to at most, unless much waits
	// to be written.
	redraw      = 50 * time.Millisecond
	mostPending = 64 << 10
)

// New begins to show a run. Close has to be called in the end: until then a
// terminal is written to also between events.
func New(w io.Writer, opts Options) *View {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	style := layout.Style{Color: opts.Color, Width: opts.Width, ASCII: opts.ASCII}
	v := &View{w: w, opts: opts, printer: newPrinter(style, opts), quit: make(chan struct{})}
	v.dashboard = newDashboard(style, opts.Clusters, opts.Now())
	if opts.TTY {
		v.over.Go(v.spin)
	}
	return v
}

// Event shows an event. A failure to write is kept for Close.
func (v *View) Event(e report.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.opts.Now()
	v.dashboard.event(e, now)
	for _, line := range v.printer.lines(e) {
		v.pending.WriteString(line)
		v.pending.WriteByte('\n')
	}
	if !v.opts.TTY || now.Sub(v.flushed) >= redraw || v.pending.Len() >= mostPending {
		v.flush(now)
	}
}

// Close takes the status lines off the terminal and returns the first failure
// to write. Events that come later are shown without status lines.
func (v *View) Close() error {
	v.mu.Lock()
	already := v.closed
	v.closed = true
	if !already {
		close(v.quit)
		v.flush(v.opts.Now())
	}
	v.mu.Unlock()
	v.over.Wait()
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.err
}

// spin writes what waits, and the status lines anew, until Close.
func (v *View) spin() {
	ticks := v.opts.Tick
	if ticks == nil {
		ticker := time.NewTicker(tick)
		defer ticker.Stop()
		ticks = ticker.C
	}
	for {
		select {
		case <-v.quit:
			return
		case <-ticks:
			v.mu.Lock()
			if !v.closed {
				v.flush(v.opts.Now())
			}
			v.mu.Unlock()
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
func (v *View) flush(now time.Time) {
	v.flushed = now
	var out bytes.Buffer
	if v.opts.TTY {
		v.measure()
		out.WriteString(beginShown + v.dashboard.up())
		if v.pending.Len() > 0 || v.closed {
			out.WriteString("\x1b[J")
		}
	}
	if _, err := v.pending.WriteTo(&out); err != nil {
		v.fail(err)
	}
	if v.opts.TTY {
		if !v.closed {
			out.WriteString(v.dashboard.draw(now))
		}
		out.WriteString(endShown)
	}
	if out.Len() == 0 {
		return
	}
	if _, err := out.WriteTo(v.w); err != nil {
		v.fail(err)
	}
}

// measure takes in how large the terminal is now.
func (v *View) measure() {
	if v.opts.Size == nil {
		return
	}
	width, height := v.opts.Size()
	v.dashboard.Width, v.printer.Width, v.dashboard.height = width, width, height
}

func (v *View) fail(err error) {
	if v.err == nil {
		v.err = fmt.Errorf("printing what happens: %w", err)
	}
}
