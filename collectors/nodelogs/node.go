package nodelogs

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/collectors/internal/retry"
)

// script reads the files. It is perl, which every node image has: a shell
// cannot hold a file open that is renamed or removed, and would start some
// processes for each look at the folders.
//
//go:embed read.pl
var script string

const (
	// endWait is how long the command in a node has to end by itself.
	endWait = 3 * time.Second
	// askFor bounds the wait for room in the command's input.
	askFor = 100 * time.Millisecond
)

// node reads the files of one node.
type node struct {
	c      *Collector
	name   string
	opened func()
	over   chan struct{} // closed when nothing more is read

	mu         sync.Mutex
	containers map[string]*container
	waiting    map[string]chan struct{} // who waits for an answer, by token
	stdin      *os.File                 // of the command; nil if none goes
	doubted    time.Time                // when the gap begins of a command that does not answer
	seen       sight                    // up to where the files are known
	outage     outage                   // of the reading; zero while all goes
}

func newNode(c *Collector, name string, opened func()) *node {
	return &node{
		c: c, name: name, opened: opened, over: make(chan struct{}),
		containers: map[string]*container{}, waiting: map[string]chan struct{}{},
	}
}

// run reads until ctx ends.
func (n *node) run(ctx context.Context) error {
	defer close(n.over)
	backoff := n.c.options.Retry
	for attempt := 1; ctx.Err() == nil; attempt++ {
		opened, err := n.session(ctx)
		if ctx.Err() != nil {
			break
		}
		if opened {
			attempt, backoff = 0, n.c.options.Retry
		}
		if !n.broke(err) && attempt >= n.c.options.Retry.Steps {
			return fmt.Errorf("gave up after %d attempts: %w", attempt, err)
		}
		retry.Pause(ctx, &backoff)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.outage.since.IsZero() {
		n.declare(n.outage.since, time.Now(), -1, n.outage.reason+"; it did not come back before the observation ended")
	}
	n.settle()
	return nil
}

// session runs the command once and takes what it sends. It says whether the
// files were seen, and why it ended.
func (n *node) session(parent context.Context) (opened bool, err error) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	// A file, because a process gets a file as it is: nobody copies, and the
	// kernel ends it when this process dies.
	stdin, hold, err := os.Pipe()
	if err != nil {
		return false, fmt.Errorf("opening a pipe for the reading of log files: %w", err)
	}
	release := context.AfterFunc(ctx, func() { _ = hold.Close() })
	running, kill := context.WithCancel(context.WithoutCancel(parent))
	defer kill()
	q := newQueue(ctx, &n.c.waits)
	began := time.Now()
	ended := make(chan error, 1)
	go func() {
		var said tail
		err := n.c.exec.NodeExec(running, n.name, stdin, q, &said, "perl", "-e", script, n.c.options.Root, n.c.options.Namespace)
		ended <- streamError(errors.Join(err, stdin.Close()), said.String())
		q.close()
	}()
	starting := time.AfterFunc(n.c.options.StartFor, func() {
		cancel(fmt.Errorf("the command that reads log files did not begin within %v", n.c.options.StartFor))
	})
	defer starting.Stop()
	r := newReading(n, q, began, func() {
		opened = true
		starting.Stop()
		n.opened()
	})
	sending := n.send(hold)
	err = errors.Join(r.all(ctx), sending)
	n.detach()
	r.close()
	cause := context.Cause(ctx)
	if release() {
		err = errors.Join(err, hold.Close())
	}
	cancel(nil)
	grace := time.AfterFunc(endWait, kill)
	defer grace.Stop()
	return opened, errors.Join(cause, err, <-ended)
}

