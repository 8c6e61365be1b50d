package nodelogs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
)

const (
	// mostData bounds the bytes that the script sends at once.
	mostData = 1 << 20
	// criHeader is more than a line of a file has beside its text.
	criHeader = 128
	// maxAge bounds the age of a command, in seconds.
	maxAge = 1e9
	// restFor is how many of the script's ticks, one a second, the last line of
	// a run waits for its end. That a file was rotated is reported before the second
	// tick after it, however late that is heard.
	restFor = 2
)

// cutLine returns the line at the beginning of buf and what is after it, or
// all of it if it has no end.
func cutLine(buf []byte) (line, after []byte, found bool) {
	return bytes.Cut(buf, []byte("\n"))
}

// errProtocol is a message that the script cannot have sent.
var errProtocol = errors.New("the command in the node sent what it should not have")

// reading is the reading of one command's messages.
type reading struct {
	n     *node
	in    *bufio.Reader
	files map[int]*file
	buf   []byte
	began time.Time // not after the command began
	ready func()
	lost  bool // a file that was being read is gone
	whole bool // no container's files came and went since the reading before
}

func newReading(n *node, in io.Reader, began time.Time, ready func()) *reading {
	return &reading{n: n, in: bufio.NewReaderSize(in, 64<<10), files: map[int]*file{}, began: began, ready: ready}
}

// all takes messages until they end.
func (r *reading) all(ctx context.Context) error {
	for ctx.Err() == nil {
		head, err := r.in.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := r.message(strings.Fields(string(head))); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// message takes one message, whose words are given.
func (r *reading) message(words []string) error {
	if len(words) == 0 {
		return fmt.Errorf("%w: an empty line", errProtocol)
	}
	var data []byte
	if words[0] == "D" && len(words) == 3 {
		size, err := strconv.Atoi(words[2])
		if err != nil || size < 0 || size > mostData {
			return fmt.Errorf("%w: %q", errProtocol, words)
		}
		if cap(r.buf) < size {
			r.buf = make([]byte, size)
		}
		data = r.buf[:size]
		if _, err := io.ReadFull(r.in, data); err != nil {
			return fmt.Errorf("reading a piece of a log: %w", err)
		}
	}
	r.n.mu.Lock()
	defer r.n.mu.Unlock()
	if r.take(words, data) {
		return nil
	}
	return fmt.Errorf("%w: %.200q", errProtocol, words)
}

// take does what a message says. It is false if it makes no sense.
func (r *reading) take(words []string, data []byte) bool {
	switch kind := words[0] + strconv.Itoa(len(words)-1); {
	case words[0] == "W":
		r.n.c.options.Warn("node " + r.n.name + ": " + strings.Join(words[1:], " "))
	case kind == "R0":
		r.n.sees(sight{at: r.began})
		r.ready()
	case kind == "Q0":
		r.whole = true
	case kind == "T3":
		return r.tick(words[1], words[2]+" "+words[3])
	case kind == "S1" && words[1] == r.n.outage.token:
		r.mend()
	case kind == "S1":
		r.n.settle()
		r.n.answered(words[1])
	case kind == "X1":
		r.gone(words[1])
	case kind == "F5":
		return r.begin(words)
	case kind == "D2", kind == "M1", kind == "E1":
		id, err := strconv.Atoi(words[1])
		f := r.files[id]
		if err != nil || f == nil {
			return false
		}
		switch words[0] {
		case "D":
			f.data(data)
			if f.current {
				f.of.off += int64(len(data))
			}
		case "M":
			f.of.rotated = f.of.rotated || f.current
		case "E":
			f.end()
			delete(r.files, id)
		}
	case kind == "N2", kind == "L2", kind == "V2":
		run, err := strconv.Atoi(words[2])
		t := r.n.container(words[1])
		if err != nil || t == nil {
			return false
		}
		r.presence(words[0], t, run)
	default:
		return false
	}
	return true
}

// presence takes that a run's file is there, or is not there any more.
func (r *reading) presence(kind string, t *container, run int) {
	switch kind {
	case "L":
		r.lost = true
		t.flushAll()
		t.head, t.off, t.rest = "", 0, nil
		t.gap(t.last, time.Now(), -1, fmt.Sprintf(
			"the log file of run %d of the container went while node %s could not be read", run, r.n.name))
	case "V":
		t.gap(t.last, time.Now(), -1, fmt.Sprintf("a log file of run %d of the container went before it was read", run))
	}
	t.runs[run] = true
}

// gone takes that a container's files went after they were read.
func (r *reading) gone(dir string) {
	if t := r.n.containers[dir]; t != nil {
		t.flushAll()
		t.declare()
		delete(r.n.containers, dir)
	}
}

// begin takes that a file is read from somewhere on.
func (r *reading) begin(words []string) bool {
	id, idErr := strconv.Atoi(words[1])
	run, runErr := strconv.Atoi(words[3])
	off, offErr := strconv.ParseInt(words[5], 10, 64)
	t := r.n.container(words[2])
	if idErr != nil || runErr != nil || offErr != nil || t == nil {
		return false
	}
	if run != t.run {
		t.flushAll()
	}
	rest := t.rest
	for _, f := range r.files {
		if f.of == t {
			f.current = false
		}
	}
	f := &file{of: t, run: run, current: true}
	if off > 0 && t.head == words[4] && t.run == run {
		f.rest = rest // what an earlier reading had of a line
	}
	t.run, t.head, t.off, t.rotated, t.rest = run, words[4], off, false, nil
	r.files[id] = f
	return true
}

// tick does what is due once a second. age is when the folders were looked at,
// in seconds since the command began, and state what the command is given of that
// where it is started again.
func (r *reading) tick(age, state string) bool {
	after, err := strconv.ParseFloat(age, 64)
	if err != nil || !(after >= 0 && after < maxAge) {
		return false
	}
	n := r.n
	n.sees(sight{at: r.began.Add(time.Duration(after * float64(time.Second))), state: state})
	for _, t := range n.containers {
		t.atRest()
	}
	n.c.files.Flush()
	return true
}

// close keeps what was read of unfinished lines for the reading after this.
func (r *reading) close() {
	r.n.mu.Lock()
	defer r.n.mu.Unlock()
	for _, f := range r.files {
		if f.current {
			f.of.rest = f.rest
		} else {
			f.end()
		}
	}
}

// container returns the container of a folder NAMESPACE_POD_UID/NAME, nil where
// it is none. The caller holds n.mu.
func (n *node) container(dir string) *container {
	if t := n.containers[dir]; t != nil {
		return t
	}
	pod, name, found := strings.Cut(dir, "/")
	parts := strings.Split(pod, "_")
	if !found || len(parts) != 3 || name == "" {
		return nil
	}
	t := &container{
		c: n.c, name: name, runs: map[int]bool{}, last: time.Now(), log: n.c.files.Of(parts[1], name),
		object: collectors.Object{Kind: "Pod", Namespace: parts[0], Name: parts[1], UID: parts[2]},
	}
	n.containers[dir] = t
	return t
}
