package images

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/build"
)

// askTime bounds a question to a registry.
const askTime = 4 * time.Second

// Registry asks image registries, and remembers which questions they do not
// answer for as long as the process lives.
type Registry struct {
	mu     sync.Mutex
	silent map[string]string
}

func newRegistry() *Registry { return &Registry{silent: map[string]string{}} }

// host is the registry that an image's name leads to.
func host(ref string) string {
	parsed, err := name.ParseReference(ref, name.WeakValidation)
	if err != nil {
		return ""
	}
	return parsed.Context().RegistryStr()
}

// Silence is why a question was not answered before; empty where it was, or
// was not asked.
func (r *Registry) Silence(question string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.silent[question]
}

// Note remembers that a question is not answered.
func (r *Registry) Note(question, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.silent[question] = why
}

// Published is the newest version that a constraint allows and of which the
// registry has a node image; false where it has none. It fails where the
// registry does not answer.
func (r *Registry) Published(ctx context.Context, repository string, c clusters.Constraint) (clusters.Version, bool, error) {
	repo, err := name.NewRepository(repository, name.WeakValidation)
	if err != nil {
		return clusters.Version{}, false, fmt.Errorf("reading the name of the repository %q: %w", repository, err)
	}
	// Kept apart from what pulls find out: the engine may have a mirror, or
	// more patience.
	asked := "tags of " + repo.RegistryStr()
	if why := r.Silence(asked); why != "" {
		return clusters.Version{}, false, errors.New(why)
	}
	asking, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	options := questions(asking)
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
	why := build.OneLine(err.Error())
	r.Note(asked, why)
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

// Serves returns in one line why a registry does not give an image; nil if it
// does.
func (r *Registry) Serves(ctx context.Context, ref string) error {
	parsed, err := name.ParseReference(ref, name.WeakValidation)
	if err != nil {
		return fmt.Errorf("reading the name of the image %q: %w", ref, err)
	}
	asked := "tags of " + parsed.Context().RegistryStr()
	if why := r.Silence(asked); why != "" {
		return errors.New(why)
	}
	asking, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	_, err = remote.Head(parsed, questions(asking)...)
	var answer *transport.Error
	if err == nil || ctx.Err() != nil || errors.As(err, &answer) {
		return err
	}
	why := build.OneLine(err.Error())
	r.Note(asked, why)
	return errors.New(why)
}

// questions are the options of a question that is asked once.
func questions(ctx context.Context) []remote.Option {
	return []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain), remote.WithRetryBackoff(remote.Backoff{Steps: 1})}
}