// send tells a command that begins where to begin, and what is asked of it.
func (n *node) send(stdin *os.File) error {
	n.mu.Lock()
	var text strings.Builder
	for _, dir := range slices.Sorted(maps.Keys(n.containers)) {
		if t := n.containers[dir]; t.head != "" {
			fmt.Fprintf(&text, "K %s %d %s %d\n", dir, t.run, t.head, t.off)
		}
	}
	if !n.outage.since.IsZero() && n.seen.state != "" {
		fmt.Fprintf(&text, "B %s\n", n.seen.state)
	}
	n.mu.Unlock()
	if _, err := io.WriteString(stdin, text.String()+"G\n"); err != nil {
		return fmt.Errorf("telling the command where to begin: %w", err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stdin = stdin
	if err := n.askAgain(); err != nil {
		return err
	}
	for token := range n.waiting {
		if err := n.ask(token); err != nil {
			return err
		}
	}
	return nil
}

// ask asks the command to read all files to their end. The caller holds n.mu.
func (n *node) ask(token string) error {
	if n.stdin == nil {
		return nil // send does
	}
	// A node that hangs reads nothing, and the pipe may be full.
	err := n.stdin.SetWriteDeadline(time.Now().Add(askFor))
	if err == nil {
		_, err = n.stdin.WriteString("S " + token + "\n")
	}
	if err != nil {
		return fmt.Errorf("asking the command for an answer: %w", err)
	}
	return nil
}

func (n *node) detach() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stdin = nil
}

// answered tells who waits. The caller holds n.mu.
func (n *node) answered(token string) {
	if !n.doubted.IsZero() {
		n.declare(n.doubted, time.Now(), 0, "it answers again, and its files were read")
		n.doubted = time.Time{}
	}
	if wait := n.waiting[token]; wait != nil {
		close(wait)
		delete(n.waiting, token)
	}
}

// reconcile returns once all that the files had was recorded.
func (n *node) reconcile(ctx context.Context) error {
	token, answer := rand.Text(), make(chan struct{})
	n.mu.Lock()
	n.waiting[token] = answer
	err := n.ask(token)
	n.mu.Unlock()
	select {
	case <-answer:
		return nil
	case <-n.over:
		return errors.New("the observation had ended before")
	case <-ctx.Done():
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.waiting, token)
	err = errors.Join(ctx.Err(), err)
	if n.outage.reason != "" {
		err = errors.Join(errors.New(n.outage.reason), err)
	}
	n.unread(fmt.Sprintf("its log files were not read to their end: %v", err))
	n.settle()
	return err
}

// settle records the lines that have no end and declares what is missing. The
// caller holds n.mu.
func (n *node) settle() {
	for _, dir := range slices.Sorted(maps.Keys(n.containers)) {
		t := n.containers[dir]
		t.flushAll()
		t.declare()
	}
}

// declare records a gap; one without an end goes on until one with the same
// beginning has an end.
func (n *node) declare(from, to time.Time, count int, reason string) {
	n.c.sink.Add(collectors.Record{
		Time: time.Now(), Precision: time.Millisecond, Source: collectors.SourceLog, Type: collectors.TypeGap,
		Gap: &collectors.Gap{From: from, To: to, Reason: "node " + n.name + ": " + oneLine(reason), Count: count},
	})
}

// sync returns once all that the files had was recorded. Where that does not
// come in time a gap is declared that goes on until it does.
func (n *node) sync(ctx context.Context) error {
	token, answer := rand.Text(), make(chan struct{})
	n.mu.Lock()
	n.waiting[token] = answer
	err := n.ask(token)
	n.mu.Unlock()
	select {
	case <-answer:
		return nil
	case <-n.over:
		return errors.New("the observation had ended before")
	case <-ctx.Done():
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.waiting, token)
	err = errors.Join(ctx.Err(), err)
	// Of an outage a gap tells already.
	if n.doubted.IsZero() && n.outage.since.IsZero() && !n.seen.at.IsZero() {
		n.doubted = n.seen.at
		n.declare(n.doubted, time.Time{}, -1, fmt.Sprintf("its log files cannot be read now: %v", err))
	}
	return err
}
