package runtime

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// startScript reads the other programs from its standard input and runs them.
//
//go:embed start.sh
var startScript string

// streamScript prints containerd's events, and answers questions, until its
// standard input ends.
//
//go:embed stream.sh
var streamScript string

// askScript is the perl program that causes an event.
//
//go:embed ask.pl
var askScript string

// annotateScript is the perl program that says in the stream whose its containers
// are.
//
//go:embed annotate.pl
var annotateScript string

// programs are the first lines of startScript's standard input.
func programs() string {
	const end = "#end\n"
	return streamScript + end + askScript + end + annotateScript + end
}

// queued bounds the lines that wait to be recorded; when it is reached the
// node's ctr waits.
const queued = 4096

// stream is a running streamScript.
type stream struct {
	// lines are those of ctr. It is closed when the stream has ended; then ended
	// has why.
	lines <-chan string
	ended <-chan error
	// stdin takes questions.
	stdin input
}

// stream starts ctr in the node. What the node answers goes to n.asker.
func (n *node) stream(ctx context.Context) (*stream, error) {
	// A file, because a process gets a file as it is: nobody copies, and the
	// kernel ends it when this process dies.
	stdin, hold, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("opening a pipe for the event stream: %w", err)
	}
	// An empty pipe has room for them.
	if _, err := io.WriteString(hold, programs()); err != nil {
		return nil, fmt.Errorf("writing to the input of the event stream: %w", errors.Join(err, hold.Close(), stdin.Close()))
	}
	out, end := make(chan string, queued), make(chan error, 1)
	stdout := &lineWriter{line: func(line string) error {
		select {
		case out <- line:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	var said tail
	stderr := &lineWriter{line: func(line string) error {
		if n.asker.answered(line) {
			return nil
		}
		_, err := said.Write([]byte(line + "\n"))
		return err
	}}
	release := context.AfterFunc(ctx, func() { _ = hold.Close() })
	n.group.Go(func() {
		err := n.c.exec.NodeExec(ctx, n.name, stdin, stdout, stderr, "sh", "-c", startScript)
		if release() {
			err = errors.Join(err, hold.Close())
		}
		err = errors.Join(err, stdin.Close(), stderr.flush())
		end <- streamError(err, said.String())
		close(out)
	})
	return &stream{lines: out, ended: end, stdin: hold}, nil
}

// streamError says why a stream ended, in one line.
func streamError(err error, said string) error {
	if err == nil {
		err = errors.New("it ended")
	}
	return fmt.Errorf("containerd's event stream broke: %w", spoken{err: err, said: said})
}

// spoken is a command's error in one line: what the command said where it said
// anything, since how it ended is what the caller adds to that.
type spoken struct {
	err  error
	said string
}

// Error returns at most 600 bytes.
func (s spoken) Error() string {
	text := s.said
	if text == "" {
		text = s.err.Error()
	}
	text = strings.Join(strings.Fields(text), " ")
	return text[:min(len(text), 600)]
}

// Unwrap returns how the command ended.
func (s spoken) Unwrap() error { return s.err }
