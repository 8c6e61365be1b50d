package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/kind-lab/lab/clusters"
)

const (
	// askTime bounds a question to a registry.
	askTime = 4 * time.Second
	// pullPatience is how long a pull may take to say its first word.
	pullPatience = 10 * time.Second
)

// registry asks image registries, and remembers which questions they do not
// answer for as long as the process lives.
type registry struct {
	mu     sync.Mutex
	silent map[string]string
}

func newRegistry() *registry { return &registry{silent: map[string]string{}} }

// host is the registry that an image's name leads to.
func host(ref string) string {
	parsed, err := name.ParseReference(ref, name.WeakValidation)
	if err != nil {
		return ""
	}
	return parsed.Context().RegistryStr()
}

// silence is why a question was not answered before; empty where it was, or
// was not asked.
func (r *registry) silence(question string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.silent[question]
}

// note remembers that a question is not answered.
func (r *registry) note(question, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.silent[question] = why
}

// published is the newest version that a constraint allows and of which the
// registry has a node image; false where it has none. It fails where the
// registry does not answer.
func (r *registry) published(ctx context.Context, repository string, c clusters.Constraint) (clusters.Version, bool, error) {
	repo, err := name.NewRepository(repository, name.WeakValidation)
	if err != nil {
		return clusters.Version{}, false, fmt.Errorf("reading the name of the repository %q: %w", repository, err)
	}
	// Kept apart from what pulls find out: the engine may have a mirror, or
	// more patience.
	asked := "tags of " + repo.RegistryStr()
	if why := r.silence(asked); why != "" {
		return clusters.Version{}, false, errors.New(why)
	}
	asking, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	options := []remote.Option{remote.WithContext(asking), remote.WithAuthFromKeychain(authn.DefaultKeychain), remote.WithRetryBackoff(remote.Backoff{Steps: 1})}
	var best clusters.Version
	found := false
	if v, ok := c.Exact(); ok {
		_, err = remote.Head(repo.Tag("v"+v.String()), options...)
		best, found = v, err == nil
	} else {
		best, found, err = newestTag(repo, c, options)
	}
	var answer *transport.Error
	switch {
	case err == nil:
		return best, found, nil
	case errors.As(err, &answer) && (answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusUnauthorized):
		return clusters.Version{}, false, nil
	case ctx.Err() != nil:
		return clusters.Version{}, false, fmt.Errorf("asking the registry: %w", ctx.Err())
	}
	why := oneLine(err.Error())
	r.note(asked, why)
	return clusters.Version{}, false, errors.New(why)
}

// newestTag is the newest version among a repository's tags that a constraint
// allows.
func newestTag(repo name.Repository, c clusters.Constraint, options []remote.Option) (clusters.Version, bool, error) {
	tags, err := remote.List(repo, options...)
	if err != nil {
		return clusters.Version{}, false, err
	}
	var best clusters.Version
	found := false
	for _, tag := range tags {
		v, err := clusters.ParseVersion(tag)
		if err == nil && c.Match(v) && (!found || v.Compare(best) > 0) {
			best, found = v, true
		}
	}
	return best, found, nil
}

// pullError is a pull that failed.
type pullError struct {
	ref, why string
	err      error
}

func (e *pullError) Error() string {
	return fmt.Sprintf("pulling %s: %s", e.ref, e.why)
}

func (e *pullError) Unwrap() error { return e.err }

// reason is why a pull failed, in one line and without its name.
func reason(err error) string {
	var failed *pullError
	if errors.As(err, &failed) {
		return failed.why
	}
	return oneLine(err.Error())
}

// pull pulls an image. A registry that does not answer is asked once in a
// process.
func (p *Provider) pull(ctx context.Context, ref string, progress Progress) error {
	from := host(ref)
	if why := p.registry.silence(from); why != "" {
		return &pullError{ref: ref, why: why}
	}
	beat := startPulse(progress, Event{Image: ref, Stage: "pulling " + ref, Text: "asking the registry"}, p.beat)
	pulling, cancel := context.WithCancel(ctx)
	defer cancel()
	patience := time.AfterFunc(p.patience, cancel)
	defer patience.Stop()
	cmd := p.engine.cli.Command(pulling, "pull", ref)
	err := child{line: func(line string) bool {
		patience.Stop()
		beat.say(line)
		return true
	}}.stream(pulling, cmd.Path, "pull", ref)
	beat.end(err == nil, "")
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("pulling %s: %w", ref, ctx.Err())
	case errors.Is(err, ErrNoSpace), errors.Is(err, ErrCannotBuild):
		return fmt.Errorf("pulling %s: %w", ref, err)
	case pulling.Err() != nil:
		why := fmt.Sprintf("the registry said nothing for %s", p.patience)
		p.registry.note(from, why)
		return &pullError{ref: ref, why: why, err: err}
	}
	failed := &pullError{ref: ref, why: lastLine(err), err: err}
	if unreachable(failed.why) {
		p.registry.note(from, failed.why)
	}
	return failed
}

// lastLine is the last line that a failed command wrote, without the engine's
// own preface.
func lastLine(err error) string {
	var failed *clusters.CommandError
	if !errors.As(err, &failed) || failed.Output == "" {
		return oneLine(err.Error())
	}
	output := outputLines([]byte(failed.Output))
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
