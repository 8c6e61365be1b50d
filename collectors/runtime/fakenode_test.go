package runtime

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeNode plays a node: it keeps containers, streams events to each ctr that
// reads them, answers ctr and crictl, and can break its streams or be away.
type fakeNode struct {
	mu          sync.Mutex
	containers  map[string]*fakeContainer
	order       []string
	streams     map[chan string]bool
	broken      chan struct{} // closed to break the streams
	away        bool
	deaf        bool // streams bring nothing
	noCrictl    bool
	infoFails   int // how many times `ctr containers info` fails
	infoTakes   time.Duration
	infoHangs   chan struct{} // it waits for its end, where there is one
	asked       int           // how often it was asked for `ctr containers info`
	questions   []string
	refuses     string        // why no event is caused
	unread      bool          // the streams' input is not read
	answers     time.Duration // how long an event takes to be caused
	opened      int
	surveyTakes time.Duration
	kernelLog   []string // memory cgroups in which it killed
	noKernel    bool
	kernelFails int  // how many times reading its log fails
	kernelAsked int  // how often it was asked for its log
	annotates   bool // streams say whose containers are
	noBundles   bool // but cannot read it
}

type fakeContainer struct {
	labels            map[string]string
	started, finished time.Time
	code              int
}

func newFakeNode() *fakeNode {
	return &fakeNode{
		containers: map[string]*fakeContainer{}, streams: map[chan string]bool{}, broken: make(chan struct{}),
	}
}

var errExit = errors.New("exit status 1")

// NodeExec plays the commands that the collector runs.
func (f *fakeNode) NodeExec(ctx context.Context, node string, stdin io.Reader, stdout, stderr io.Writer, cmd ...string) error {
	f.mu.Lock()
	away := f.away
	f.mu.Unlock()
	if away {
		fmt.Fprintf(stderr, "Error response from daemon: container %s is paused", node)
		return errExit
	}
	line := strings.Join(cmd, " ")
	switch {
	case len(cmd) == 3 && cmd[2] == startScript:
		return f.events(ctx, stdin, stdout, stderr)
	case strings.Contains(line, "containers info"):
		return f.infos(stdout, stderr, cmd[4:])
	case strings.Contains(line, "crictl ps -a -o json"):
		return f.survey(stdout, stderr)
	case strings.Contains(line, "dmesg"):
		f.mu.Lock()
		defer f.mu.Unlock()
		f.kernelAsked++
		if f.noKernel { // kernelScript ends with 0 all the same
			fmt.Fprint(stderr, "dmesg: read kernel buffer failed: Operation not permitted")
			return nil
		}
		if f.kernelFails > 0 {
			f.kernelFails--
			return fmt.Errorf("the engine: %w", context.DeadlineExceeded)
		}
		fmt.Fprintln(stdout, strings.Join(f.kernelLog, "\n"))
		return nil
	case strings.Contains(line, "crictl inspect"):
		return f.inspect(stdout, stderr, cmd[4:])
	}
	return fmt.Errorf("the fake node has no command %q", line)
}

func (f *fakeNode) events(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	f.mu.Lock()
	lines, broken := make(chan string, 1000), f.broken
	f.streams[lines] = true
	f.opened++
	unread := f.unread
	if f.annotates {
		lines <- strings.Join([]string{time.Now().UTC().Round(0).String(), "lab", topicAnnotates, "{}"}, " ")
	}
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		delete(f.streams, lines)
		f.mu.Unlock()
	}()
	ended := make(chan struct{})
	errs := &oneAtATime{w: stderr}
	defer errs.end()
	if !unread {
		go func() { f.answer(stdin, errs); close(ended) }()
	}
	for {
		select {
		case l := <-lines:
			// In pieces, as a pipe may bring it.
			for _, part := range []string{l[:len(l)/2], l[len(l)/2:], "\n"} {
				if _, err := io.WriteString(stdout, part); err != nil {
					return err
				}
			}
		case <-broken:
			fmt.Fprint(errs, "ctr: rpc error: code = Unavailable desc = error reading from server: EOF")
			return errExit
		case <-ctx.Done():
			return ctx.Err()
		case <-ended:
			return nil
		}
	}
}

