package build

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/store"
)

const (
	// hangUp is how long the pipes of a child that was killed may stay open.
	hangUp = 5 * time.Second
	// keptLines bounds what an error keeps of a child's output.
	keptLines = 40
	// longestLine bounds one line of a child's output, in bytes.
	longestLine = 64 << 10
)

// Child is a command to run: in a process group of its own, so that the end
// of the context ends whatever it has started, and a Ctrl-C at the terminal
// does not.
type Child struct {
	Dir   string
	Env   []string // added to this process's own
	Stdin io.Reader
	// Alone gives it mounts of its own, which vanish with its last process.
	Alone bool
	// Line gets each line of its output as it comes, and says whether an
	// error should show it. Nil shows all of them.
	Line func(string) bool
}

// Stream runs the command line and hands its output, standard output and
// standard error alike, to c.line. A failure is a *clusters.CommandError with
// the last of what was to be shown.
func (c Child) Stream(ctx context.Context, name string, args ...string) error {
	cmd := c.command(ctx, name, args)
	said := &lines{each: c.Line}
	cmd.Stdout, cmd.Stderr = said, said
	return c.wait(ctx, cmd, said)
}

// Output runs the command line and returns its standard output, also where it
// failed.
func (c Child) Output(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := c.command(ctx, name, args)
	var out bytes.Buffer
	said := &lines{each: c.Line}
	cmd.Stdout, cmd.Stderr = &out, said
	err := c.wait(ctx, cmd, said)
	return out.Bytes(), err
}

func (c Child) command(ctx context.Context, name string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = c.Dir, c.Stdin, hangUp
	if len(c.Env) > 0 {
		cmd.Env = append(os.Environ(), c.Env...)
	}
	setGroup(cmd, c.Alone)
	return cmd
}

// wait runs cmd to its end.
func (c Child) wait(ctx context.Context, cmd *exec.Cmd, said *lines) error {
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
	return store.SpaceError(clusters.NewCommandError(cmd, said.last(), err))
}
