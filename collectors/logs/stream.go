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

	"github.com/kind-lab/lab/collectors/internal/retry"
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

// stream is one request of stern for a container's log. It follows on by
// itself where it was interrupted: stern would wait up to 20 s.
type stream struct {
	streams   *streams
	id        string
	container *container
	run       int
	pass      *pass
	request   *http.Request
	next      http.RoundTripper
	body      io.ReadCloser
	lines     *lineReader
	last      time.Time // of the last line
	heard     time.Time // when that came, or the log was opened
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
	if match == nil || query.Get("follow") != "true" {
		return t.next.RoundTrip(request)
	}
	target, _ := t.streams.c.book.find(match[1], query.Get("container"))
	response, err := t.streams.fetch(t.next, request, target, nil)
	if err != nil || response.StatusCode != http.StatusOK {
		return response, err
	}
	c, number := t.streams.c.book.find(match[1], query.Get("container"))
	if c == nil {
		return nil, errors.Join(fmt.Errorf("the log of pod %s is followed before the pod was seen", match[1]), response.Body.Close())
	}
	st, err := t.streams.begin(request, c, number, response.Body)
	if err != nil {
		return nil, err
	}
	st.next = t.next
	response.Body = st
	return response, nil
}

// begin registers a followed log, unless its context has ended: after wait none
// is.
func (s *streams) begin(request *http.Request, c *container, number int, body io.ReadCloser) (*stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx := request.Context()
	if ctx.Err() != nil {
		return nil, errors.Join(ctx.Err(), body.Close())
	}
	s.count++
	s.busy++
	st := &stream{
		streams: s, id: fmt.Sprintf("%08x", s.count), container: c, run: number, request: request,
	}
	st.close = sync.OnceValue(st.finish)
	s.open[st.id] = st
	st.use(body)
	return st, nil
}

// use reads on from a body that begins at or before the last line.
func (s *stream) use(body io.ReadCloser) {
	if s.pass != nil {
		s.container.end(s.pass)
	}
	s.body, s.lines, s.pass, s.garbled = body, newLineReader(body), s.container.begin(), false
	opened := time.Now()
	s.heard = opened
	s.streams.c.book.note(s.container, s.run, func(r *run) { r.openedAt, r.eof = opened, false })
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
			s.out = s.mark(text)
		}
		if err != nil {
			s.err = s.ended(err)
		}
	}
	n := copy(p, s.out)
	s.out = s.out[n:]
	return n, nil
}

// mark puts the stream's id into a line. What has no time is a message of the
// kubelet about the log; stern would take its first word for a time.
func (s *stream) mark(text string) []byte {
	l, ok := parseLine(text)
	if !ok {
		s.garbled = true
		s.streams.c.options.Warn(fmt.Sprintf("the log of container %s of pod %s: the kubelet says: %s",
			s.container.name, s.container.pod.object.Name, text[:min(len(text), 500)]))
		return nil
	}
	s.last, s.heard = l.at, time.Now()
	stamp, rest, _ := strings.Cut(text, " ")
	return []byte(stamp + " " + s.id + rest + "\n")
}

// ended is called where the body ended. It returns io.EOF where the run is
// over and read to its end, and nil if the log is followed on.
func (s *stream) ended(err error) error {
	book := s.streams.c.book
	if errors.Is(err, io.EOF) && s.isOver() {
		clean := !s.garbled
		book.note(s.container, s.run, func(r *run) { r.eof = clean })
		return io.EOF
	}
	if s.request.Context().Err() != nil {
		return s.request.Context().Err()
	}
	return s.reopen(err)
}

// isOver waits, for EndWait at most, until the API says that the run ended.
func (s *stream) isOver() bool {
	timer := time.NewTimer(s.streams.c.options.EndWait)
	defer timer.Stop()
	for {
		over, changed := s.streams.c.book.over(s.container, s.run)
		if over {
			return true
		}
		select {
		case <-changed:
		case <-s.request.Context().Done():
			return false
		case <-timer.C:
			return false
		}
	}
}

// reopen asks for the log from the last line on, after it ended for a reason. It
// returns io.EOF where the log is no longer there: what is missing is for
// Reconcile to find out.
func (s *stream) reopen(why error) error {
	from := brokenSince(why, s.heard)
	_ = s.body.Close() // what is wrong with it is known
	again := s.request.Clone(s.request.Context())
	query := again.URL.Query()
	if !s.last.IsZero() {
		query.Del("sinceSeconds")
		query.Set("sinceTime", s.last.Truncate(time.Second).Format(time.RFC3339))
	}
	again.URL.RawQuery = query.Encode()
	response, err := s.streams.fetch(s.next, again, s.container, &from)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		if err := response.Body.Close(); err != nil {
			return fmt.Errorf("closing a refused request for a log: %w", err)
		}
		return io.EOF
	}
	s.use(response.Body)
	return nil
}

// fetch sends the request for a container's log until the API server is there to
// answer it, or its context ends. Meanwhile a gap is declared, from a time on or,
// if that is nil, from now, which ends once all that was written is recorded.
func (s *streams) fetch(next http.RoundTripper, request *http.Request, target *container, from *time.Time) (*http.Response, error) {
	ctx := request.Context()
	for backoff, told := s.c.options.Retry, false; ; retry.Pause(ctx, &backoff) {
		response, err := next.RoundTrip(request)
		if ctx.Err() != nil {
			return response, err
		}
		if err == nil {
			err = s.answered(ctx, response, target)
			if err == nil {
				return response, nil
			}
			err = errors.Join(err, response.Body.Close())
		}
		if !told {
			s.c.options.Warn(fmt.Sprintf("a log cannot be followed now and is asked for again: %v", err))
			s.blind(target, from, err)
		}
		told = true
	}
}

// answered says why an answer does not do. After a gap it does once all that was
// written meanwhile was read.
func (s *streams) answered(ctx context.Context, response *http.Response, target *container) error {
	if response.StatusCode >= http.StatusInternalServerError || response.StatusCode == http.StatusTooManyRequests {
		return fmt.Errorf("the API server answers %s", response.Status)
	}
	if target == nil || response.StatusCode != http.StatusOK || !target.following.isLost() {
		return nil
	}
	if err := s.c.catchUp(ctx, target); err != nil {
		return err
	}
	s.c.regain(&target.following, target)
	return nil
}

// blind declares that a log is not followed.
func (s *streams) blind(target *container, from *time.Time, why error) {
	if s.c.display != nil || target == nil {
		return
	}
	since := time.Now()
	if from != nil {
		since = *from
	}
	s.c.lose(&target.following, target, since, fmt.Errorf("the log cannot be followed: %w", why))
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