// answer plays stream.sh and ask.pl: it causes an event for each line that is no
// line of a program.
func (f *fakeNode) answer(stdin io.Reader, stderr io.Writer) {
	for lines := bufio.NewScanner(stdin); lines.Scan(); {
		name := lines.Text()
		if !strings.HasPrefix(name, probePrefix) {
			continue
		}
		f.mu.Lock()
		f.questions = append(f.questions, name)
		refuses, answers := f.refuses, f.answers
		f.mu.Unlock()
		time.Sleep(answers)
		if refuses != "" {
			fmt.Fprintf(stderr, "%s: %s\n", name, refuses)
			continue
		}
		f.emit("lab", "/lab/probe", fmt.Sprintf(`{"name":%q}`, name))
		fmt.Fprintln(stderr, name)
	}
}

// oneAtATime is a writer that several may write to, until it ends.
type oneAtATime struct {
	mu sync.Mutex
	w  io.Writer
}

func (o *oneAtATime) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.w.Write(p)
}

// end makes it write nothing from now on: a command that is over has no output.
func (o *oneAtATime) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.w = io.Discard
}

// infos knows nothing of a container that is gone.
func (f *fakeNode) infos(stdout, stderr io.Writer, ids []string) error {
	f.mu.Lock()
	f.asked++
	hangs := f.infoHangs
	f.mu.Unlock()
	if hangs != nil {
		<-hangs
	}
	var failed error
	for _, id := range ids {
		time.Sleep(f.infoTakes)
		f.mu.Lock()
		c := f.containers[id]
		switch {
		case f.infoFails > 0:
			f.infoFails--
			fmt.Fprintln(stderr, "ctr: connection refused")
			failed = errExit
		case c != nil:
			fmt.Fprintf(stdout, "{\"ID\": %q, \"Labels\": %s}\n", id, labelsJSON(c.labels))
		}
		f.mu.Unlock()
	}
	return failed
}

