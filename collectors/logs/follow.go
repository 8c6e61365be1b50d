package logs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/fatih/color"
	"github.com/stern/stern/stern"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/collectors/internal/retry"
)

const (
	// since is how far back a log is followed: whole logs.
	since = 48 * time.Hour
	// maxRequests is how many logs are followed at once; stern ends above it.
	maxRequests = 10000
)

// errUnreachable is an API server whose pods could not be watched in time.
var errUnreachable = errors.New("the pods could not be watched")

// firstStart keeps why the pods could not be watched so far.
type firstStart struct {
	mu  sync.Mutex
	err error
}

// watchFailed takes the error of an attempt to watch.
func (c *Collector) watchFailed(err error) {
	c.first.mu.Lock()
	defer c.first.mu.Unlock()
	c.first.err = err
}

// giveUp says why there was no first watch.
func (c *Collector) giveUp() error {
	c.first.mu.Lock()
	defer c.first.mu.Unlock()
	if c.first.err == nil {
		c.first.err = errors.New("the API server did not answer")
	}
	return fmt.Errorf("following logs: %w for %v: %w", errUnreachable, c.options.StartFor, c.first.err)
}

// follow runs stern until ctx ends, again whenever it ends by itself.
func (c *Collector) follow(ctx context.Context) error {
	defer c.declareDropped()
	backoff := c.options.Retry
	for {
		began := time.Now()
		err := c.stern(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, errUnreachable):
			return err
		case time.Since(began) > time.Minute:
			backoff = c.options.Retry
		}
		if c.display == nil {
			c.dark.Store(true)
			c.lose(&c.watching, nil, c.watching.since(), errWatch)
		}
		c.options.Warn(fmt.Sprintf("following logs: stern ended and is started again: %v", err))
		retry.Pause(ctx, &backoff)
	}
}

// stern runs stern once. When it returns no further line comes.
func (c *Collector) stern(parent context.Context) error {
	ctx, cancel := context.WithCancelCause(parent)
	started := time.AfterFunc(c.options.StartFor, func() {
		select {
		case <-c.ready:
		default:
			cancel(c.giveUp())
		}
	})
	defer started.Stop()
	layout, err := template.New("line").Funcs(template.FuncMap{"record": c.take}).Parse("{{record .Message}}")
	if err != nil {
		return fmt.Errorf("preparing stern's template: %w", err)
	}
	all := regexp.MustCompile(`.*`)
	err = stern.Run(ctx, c.client, &stern.Config{
		Namespaces:          []string{c.options.Namespace},
		PodQuery:            all,
		ContainerQuery:      all,
		ContainerStates:     []stern.ContainerState{stern.ALL_STATES},
		InitContainers:      true,
		EphemeralContainers: true,
		DiffContainer:       true,
		Timestamps:          true,
		TimestampFormat:     time.RFC3339Nano,
		Location:            time.UTC,
		Since:               since,
		LabelSelector:       labels.Everything(),
		FieldSelector:       fields.Everything(),
		Template:            layout,
		Follow:              true,
		OnlyLogLines:        true,
		MaxLogRequests:      maxRequests,
		Out:                 io.Discard,
		ErrOut:              &messages{tell: func(text string) { c.sternSays(ctx, text) }},
	})
	cause := context.Cause(ctx)
	cancel(nil)
	c.streams.wait()
	if errors.Is(cause, errUnreachable) {
		return cause
	}
	return err
}

// sternSays passes on what stern wrote for its user.
func (c *Collector) sternSays(ctx context.Context, text string) {
	if ctx.Err() == nil {
		c.options.Warn("stern: " + text)
	}
}

// messages cuts what is written to it into lines.
type messages struct {
	mu   sync.Mutex
	tell func(string)
	rest []byte
}

// Write takes whole or partial lines; a long one is reported in parts.
func (m *messages) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rest = append(m.rest, p...)
	for {
		i := bytes.IndexByte(m.rest, '\n')
		if i < 0 && len(m.rest) < 4<<10 {
			return len(p), nil
		}
		if i < 0 {
			i = len(m.rest) - 1
		}
		if text := strings.TrimSpace(string(m.rest[:i])); text != "" {
			m.tell(text)
		}
		m.rest = append([]byte(nil), m.rest[i+1:]...)
	}
}

// take is called by stern's template with each message: the time, the id of
// the stream, the text. What it returns is what stern prints: nothing.
func (c *Collector) take(message string) (string, error) {
	stamp, text, _ := strings.Cut(message, " ")
	st, text := c.streams.find(text)
	if st == nil {
		c.options.Warn("a log has a message that is no line of its container: " + message[:min(len(message), 500)])
		return "", nil
	}
	if l, ok := parseLine(stamp + " " + text); ok {
		c.record(st.container, c.book.runOf(st.container, st.run, l.at), st.pass, l)
	}
	return "", nil
}

// record puts a line into the sink and its file, unless it is there.
func (c *Collector) record(target *container, number int, p *pass, l line) bool {
	if c.display != nil {
		c.display.show(target, number, l)
		return true
	}
	target.mu.Lock()
	defer target.mu.Unlock()
	if target.dropped > 0 || c.isFull(target, l) {
		c.drop(target, l)
		return false
	}
	if !target.isNew(p, l) {
		return false
	}
	target.bytes += len(l.text)
	c.book.count(target, number, l.at)
	c.files.Of(target.pod.object.Name, target.name).Add(l.at, l.text)
	c.files.Flush()
	c.sink.Add(collectors.Record{
		Time: l.at, Precision: time.Nanosecond, Source: collectors.SourceLog, Type: collectors.TypeLog,
		Object: target.pod.object, Container: target.name,
		Log: &collectors.Log{Run: number, Text: l.text, Cut: l.cut, Color: target.color},
	})
	return true
}

// colorOf asks stern for the SGR sequence of a container's colour.
func colorOf(podName, name string) string {
	var sequence string
	layout, err := template.New("color").Funcs(template.FuncMap{"keep": func(c *color.Color) string {
		own := *c
		own.EnableColor() // whatever standard output is; the reader decides
		sequence, _, _ = strings.Cut(own.Sprint("|"), "|")
		return ""
	}}).Parse("{{keep .ContainerColor}}")
	if err != nil {
		return ""
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: podName}}
	stern.NewTail(nil, pod, name, layout, io.Discard, io.Discard, &stern.TailOptions{}, true).Print("")
	return sequence
}
