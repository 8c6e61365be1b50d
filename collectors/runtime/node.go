package runtime

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/collectors/internal/retry"
)

const (
	// margin is how long before the break of a stream was noticed it may have
	// lost something. The stream is a chain of local pipes, which end at once.
	margin = 2 * time.Second
	// remembered bounds the removed containers whose events are still known.
	remembered = 4096
)

// node observes one node.
type node struct {
	c      *Collector
	name   string
	opened func()

	lookups map[string]*lookup
	// annotated says that the stream says by itself whose containers are.
	annotated bool
	// surveyed brings what a survey found, until it is taken.
	surveyed <-chan map[string]*lookup
	// lines are the stream's, ahead what was read of it and not recorded yet.
	lines <-chan string
	ahead []message
	// unnamed are the look-ups that go on.
	unnamed batches[*lookup]
	group   sync.WaitGroup
	started map[string]bool
	exited  map[string]bool
	// outOfMemory are those whose kill for memory the runtime reported.
	outOfMemory map[string]bool
	// kernel are the runs whose end the kernel's log is asked about, kernelSaid
	// what the stream said last of it.
	kernel     batches[collectors.Record]
	kernelSaid note
	removed    []string // ids of removed containers, oldest first
	asker      asker

	// doubt is the gap of a stream that does not answer.
	doubt doubt

	open   bool      // a stream has worked once
	heard  time.Time // when the last line was recorded
	broken time.Time // since when nothing is heard; zero while a stream works
	reason string    // why
}

func newNode(c *Collector, name string, opened func()) *node {
	return &node{
		c: c, name: name, opened: opened,
		lookups: map[string]*lookup{},
		started: map[string]bool{}, exited: map[string]bool{}, outOfMemory: map[string]bool{},
	}
}

// run observes until ctx ends.
func (n *node) run(ctx context.Context) error {
	defer n.group.Wait()
	defer n.asker.close()
	backoff := n.c.options.Retry
	for attempt := 1; ctx.Err() == nil; attempt++ {
		err := n.session(ctx)
		if ctx.Err() != nil {
			break
		}
		if n.open && n.broken.IsZero() {
			n.broke(err)
			attempt, backoff = 0, n.c.options.Retry
			n.c.options.Warn(fmt.Sprintf("node %s: %s; opening the stream again", n.name, n.reason))
		}
		n.asker.detach(err) // when a gap tells of it
		if !n.open && attempt >= n.c.options.Retry.Steps {
			return fmt.Errorf("gave up after %d attempts: %w", attempt, err)
		}
		retry.Pause(ctx, &backoff)
	}
	if !n.broken.IsZero() {
		n.gap(n.broken, -1, n.reason+"; the stream did not come back before the observation ended")
	}
	return nil
}

// broke notes since when nothing is heard and why.
func (n *node) broke(err error) {
	n.reason = err.Error()
	n.broken = time.Now().Add(-margin)
	if n.heard.After(n.broken) {
		n.broken = n.heard
	}
	n.doubt.away(true)
	// What is judged before the stream comes back must know.
	n.declare(n.broken, time.Time{}, -1, n.reason)
}

// session opens one stream and reads it to its end, which is an error always.
func (n *node) session(parent context.Context) error {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	n.survey(parent)
	s, err := n.stream(ctx)
	if err != nil {
		return err
	}
	// The stream's writer may wait for room: empty it until it has ended.
	defer func() {
		cancel()
		for range s.lines {
			continue
		}
	}()
	n.lines, n.ahead, n.annotated = s.lines, nil, false
	if err := n.prove(parent, s); err != nil {
		return err
	}
	if !n.catchUp(parent) {
		return parent.Err()
	}
	n.open, n.broken = true, time.Time{}
	n.doubt.away(false)
	n.asker.attach(s.stdin)
	n.opened()
	for more := true; more; {
		if len(n.ahead) > 0 {
			n.hear(parent, n.pop())
			continue
		}
		var line string
		if line, more = <-s.lines; more {
			n.listen(parent, line)
		}
	}
	return <-s.ended
}

// message is what one line says, or why it cannot be read.
type message struct {
	event
	err error
}

// listen reads one line and learns whose the container is that it tells of, or
// begins to ask. Such look-ups end with ctx.
func (n *node) listen(ctx context.Context, line string) {
	var t message
	t.event, t.err = parseLine(line)
	n.ahead = append(n.ahead, t)
	if t.err != nil {
		return
	}
	id := t.container()
	switch {
	case t.topic == topicAnnotates:
		n.annotated = true
	case t.namespace != criNamespace:
	case t.topic == topicOwner:
		n.take(t.note)
	case id != "" && (t.topic == topicContainerCreate && !n.annotated || t.topic == topicTaskCreate):
		n.lookUp(ctx, id)
	}
}

