package clusters

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// Engine runs a container engine's command line.
type Engine struct {
	// Name is "docker", "podman" or "nerdctl": the providers that kind has.
	Name string
	// Path is the client's executable; empty means Name on the PATH.
	Path string
}

// Command returns the engine's command line with args, not yet started. It is
// killed when ctx ends.
func (e Engine) Command(ctx context.Context, args ...string) *exec.Cmd {
	path := e.Path
	if path == "" {
		path = e.Name
	}
	return exec.CommandContext(ctx, path, args...)
}

// Output runs the engine's command line and returns what it wrote to standard
// output. A failure is a *CommandError and carries what was written to
// standard error.
func (e Engine) Output(ctx context.Context, args ...string) ([]byte, error) {
	var out bytes.Buffer
	err := e.Run(ctx, nil, &out, args...)
	return out.Bytes(), err
}

// Run runs the engine's command line with the given standard input (nil for
// none) and output. A failure is a *CommandError.
func (e Engine) Run(ctx context.Context, stdin io.Reader, stdout io.Writer, args ...string) error {
	cmd := e.Command(ctx, args...)
	var errOut bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, &errOut
	if err := cmd.Run(); err != nil {
		return NewCommandError(cmd, errOut.String(), errors.Join(err, ctx.Err()))
	}
	return nil
}

// CommandError is a child process that failed, with what it said.
type CommandError struct {
	// Command is the command line, as a person would type it.
	Command string
	// Output is what it wrote, trimmed; standard error where that is kept
	// apart.
	Output string
	// Err is how it ended.
	Err error
}

// NewCommandError describes the failure of cmd, which wrote output.
func NewCommandError(cmd *exec.Cmd, output string, err error) *CommandError {
	return &CommandError{Command: strings.Join(cmd.Args, " "), Output: strings.TrimSpace(output), Err: err}
}

// Error names the command, how it ended and what it said.
func (e *CommandError) Error() string {
	if e.Output == "" {
		return fmt.Sprintf("%s: %v", e.Command, e.Err)
	}
	return fmt.Sprintf("%s: %v: %s", e.Command, e.Err, e.Output)
}

// Unwrap returns how the process ended.
func (e *CommandError) Unwrap() error { return e.Err }

// Host holds the facts about a machine that decide how clusters are made on
// it.
type Host struct {
	// Cgroup is the version of the engine's cgroups, 1 or 2.
	Cgroup int `json:"cgroup"`
	// MissingCapabilities are those that a privileged container cannot get,
	// such as "CAP_SYS_RESOURCE".
	MissingCapabilities []string `json:"missing_capabilities,omitempty"`
	// Local says that the engine runs on this very machine.
	Local bool `json:"local,omitempty"`
	// CPUs and Memory (bytes) bound how many clusters boot at once.
	CPUs   int   `json:"cpus"`
	Memory int64 `json:"memory"`
}

// Lacks says whether privileged containers miss the capability, named as in
// capabilities(7), such as "CAP_SYS_RESOURCE".
func (h Host) Lacks(capability string) bool {
	for _, c := range h.MissingCapabilities {
		if c == capability {
			return true
		}
	}
	return false
}
