package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

// idLength is the length of the id that each line of a followed log carries on
// its way through stern: it says which stream the line is from.
const idLength = 8

// streams are the logs that are being followed.
type streams struct {
	c *Collector

	mu    sync.Mutex
	open  map[string]*stream
	count uint32
	busy  int        // streams and readings that are not over
	idle  *sync.Cond // busy became 0; on mu
}

// stream is one request of stern for a container's log.
type stream struct {
	streams   *streams
	id        string
	container *container
	run       int
	pass      *pass
	ctx       context.Context //nolint:containedctx // a response's body lives as long as its request
	body      io.ReadCloser
	lines     *lineReader
	out       []byte
	garbled   bool // it had a message that is no line of the container
	err       error
	close     func() error
}

func newStreams(c *Collector) *streams {
	s := &streams{c: c, open: map[string]*stream{}}
	s.idle = sync.NewCond(&s.mu)
	return s
}

var _ io.ReadCloser = (*stream)(nil)

// roundTripper is a transport that marks the lines of followed logs.
type roundTripper struct {
	next    http.RoundTripper
	streams *streams
	path    *regexp.Regexp
}

func (s *streams) wrap(next http.RoundTripper) http.RoundTripper {
	return &roundTripper{next: next, streams: s, path: regexp.MustCompile(`/api/v1/namespaces/[^/]+/pods/([^/]+)/log$`)}
}

// RoundTrip sends the request on. The body of a followed log is replaced by
// one that bounds and marks its lines.
func (t *roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	match := t.path.FindStringSubmatch(request.URL.Path)
	query := request.URL.Query()
	response, err := t.next.RoundTrip(request)
	if err != nil || match == nil || query.Get("follow") != "true" || response.StatusCode != http.StatusOK {
		return response, err
	}
	c, number := t.streams.c.book.find(match[1], query.Get("container"))
	if c == nil {
		return nil, errors.Join(fmt.Errorf("the log of pod %s is followed before the pod was seen", match[1]), response.Body.Close())
	}
	body, err := t.streams.begin(request.Context(), c, number, response.Body)
	if err != nil {
		return nil, err
	}
	response.Body = body
	return response, nil
}

// begin registers a followed log, unless ctx has ended: after wait none is.
func (s *streams) begin(ctx context.Context, c *container, number int, body io.ReadCloser) (*stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return nil, errors.Join(ctx.Err(), body.Close())
	}
	s.count++
	s.busy++
	st := &stream{
		streams: s, id: fmt.Sprintf("%08x", s.count), container: c, run: number, pass: c.begin(),
		ctx: ctx, body: body, lines: newLineReader(body),
	}
	st.close = sync.OnceValue(st.finish)
	s.open[st.id] = st
	opened := time.Now()
	s.c.book.note(c, number, func(r *run) { r.openedAt, r.eof = opened, false })
	return st, nil
}

// spawn runs a reading beside the streams, unless ctx has ended.
func (s *streams) spawn(ctx context.Context, reading func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	s.busy++
	go func() {
		defer s.done()
		reading()
	}()
}

func (s *streams) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
	if s.busy == 0 {
		s.idle.Broadcast()
	}
}

// find returns the stream that a marked message is from, and the message.
func (s *streams) find(text string) (*stream, string) {
	if len(text) < idLength {
		return nil, text
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.open[text[:idLength]]
	if st == nil {
		return nil, text
	}
	return st, text[idLength:]
}

// has says whether a run's log is being followed.
func (s *streams) has(c *container, number int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.open {
		if st.container == c && st.run == number {
			return true
		}
	}
	return false
}

// wait returns when every stream is closed. Where their context has ended,
// none brings a line after it.
func (s *streams) wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.busy > 0 {
		s.idle.Wait()
	}
}

// Read returns whole lines, with the stream's id between time and text.
func (s *stream) Read(p []byte) (int, error) {
	for len(s.out) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		text, err := s.lines.next()
		if text != "" {
			s.out = []byte(s.mark(text))
		}
		if err != nil {
			s.err = s.ended(err)
		}
	}
	n := copy(p, s.out)
	s.out = s.out[n:]
	return n, nil
}

func (s *stream) mark(text string) string {
	if _, ok := parseLine(text); !ok {
		s.garbled = true
		return text + "\n"
	}
	stamp, rest, _ := strings.Cut(text, " ")
	return stamp + " " + s.id + rest + "\n"
}

// ended turns the end of the log into what stern is to do: io.EOF where the
// run is over, an error, upon which it follows again from the last line, where
// the container still runs.
func (s *stream) ended(err error) error {
	book := s.streams.c.book
	if !errors.Is(err, io.EOF) {
		book.note(s.container, s.run, func(r *run) { r.broken = true })
		return err
	}
	timer := time.NewTimer(s.streams.c.options.EndWait)
	defer timer.Stop()
	for {
		over, changed := book.over(s.container, s.run)
		if over {
			book.note(s.container, s.run, func(r *run) { r.eof = !s.garbled })
			return io.EOF
		}
		select {
		case <-changed:
		case <-s.ctx.Done():
			return s.ctx.Err()
		case <-timer.C:
			book.note(s.container, s.run, func(r *run) { r.broken = true })
			return fmt.Errorf("the log of container %s of pod %s ended while the container runs: %w",
				s.container.name, s.container.pod.object.Name, io.ErrUnexpectedEOF)
		}
	}
}

// Close ends the stream; it may be called more than once.
func (s *stream) Close() error { return s.close() }

func (s *stream) finish() error {
	err := s.body.Close()
	s.streams.mu.Lock()
	delete(s.streams.open, s.id)
	s.streams.mu.Unlock()
	s.container.end(s.pass)
	s.streams.c.book.note(s.container, s.run, func(*run) {}) // who waits looks again
	s.streams.done()
	return err
}