func labelsJSON(labels map[string]string) string {
	var parts []string
	for k, v := range labels {
		parts = append(parts, fmt.Sprintf("%q:%q", k, v))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// ownerJSON plays annotate.pl.
func ownerJSON(id string, labels map[string]string) string {
	if labels[labelKind] == "sandbox" {
		return fmt.Sprintf(`{"id":%q,"sandbox":true}`, id)
	}
	return fmt.Sprintf(`{"id":%q,"pod":%q,"namespace":%q,"uid":%q,"container":%q}`,
		id, labels[labelPod], labels[labelNamespace], labels[labelUID], labels[labelContainer])
}

func (f *fakeNode) inspect(stdout, stderr io.Writer, namespaces []string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.noCrictl {
		fmt.Fprint(stderr, "sh: 1: crictl: not found")
		return errors.New("exit status 127")
	}
	for _, id := range f.order {
		c := f.containers[id]
		if c == nil || c.labels[labelKind] == "sandbox" {
			continue
		}
		if len(namespaces) > 0 && !strings.Contains(strings.Join(namespaces, " "), c.labels[labelNamespace]) {
			continue
		}
		fmt.Fprintf(stdout, `{"info":{"pid":7},"status":{"id":%q,"labels":%s,"startedAt":%q,"finishedAt":%q,"exitCode":%d}}`+"\n",
			id, labelsJSON(c.labels), stamp(c.started), stamp(c.finished), c.code)
	}
	return nil
}

func (f *fakeNode) survey(stdout, stderr io.Writer) error {
	f.mu.Lock()
	takes := f.surveyTakes
	f.mu.Unlock()
	time.Sleep(takes)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.noCrictl {
		fmt.Fprint(stderr, "sh: 1: crictl: not found")
		return errors.New("exit status 127")
	}
	lists := map[bool][]string{}
	for id, c := range f.containers {
		sandbox := c.labels[labelKind] == "sandbox"
		lists[sandbox] = append(lists[sandbox], fmt.Sprintf(`{"id":%q,"labels":%s}`, id, labelsJSON(c.labels)))
	}
	fmt.Fprintf(stdout, "{\"containers\": [%s]}\n{\"items\": [%s]}\n", strings.Join(lists[false], ","), strings.Join(lists[true], ","))
	return nil
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return "0001-01-01T00:00:00Z"
	}
	return t.Format(time.RFC3339Nano)
}

// emit sends an event as ctr prints it.
func (f *fakeNode) emit(namespace, topic, payload string) {
	f.emitAt(time.Now(), namespace, topic, payload)
}

func (f *fakeNode) emitAt(at time.Time, namespace, topic, payload string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.deaf {
		return
	}
	line := strings.Join([]string{at.UTC().Round(0).String(), namespace, topic, payload}, " ")
	for s := range f.streams {
		s <- line
	}
}

// create makes a container of pod myapp.
func (f *fakeNode) create(id, namespace, name string) {
	f.createLabelled(id, map[string]string{
		labelNamespace: namespace, labelPod: "myapp", labelUID: "uid-1", labelContainer: name, labelKind: "container",
	})
}

func (f *fakeNode) createLabelled(id string, labels map[string]string) {
	f.mu.Lock()
	f.containers[id] = &fakeContainer{labels: labels}
	f.order = append(f.order, id)
	f.mu.Unlock()
	f.emit("k8s.io", "/containers/create", fmt.Sprintf(`{"id":%q,"image":"busybox","runtime":{"name":"io.containerd.runc.v2"}}`, id))
}

// start makes a container's task and starts it.
func (f *fakeNode) start(id string, at time.Time) {
	f.mu.Lock()
	c := f.containers[id]
	c.started = at
	annotates := f.annotates && !f.noBundles
	f.mu.Unlock()
	if annotates {
		f.emit("k8s.io", topicOwner, ownerJSON(id, c.labels))
	}
	f.emit("k8s.io", topicTaskCreate, fmt.Sprintf(`{"container_id":%q,"bundle":"/run/%s"}`, id, id))
	f.emitAt(at, "k8s.io", "/tasks/start", fmt.Sprintf(`{"container_id":%q,"pid":42}`, id))
}

func (f *fakeNode) exit(id string, at time.Time, code int) {
	f.mu.Lock()
	f.containers[id].finished, f.containers[id].code = at, code
	annotates, log := f.annotates && !f.noKernel, strings.Join(f.kernelLog, "\n")
	f.mu.Unlock()
	if annotates && code == 137 {
		f.emit("k8s.io", topicKernel, fmt.Sprintf(`{"id":%q,"oom":%v}`, id, strings.Contains(log, id)))
	}
	f.emitAt(at.Add(5*time.Millisecond), "k8s.io", "/tasks/exit", fmt.Sprintf(
		`{"container_id":%q,"id":%q,"pid":42,"exit_status":%d,"exited_at":{"seconds":%d,"nanos":%d}}`,
		id, id, code, at.Unix(), at.Nanosecond()))
}

func (f *fakeNode) set(change func(*fakeNode)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

// breakStreams ends every stream with an error: what happens from now on is in
// none of them.
func (f *fakeNode) breakStreams() {
	f.set(func(f *fakeNode) {
		clear(f.streams)
		close(f.broken)
		f.broken = make(chan struct{})
	})
}

// streaming waits until as many streams were opened.
func (f *fakeNode) streaming(t *testing.T, count int) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		f.mu.Lock()
		opened := f.opened
		f.mu.Unlock()
		if opened >= count {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d streams were opened in 10 s, want %d", opened, count)
		}
		<-time.After(time.Millisecond)
	}
}
