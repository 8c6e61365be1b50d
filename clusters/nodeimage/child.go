package nodeimage

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/kind-lab/lab/clusters"
)

const (
	// hangUp is how long the pipes of a child that was killed may stay open.
	hangUp = 5 * time.Second
	// keptLines bounds what an error keeps of a child's output.
	keptLines = 40
	// longestLine bounds one line of a child's output, in bytes.
	longestLine = 64 << 10
)

// child is a command to run: in a process group of its own, so that the end
// of the context ends whatever it has started, and a Ctrl-C at the terminal
// does not.
type child struct {
	dir   string
	env   []string // added to this process's own
	stdin io.Reader
	// alone gives it mounts of its own, which vanish with its last process.
	alone bool
	// line gets each line of its output as it comes, and says whether an
	// error should show it. Nil shows all of them.
	line func(string) bool
}

// stream runs the command line and hands its output, standard output and
// standard error alike, to c.line. A failure is a *clusters.CommandError with
// the last of what was to be shown.
func (c child) stream(ctx context.Context, name string, args ...string) error {
	cmd := c.command(ctx, name, args)
	said := &lines{each: c.line}
	cmd.Stdout, cmd.Stderr = said, said
	return c.wait(ctx, cmd, said)
}

// output runs the command line and returns its standard output, also where it
// failed.
func (c child) output(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := c.command(ctx, name, args)
	var out bytes.Buffer
	said := &lines{each: c.line}
	cmd.Stdout, cmd.Stderr = &out, said
	err := c.wait(ctx, cmd, said)
	return out.Bytes(), err
}

func (c child) command(ctx context.Context, name string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = c.dir, c.stdin, hangUp
	if len(c.env) > 0 {
		cmd.Env = append(os.Environ(), c.env...)
	}
	setGroup(cmd, c.alone)
	return cmd
}

// wait runs cmd to its end.
func (c child) wait(ctx context.Context, cmd *exec.Cmd, said *lines) error {
	err := cmd.Run()
	if err == nil {
		return nil
	}
	if errors.Is(err, exec.ErrNotFound) {
		return &MissingToolError{Tool: cmd.Args[0]}
	}
	if ctx.Err() != nil {
		err = errors.Join(ctx.Err(), err)
	}
	return spaceError(clusters.NewCommandError(cmd, said.last(), err))
}

// spaceError marks an error that a full disk has caused as an ErrNoSpace, by
// its cause or by what a child has said.
func spaceError(err error) error {
	if err == nil || errors.Is(err, ErrNoSpace) {
		return err
	}
	full := errors.Is(err, syscall.ENOSPC)
	var failed *clusters.CommandError
	if errors.As(err, &failed) {
		full = full || strings.Contains(strings.ToLower(failed.Output), "no space left on device")
	}
	if !full {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNoSpace, err)
}

// lines splits what is written to it into lines, and keeps the last of them.
type lines struct {
	each func(string) bool

	mu   sync.Mutex
	part []byte
	kept []string
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.part = append(l.part, b...)
	for {
		i := bytes.IndexAny(l.part, "\r\n")
		if i < 0 && len(l.part) > longestLine {
			i = longestLine
		}
		if i < 0 {
			return len(b), nil
		}
		l.keep(string(l.part[:i]))
		l.part = l.part[i+1:]
	}
}

func (l *lines) keep(line string) {
	line = strings.TrimRight(line, " \t")
	if line == "" || l.each != nil && !l.each(line) {
		return
	}
	l.kept = append(l.kept, line)
	if len(l.kept) > keptLines {
		l.kept = l.kept[len(l.kept)-keptLines:]
	}
}

// last is the end of what was written, of the lines that an error shows.
func (l *lines) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.part) > 0 {
		l.keep(string(l.part))
		l.part = nil
	}
	return strings.Join(l.kept, "\n")
}

// outputLines are the non-empty lines of a command's output.
func outputLines(out []byte) []string {
	var found []string
	scanner := bufio.NewScanner(bytes.NewReader(out))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		if line := strings.TrimSpace(scanner.Text()); line != "" {
			found = append(found, line)
		}
	}
	return found
}
