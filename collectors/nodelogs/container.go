package nodelogs

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/collectors/internal/logfile"
)

// container is what is known of one container of one pod. Its node's mutex
// guards it.
type container struct {
	c      *Collector
	object collectors.Object
	name   string
	log    *logfile.Log

	// run, head and off are how far it has been read: which run's file, known
	// by its first word, and how many bytes of it. head is empty before any.
	run  int
	head string
	off  int64
	// rest is what an earlier reading had of a line there.
	rest []byte

	runs     map[int]bool // those that had a file
	told     int          // the holes before this run are declared
	partials [len(streamNames)]partial
	rotated  bool      // its file was rotated, and the next one has not begun
	last     time.Time // the time of the newest line, at first when it was seen

	lines, bytes int
	full         bool // the bounds were reached: lines are counted only
	beyond       loss
	garbled      loss
}

// partial is the beginning of a line whose end has not come.
type partial struct {
	open  bool
	at    time.Time
	text  []byte
	short bool // the runtime does not write on at it, unless in another file
	ticks int  // the script's ticks since it was heard
}

// loss is what is missing since from, as far as it is not declared.
type loss struct {
	from   time.Time
	count  int
	reason string
}

// file is one file while it is read.
type file struct {
	of   *container
	run  int
	rest []byte // of a line whose end was not read
	// current says that it is the newest of its container.
	current bool
}

// data takes bytes of a file.
func (f *file) data(buf []byte) {
	for len(buf) > 0 {
		line, after, found := cutLine(buf)
		if len(f.rest) > 0 || !found {
			room := max(0, MaxLine+criHeader-len(f.rest))
			f.rest = append(f.rest, line[:min(len(line), room)]...)
			line = f.rest
		}
		if !found {
			return
		}
		f.of.line(f.run, line)
		f.rest = f.rest[:0]
		buf = after
	}
}

// end takes what is left of a file that gets no more.
func (f *file) end() {
	if len(f.rest) > 0 {
		f.of.line(f.run, f.rest)
		f.rest = nil
	}
}

// line takes a line of a file.
func (t *container) line(run int, raw []byte) {
	l, ok := parseCRI(raw)
	if !ok {
		t.lose(&t.garbled, t.last, "the log file has lines that the runtime cannot have written")
		return
	}
	p := &t.partials[l.stream]
	if !l.partial && !p.open {
		t.record(run, l.stream, l.at, l.text)
		return
	}
	if !p.open {
		p.open, p.at = true, l.at
	}
	// One byte too many says that it was cut.
	room := max(0, MaxLine+1-len(p.text))
	p.text = append(p.text, l.text[:min(len(l.text), room)]...)
	p.short, p.ticks = len(l.text) < criBuffer, 0
	if !l.partial {
		t.flush(run, l.stream)
	}
}

// flush records what came of a line as a line.
func (t *container) flush(run, stream int) {
	p := &t.partials[stream]
	if !p.open {
		return
	}
	t.record(run, stream, p.at, p.text)
	p.open, p.text = false, p.text[:0]
	if cap(p.text) > criBuffer {
		p.text = nil
	}
}

// flushAll records the lines that have no end as lines.
func (t *container) flushAll() {
	for stream := range t.partials {
		t.flush(t.run, stream)
	}
}

// atRest records, at a tick, a last line without an end once nothing more can come
// of it: a runtime writes a short part only where the stream ended, or the file.
// The script's ticks count, and not the time here: where what it sent waits, the
// news that the file was rotated may be late by any time.
func (t *container) atRest() {
	for stream := range t.partials {
		p := &t.partials[stream]
		p.ticks++
		if p.open && p.short && !t.rotated && p.ticks >= restFor {
			t.flush(t.run, stream)
		}
	}
}

// record keeps a line, or counts it where it is beyond the bounds.
func (t *container) record(run, stream int, at time.Time, raw []byte) {
	c := t.c
	text, cut := textOf(raw)
	t.last = at
	if t.full || t.isFull(text) {
		if !t.full {
			t.full = true
			c.options.Warn(fmt.Sprintf(
				"container %s of pod %s writes more than is kept (%d MiB or %d lines of a container, %d lines and %d MiB of all): lines from %s on are counted only",
				t.name, t.object.Name, c.options.ContainerBytes>>20, c.options.ContainerLines,
				c.options.TotalLines, c.options.DirBytes>>20, at.Format(time.RFC3339Nano)))
		}
		t.lose(&t.beyond, at, "truncated: the container wrote more than is kept")
		return
	}
	t.lines++
	t.bytes += len(text)
	c.lines.Add(1)
	c.bytes.Add(int64(len(text)))
	t.log.Add(at, text)
	c.sink.Add(collectors.Record{
		Time: at, Precision: time.Nanosecond, Source: collectors.SourceLog, Type: collectors.TypeLog,
		Object: t.object, Container: t.name,
		Log: &collectors.Log{Run: run, Stream: streamNames[stream], Text: text, Cut: cut},
	})
}

// isFull says whether a line is beyond the bounds.
func (t *container) isFull(text string) bool {
	o := &t.c.options
	return t.bytes+len(text) > o.ContainerBytes || t.lines >= o.ContainerLines ||
		t.c.lines.Load() >= int64(o.TotalLines) ||
		o.Dir != "" && t.c.files.Bytes()+logfile.Size(text) > o.DirBytes
}

// lose counts a line that is missing. The first one is declared at once, with
// an end and a count that are not known yet.
func (t *container) lose(l *loss, from time.Time, reason string) {
	if l.count == 0 {
		*l = loss{from: from, reason: reason}
		t.gap(from, time.Time{}, -1, reason)
	}
	l.count++
}

// declare closes the gaps of what was lost and says how much it was.
func (t *container) declare() {
	for _, l := range []*loss{&t.beyond, &t.garbled} {
		if l.count > 0 {
			t.gap(l.from, time.Now(), l.count, l.reason)
			*l = loss{}
		}
	}
	next := 0
	for _, run := range slices.Sorted(maps.Keys(t.runs)) {
		if run > max(next, t.told) {
			t.gap(t.last, time.Now(), -1, fmt.Sprintf("the container has a run %d; the log files of its runs %d to %d were never there",
				run, max(next, t.told), run-1))
		}
		next = run + 1
	}
	t.told = max(t.told, next)
}

// gap declares that lines are missing; to is zero if that goes on.
func (t *container) gap(from, to time.Time, count int, reason string) {
	t.c.sink.Add(collectors.Record{
		Time: time.Now(), Precision: time.Nanosecond, Source: collectors.SourceLog, Type: collectors.TypeGap,
		Object: t.object, Container: t.name,
		Gap: &collectors.Gap{From: from, To: to, Reason: reason, Count: count},
	})
}
