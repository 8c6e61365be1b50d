// Package nodes keeps what the kubelets of a cluster's nodes wrote while a
// scenario ran: evidence for people, to the microsecond. It makes no records:
// how a node is, is an object of the API, which package pods watches.
//
// Below Options.Dir each node has a file NODE/kubelet.log, one line for each
// message: its time in RFC 3339 with microseconds, a space, the text.
package nodes

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// MaxJournal bounds what is kept of one kubelet's messages, in bytes. Behind
// the last of a longer one stands that it was cut.
const MaxJournal = 16 << 20

// Options are what a Collector needs beside a way into the nodes.
type Options struct {
	// Nodes are the names of the nodes.
	Nodes []string
	// Dir is the folder below which the files are written.
	Dir string
	// Begin is when what is kept begins.
	Begin time.Time
	// Max bounds what is kept of a node, in bytes; 0 means MaxJournal.
	Max int
}

// Collector keeps the kubelets' messages.
type Collector struct {
	exec    collectors.Exec
	options Options
	ready   chan struct{}
}

// New returns a collector that reaches the nodes through exec.
func New(exec collectors.Exec, options Options) *Collector {
	if options.Max == 0 {
		options.Max = MaxJournal
	}
	c := &Collector{exec: exec, options: options, ready: make(chan struct{})}
	close(c.ready)
	return c
}

// Ready is closed: the nodes keep the messages until they are asked for.
func (c *Collector) Ready() <-chan struct{} { return c.ready }

// Run returns when ctx ends: there is nothing to do before Reconcile.
func (c *Collector) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// Reconcile writes the files. Its error names the nodes whose messages could
// not be had, or not whole.
func (c *Collector) Reconcile(ctx context.Context) error {
	var group sync.WaitGroup
	errs := make([]error, len(c.options.Nodes))
	for i, name := range c.options.Nodes {
		group.Go(func() {
			if err := c.keep(ctx, name); err != nil {
				errs[i] = fmt.Errorf("keeping what the kubelet of node %s wrote: %w", name, err)
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// keep writes the file of one node.
func (c *Collector) keep(ctx context.Context, name string) (err error) {
	dir := filepath.Join(c.options.Dir, filepath.Base(name))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(dir, "kubelet.log"))
	if err != nil {
		return err
	}
	w := &writer{out: bufio.NewWriter(file), room: c.options.Max}
	defer func() { err = errors.Join(err, w.out.Flush(), file.Close()) }()
	var said bytes.Buffer
	since := fmt.Sprintf("@%d.%06d", c.options.Begin.Unix(), c.options.Begin.Nanosecond()/1000)
	// The journal alone knows microseconds; its other forms print seconds, or
	// none that say of which zone they are.
	err = c.exec.NodeExec(ctx, name, nil, w, &said, "journalctl", "--unit=kubelet", "--no-pager", "--quiet", "--output=json",
		"--output-fields=MESSAGE", "--since="+since)
	if err != nil {
		text := strings.Join(strings.Fields(said.String()), " ")
		return errors.Join(fmt.Errorf("%w: %s", err, text[:min(len(text), 300)]), w.finish())
	}
	return w.finish()
}

// writer turns journalctl's JSON lines into text.
type writer struct {
	out  *bufio.Writer
	part []byte
	room int
	cut  int
}

// Write takes any piece of the output.
func (w *writer) Write(p []byte) (int, error) {
	w.part = append(w.part, p...)
	for {
		i := bytes.IndexByte(w.part, '\n')
		if i < 0 {
			return len(p), nil
		}
		line := w.part[:i]
		w.part = w.part[i+1:]
		if err := w.line(line); err != nil {
			return 0, err
		}
	}
}

func (w *writer) line(document []byte) error {
	text, err := message(document)
	if err != nil {
		return err
	}
	if text == "" {
		return nil
	}
	if w.cut > 0 || len(text) > w.room {
		w.cut++
		return nil
	}
	w.room -= len(text)
	_, err = w.out.WriteString(text)
	return err
}

// finish says what was left out.
func (w *writer) finish() error {
	if w.cut == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w.out, "(%d more lines were left out: a file holds no more)\n", w.cut)
	return err
}

// message is a journal entry as a line; empty if it has no text.
func message(document []byte) (string, error) {
	var entry struct {
		At      string          `json:"__REALTIME_TIMESTAMP"`
		Message json.RawMessage `json:"MESSAGE"`
	}
	if len(bytes.TrimSpace(document)) == 0 {
		return "", nil
	}
	if err := json.Unmarshal(document, &entry); err != nil {
		return "", fmt.Errorf("reading the node's journal: %w", err)
	}
	micros, err := strconv.ParseInt(entry.At, 10, 64)
	if err != nil {
		return "", fmt.Errorf("reading the node's journal: a time: %w", err)
	}
	text, err := textOf(entry.Message)
	if err != nil || text == "" {
		return "", err
	}
	at := time.UnixMicro(micros).UTC().Format("2006-01-02T15:04:05.000000Z")
	return at + " " + strings.ReplaceAll(text, "\n", "\n  ") + "\n", nil
}

// textOf is a field of the journal: text, or an array of bytes if it is not
// all printable, or null where it is too long.
func textOf(field json.RawMessage) (string, error) {
	var text string
	if len(field) == 0 || string(field) == "null" || json.Unmarshal(field, &text) == nil {
		return strings.TrimRight(text, "\n"), nil
	}
	var codes []int
	if err := json.Unmarshal(field, &codes); err != nil {
		return "", fmt.Errorf("reading the node's journal: a message: %w", err)
	}
	raw := make([]byte, len(codes))
	for i, code := range codes {
		raw[i] = byte(code)
	}
	return strings.ToValidUTF8(strings.TrimRight(string(raw), "\n"), "\uFFFD"), nil
}
