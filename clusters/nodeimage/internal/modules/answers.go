package modules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/store"
)

const (
	// AnswersFile holds what was found out about releases, in the cache.
	AnswersFile = "releases.json"
	// RefusalTime is how long a release counts as not there.
	RefusalTime = 24 * time.Hour
)

// answer is what was found out about a release.
type answer struct {
	// Reason is why it is not available; empty if it is.
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`
}

// answers are those of one module source.
type answers struct {
	file   string
	source string
	all    map[string]map[string]answer // by source, then version
}

// readAnswers reads what was found out before. What cannot be read counts as
// nothing.
func (r *Recipe) readAnswers(ctx context.Context) (*answers, error) {
	origin, err := r.Tool.Origin(ctx)
	if err != nil {
		return nil, err
	}
	a := &answers{file: filepath.Join(r.store.Root, AnswersFile), source: origin, all: map[string]map[string]answer{}}
	if data, err := os.ReadFile(a.file); err == nil && json.Unmarshal(data, &a.all) != nil {
		a.all = map[string]map[string]answer{}
	}
	if a.all == nil {
		a.all = map[string]map[string]answer{}
	}
	if a.all[a.source] == nil {
		a.all[a.source] = map[string]answer{}
	}
	return a, nil
}

// put notes an answer. The file is replaced as a whole; of two processes that
// do so at once, one answer may have to be found again.
func (a *answers) put(v clusters.Version, found answer) error {
	a.all[a.source][v.String()] = found
	data, err := json.MarshalIndent(a.all, "", "  ")
	if err != nil {
		return fmt.Errorf("noting what was found out about %s: %w", v, err)
	}
	part := fmt.Sprintf("%s.%d", a.file, os.Getpid())
	if err := os.WriteFile(part, data, 0o644); err != nil {
		return fmt.Errorf("noting what was found out about %s: %w", v, store.SpaceError(err))
	}
	if err := os.Rename(part, a.file); err != nil {
		return fmt.Errorf("noting what was found out about %s: %w", v, err)
	}
	return nil
}

// answered returns why a release cannot be built; nil if all its modules are
// there. It asks only for what was not found out before.
func (r *Recipe) answered(ctx context.Context, known *answers, v clusters.Version) error {
	if found, ok := known.all[known.source][v.String()]; ok {
		if found.Reason == "" {
			return nil
		}
		if r.Now().Sub(found.At) < RefusalTime {
			return errors.New(found.Reason)
		}
	}
	_, _, err := r.whole(ctx, v)
	switch {
	case err == nil:
		return known.put(v, answer{At: r.Now().UTC()})
	case refused(err.Error()):
		return errors.Join(err, known.put(v, answer{Reason: build.OneLine(err.Error()), At: r.Now().UTC()}))
	default:
		return err
	}
}

// refused says whether the Go command's message is about a module that is not
// there, rather than about a network that fails.
func refused(message string) bool {
	for _, words := range []string{"403 Forbidden", "404 Not Found", "410 Gone", "unknown revision", "invalid version", "not found"} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}
