package images

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/store"
)

// pullPatience is how long a pull may take to say its first word.
const pullPatience = 10 * time.Second

// PullError is a pull that failed.
type PullError struct {
	// Why is what the registry answered, in one line.
	Why string

	ref string
	err error
}

// Error names the image and says what the registry answered.
func (e *PullError) Error() string {
	return fmt.Sprintf("pulling %s: %s", e.ref, e.Why)
}

// Unwrap returns how the engine's command ended.
func (e *PullError) Unwrap() error { return e.err }

// Puller pulls images into the engine.
type Puller struct {
	engine Engine
	// Registry remembers which registries do not answer.
	Registry *Registry
	// Beat is how often it says what it is at.
	Beat time.Duration
	// Patience is how long a registry may take to say its first word.
	Patience time.Duration
}

// NewPuller returns a Puller that knows nothing of registries yet.
func NewPuller(e Engine) *Puller {
	return &Puller{engine: e, Registry: newRegistry(), Beat: build.Heartbeat, Patience: pullPatience}
}

// Have makes the engine have an image: it is there, or it is pulled. The error
// is a *PullError where the registry does not give it.
func (p *Puller) Have(ctx context.Context, ref string, progress build.Progress) error {
	if ok, err := p.engine.Has(ctx, ref); ok || err != nil {
		return err
	}
	return p.pull(ctx, ref, progress)
}

// pull pulls an image. A registry that does not answer is asked once in a
// process.
func (p *Puller) pull(ctx context.Context, ref string, progress build.Progress) error {
	from := host(ref)
	if why := p.Registry.Silence(from); why != "" {
		return &PullError{ref: ref, Why: why}
	}
	beat := build.StartPulse(progress, build.Event{Image: ref, Stage: "pulling " + ref, Text: "asking the registry"}, p.Beat)
	pulling, cancel := context.WithCancel(ctx)
	defer cancel()
	patience := time.AfterFunc(p.Patience, cancel)
	defer patience.Stop()
	cmd := p.engine.CLI.Command(pulling, "pull", ref)
	err := build.Child{Line: func(line string) bool {
		patience.Stop()
		beat.Say(line)
		return true
	}}.Stream(pulling, cmd.Path, "pull", ref)
	beat.End(err == nil, "")
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("pulling %s: %w", ref, ctx.Err())
	case errors.Is(err, store.ErrNoSpace), errors.Is(err, build.ErrCannotBuild):
		return fmt.Errorf("pulling %s: %w", ref, err)
	case pulling.Err() != nil:
		why := fmt.Sprintf("the registry said nothing for %s", p.Patience)
		p.Registry.Note(from, why)
		return &PullError{ref: ref, Why: why, err: err}
	}
	failed := &PullError{ref: ref, Why: lastLine(err), err: err}
	if unreachable(failed.Why) {
		p.Registry.Note(from, failed.Why)
	}
	return failed
}

// lastLine is the last line that a failed command wrote, without the engine's
// own preface.
func lastLine(err error) string {
	var failed *clusters.CommandError
	if !errors.As(err, &failed) {
		return build.OneLine(err.Error())
	}
	output := build.OutputLines([]byte(failed.Output))
	if len(output) == 0 {
		return build.OneLine(err.Error())
	}
	return strings.TrimPrefix(output[len(output)-1], "Error response from daemon: ")
}

// unreachable says whether an engine's message is about a registry that
// cannot be reached, rather than about an image that it does not have.
func unreachable(message string) bool {
	message = strings.ToLower(message)
	for _, words := range []string{
		"no such host", "connection refused", "i/o timeout", "timeout exceeded", "network is unreachable", "no route to host",
		"proxyconnect", "tls handshake", "certificate", "temporary failure in name resolution", "server misbehaving", "deadline exceeded",
	} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}
