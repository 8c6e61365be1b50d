package clocks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// tries is how often a clock is asked for one measurement; the fastest answer
	// counts.
	tries = 8
	// enough is an uncertainty with which no further try is made.
	enough = 500 * time.Microsecond
	// mostSaid bounds what is kept of what a command says, in bytes.
	mostSaid = 1 << 10
)

// script prints the node's boot id, and then its time for each line that it is
// given.
const script = `cat ` + bootIDFile + ` 2>/dev/null || echo none
while read -r line; do date +%s.%N; done`

// errClock is an answer that is no time.
var errClock = errors.New("the answer is no time")

// measurement bounds how far a clock is ahead of this machine's.
type measurement struct {
	low, high time.Duration
	at        reading
	same      bool
}

func (m measurement) width() time.Duration { return m.high - m.low }

// sample is what one answer says: the clock was at said, or up to resolution
// later, somewhere between two readings. It is false if this machine's clock
// was set in between.
func sample(asked, answered reading, said time.Time, resolution time.Duration) (measurement, bool) {
	if answered.since(asked) != 0 {
		return measurement{}, false
	}
	return measurement{low: said.Sub(answered.wall), high: said.Add(resolution).Sub(asked.wall), at: answered}, true
}

// node asks a node's clock.
func (c *Collector) node(parent context.Context, name string) (best measurement, err error) {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	// A file, because a process gets a file as it is: nobody copies, and the
	// kernel ends it when this process dies.
	stdin, hold, err := os.Pipe()
	if err != nil {
		return best, fmt.Errorf("opening a pipe to ask for the time: %w", err)
	}
	out := &answers{host: c.host, lines: make(chan answer, 2*tries)}
	var said tail
	ended := make(chan error, 1)
	go func() {
		err := c.exec.NodeExec(ctx, name, stdin, out, &said, "sh", "-c", script)
		ended <- errors.Join(err, stdin.Close())
	}()
	best, err = c.converse(ctx, hold, out.lines, ended)
	err = errors.Join(err, hold.Close())
	if err != nil {
		cancel()
	}
	_ = <-ended // that it was cancelled says no more than err
	if err != nil {
		return best, fmt.Errorf("asking for its time: %w", errors.Join(err, said.err()))
	}
	return best, nil
}

// converse asks some times, and returns what is known best.
func (c *Collector) converse(ctx context.Context, in io.Writer, lines <-chan answer, ended chan error) (best measurement, err error) {
	next := func() (answer, error) {
		select {
		case a := <-lines:
			return a, nil
		case err := <-ended:
			ended <- nil
			return answer{}, errors.Join(errors.New("the command ended"), err)
		case <-ctx.Done():
			return answer{}, ctx.Err()
		}
	}
	id, err := next()
	if err != nil {
		return best, err
	}
	same, found := c.bootID != "" && id.text == c.bootID, false
	for range tries {
		asked := c.host.now()
		if _, err := io.WriteString(in, "\n"); err != nil {
			return best, err
		}
		a, err := next()
		if err != nil {
			return best, err
		}
		said, resolution, err := parseTime(a.text)
		if err != nil {
			return best, err
		}
		m, ok := sample(asked, a.at, said, resolution)
		if ok && (!found || m.width() < best.width()) {
			best, found = m, true
		}
		if found && (best.width() < 2*enough || same) {
			break
		}
	}
	if !found {
		return best, errors.New("this machine's clock was set meanwhile")
	}
	// A machine that was copied while it ran may have this one's boot id.
	best.same = same && best.low <= 0 && best.high >= 0
	return best, nil
}

// server asks the API server's clock.
func (c *Collector) server(ctx context.Context) (best measurement, err error) {
	found := false
	for range tries {
		asked := c.host.now()
		said, err := c.options.Server(ctx)
		if err != nil {
			return best, fmt.Errorf("asking for its time: %w", err)
		}
		m, ok := sample(asked, c.host.now(), said, time.Second)
		if ok && (!found || m.width() < best.width()) {
			best, found = m, true
		}
		if found && best.width() < time.Second+20*time.Millisecond {
			break
		}
	}
	if !found {
		return best, errors.New("this machine's clock was set meanwhile")
	}
	return best, nil
}

// parseTime reads seconds since 1970 with a fraction, and says how finely they
// are reported: a date that does not know nanoseconds prints none.
func parseTime(text string) (time.Time, time.Duration, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || seconds < 0 {
		return time.Time{}, 0, fmt.Errorf("%w: %.100q", errClock, text)
	}
	nanos, err := strconv.ParseUint(fraction, 10, 32)
	if err != nil || len(fraction) != 9 {
		return time.Unix(seconds, 0), time.Second, nil
	}
	return time.Unix(seconds, int64(nanos)), time.Nanosecond, nil
}

// answer is a line and when it came.
type answer struct {
	text string
	at   reading
}

// answers takes a command's output apart.
type answers struct {
	host  *host
	lines chan answer
	part  []byte
}

// Write never waits: what nobody asked for is thrown away.
func (a *answers) Write(p []byte) (int, error) {
	at := a.host.now()
	a.part = append(a.part, p...)
	for {
		line, after, found := bytes.Cut(a.part, []byte("\n"))
		if !found {
			break
		}
		select {
		case a.lines <- answer{strings.TrimSpace(string(line)), at}:
		default:
		}
		a.part = append([]byte(nil), after...)
	}
	if len(a.part) > mostSaid {
		a.part = nil
	}
	return len(p), nil
}

// tail keeps the beginning of what a command says.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p[:min(len(p), mostSaid-len(t.kept))]...)
	return len(p), nil
}

// err is what was said, in one line; nil if nothing was.
func (t *tail) err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text := strings.Join(strings.Fields(string(t.kept)), " "); text != "" {
		return errors.New(text)
	}
	return nil
}