// await waits until it is known whose a container is, and listens meanwhile: one
// question at a time would be far behind where many containers are made.
func (n *node) await(ctx context.Context, id string) *lookup {
	for {
		l := n.lookUp(ctx, id) // a line may have answered meanwhile
		lines := n.lines
		if len(n.ahead) >= queued {
			lines = nil
		}
		select {
		case <-l.done: // at the end of ctx at the latest
			return l
		case line, more := <-lines:
			if !more {
				n.lines = nil
				continue
			}
			n.listen(ctx, line)
		}
	}
}

// pop takes the oldest of what was read ahead.
func (n *node) pop() message {
	first := n.ahead[0]
	n.ahead = n.ahead[1:]
	return first
}

// hear records what one line reported.
func (n *node) hear(ctx context.Context, e message) {
	n.heard = time.Now()
	n.doubt.hear(n.heard)
	if e.err != nil {
		n.gap(n.heard, 1, e.err.Error())
		return
	}
	if e.isAnswer() {
		n.believe()
		n.asker.pass(e.payload.Name)
	}
	if e.topic == topicKernel {
		n.kernelSaid = e.note
	}
	id := e.container()
	if e.namespace != criNamespace || id == "" {
		return
	}
	switch e.topic {
	case topicContainerDelete:
		n.forget(id)
	case topicStart:
		n.task(ctx, collectors.TypeTaskStart, e.at, id, e.payload)
	case topicExit:
		at := e.at
		if !e.payload.ExitedAt.IsZero() {
			at = e.payload.ExitedAt.Time
		}
		n.task(ctx, collectors.TypeTaskExit, at, id, e.payload)
	case topicOOM:
		n.task(ctx, collectors.TypeTaskOOM, e.at, id, e.payload)
	}
}

// task records a start, an exit or a memory kill, unless it was recorded.
func (n *node) task(ctx context.Context, kind collectors.Type, at time.Time, id string, p payload) {
	if kind == collectors.TypeTaskStart && n.started[id] || kind == collectors.TypeTaskExit && n.exited[id] {
		return
	}
	l := n.await(ctx, id)
	if l.err != nil && ctx.Err() != nil {
		return
	}
	if l.err != nil {
		n.gap(at, 1, fmt.Sprintf("a %s of container %s at %s could not be named: %v", kind, id, at.Format(time.RFC3339Nano), l.err))
		return
	}
	n.record(ctx, kind, at, id, l.identity, p.PID, int(p.ExitStatus))
}

// record puts a task's record into the sink where its namespace is wanted.
func (n *node) record(ctx context.Context, kind collectors.Type, at time.Time, id string, who *identity, pid, code int) {
	if !n.c.wanted(who) {
		return
	}
	switch kind {
	case collectors.TypeTaskStart:
		n.started[id] = true
	case collectors.TypeTaskExit:
		n.exited[id] = true
	case collectors.TypeTaskOOM:
		n.outOfMemory[id] = true
	}
	r := collectors.Record{
		Time: at, Precision: time.Nanosecond, Source: collectors.SourceRuntime, Type: kind,
		Object: who.pod, Container: who.container,
		Task: &collectors.Task{ID: id, Node: n.name, PID: pid, ExitCode: code},
	}
	n.c.sink.Add(r)
	if kind == collectors.TypeTaskExit && collectors.SignalOf(code) == int(syscall.SIGKILL) && !n.outOfMemory[id] {
		n.askKernel(ctx, r)
	}
}

// forget bounds what is known of removed containers: an exit may be reported after
// the removal, though not long after.
func (n *node) forget(id string) {
	n.removed = append(n.removed, id)
	if len(n.removed) <= remembered {
		return
	}
	old := n.removed[0]
	n.removed = n.removed[1:]
	delete(n.lookups, old)
	delete(n.started, old)
	delete(n.exited, old)
	delete(n.outOfMemory, old)
}

// gap declares that the stream may have missed something between from and now.
func (n *node) gap(from time.Time, count int, reason string) {
	n.declare(from, time.Now(), count, reason)
}

// declare records a gap; one without an end goes on until one with the same
// beginning has an end.
func (n *node) declare(from, to time.Time, count int, reason string) {
	n.c.sink.Add(collectors.Record{
		Time: time.Now(), Precision: time.Millisecond, Source: collectors.SourceRuntime, Type: collectors.TypeGap,
		Gap: &collectors.Gap{From: from, To: to, Reason: "node " + n.name + ": " + reason, Count: count},
	})
}
