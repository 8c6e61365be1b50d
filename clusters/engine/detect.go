package engine

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
)

// ErrNoEngine is returned where no container engine answers.
var ErrNoEngine = errors.New("no container engine answers")

// ErrUnknownEngine is returned where the environment asks for an engine that
// kind does not have.
var ErrUnknownEngine = errors.New("unknown container engine")

// Environment variables that name the engine to use instead of the first one
// that answers: "docker", "podman", "nerdctl", "finch" or "nerdctl.lima".
// EnvEngine goes before EnvKind, which is kind's own.
const (
	EnvEngine = "LAB_ENGINE"
	EnvKind   = "KIND_EXPERIMENTAL_PROVIDER"
)

// askTimeout bounds one question to an engine.
const askTimeout = 10 * time.Second

// candidates are the engines in the order in which kind v0.33 looks for them.
func candidates() []clusters.Engine {
	return []clusters.Engine{
		{Name: "docker"},
		{Name: "nerdctl"},
		{Name: "nerdctl", Path: "finch"},
		{Name: "podman"},
	}
}

// Detect returns the first engine that answers, in kind's order, or the one
// that the environment names (see EnvEngine). The error is ErrNoEngine, with
// what was tried and what to do, or ErrUnknownEngine.
func Detect(ctx context.Context, getenv func(string) string) (clusters.Engine, error) {
	e, _, err := detect(ctx, getenv)
	return e, err
}

func detect(ctx context.Context, getenv func(string) string) (clusters.Engine, info, error) {
	list, by, err := wanted(getenv)
	if err != nil {
		return clusters.Engine{}, info{}, err
	}
	var tried []string
	for _, e := range list {
		facts, err := ask(ctx, e)
		if err == nil {
			return e, facts, nil
		}
		if ctx.Err() != nil {
			return clusters.Engine{}, info{}, fmt.Errorf("looking for a container engine: %w", ctx.Err())
		}
		tried = append(tried, err.Error())
	}
	return clusters.Engine{}, info{}, &noEngineError{tried: tried, by: by}
}

// noEngineError is ErrNoEngine with what was tried, and what chose it ("" for
// kind's order).
type noEngineError struct {
	tried []string
	by    string
}

const engineAdvice = "run `lab engine up` as root (Debian, Ubuntu), or install and start docker: https://docs.docker.com/engine/install/"

func (e *noEngineError) Error() string { return e.seen() + "; " + engineAdvice }

func (e *noEngineError) Unwrap() error { return ErrNoEngine }

// seen is the error without the advice.
func (e *noEngineError) seen() string {
	text := ErrNoEngine.Error()
	if e.by != "" {
		text += " (asked for by " + e.by + ")"
	}
	return text + ": " + strings.Join(e.tried, "; ")
}

// wanted returns the engines to try and the environment variable that chose
// them, "" for none.
func wanted(getenv func(string) string) (list []clusters.Engine, by string, err error) {
	for _, variable := range []string{EnvEngine, EnvKind} {
		switch value := getenv(variable); value {
		case "":
			continue
		case "docker", "podman", "nerdctl":
			return []clusters.Engine{{Name: value}}, variable + "=" + value, nil
		case "finch", "nerdctl.lima":
			return []clusters.Engine{{Name: "nerdctl", Path: value}}, variable + "=" + value, nil
		default:
			return nil, "", fmt.Errorf("%w: %s is %q; kind has docker, podman, nerdctl, finch and nerdctl.lima: set one of them, or unset it", ErrUnknownEngine, variable, value)
		}
	}
	return candidates(), "", nil
}

// program is the name of the engine's client.
func program(e clusters.Engine) string {
	if e.Path != "" {
		return e.Path
	}
	return e.Name
}

// ask returns what the engine says of itself. The error begins with the
// client's name and says in one line why there was no answer.
func ask(ctx context.Context, e clusters.Engine) (info, error) {
	name := program(e)
	if _, err := exec.LookPath(name); err != nil {
		return info{}, fmt.Errorf("%s: no client on the PATH", name)
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	out, err := e.Output(ctx, "info", "--format", "{{json .}}")
	if err != nil {
		return info{}, fmt.Errorf("%s: the client is there, the engine does not answer: %w", name, said(err))
	}
	facts, err := parseInfo(e.Name, out)
	if err != nil {
		return info{}, fmt.Errorf("%s: %w", name, err)
	}
	return facts, nil
}

// said reduces a failed command to what it said, where it said something.
func said(err error) error {
	var failed *clusters.CommandError
	if !errors.As(err, &failed) || failed.Output == "" {
		return err
	}
	return errors.New(lastLines(failed.Output, 3))
}

// lastLines returns the last n lines of text as one, without what would
// move a terminal's cursor.
func lastLines(text string, n int) string {
	lines := slices.DeleteFunc(strings.Split(printable(text), "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, " ")
}

// printable drops control characters other than the end of a line.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && (r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0)) {
			return -1
		}
		return r
	}, text)
}
