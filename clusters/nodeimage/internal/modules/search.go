package modules

import (
	"context"
	"fmt"
	"slices"

	"github.com/kind-lab/lab/clusters"
)

// Search is what looking for a release that can be built has found.
type Search struct {
	Version clusters.Version
	// Of says in words of what the version is the newest, such as "known to
	// have all its modules". It is empty if there is none.
	Of string
	// Tried are the releases that cannot be built, each with the reason.
	Tried []string
	// Newest is the newest release of which anything is known.
	Newest clusters.Version
}

// Search finds the newest release that a constraint allows and whose modules
// are all there. It fails where it cannot ask for modules.
func (r *Recipe) Search(ctx context.Context, c clusters.Constraint) (Search, error) {
	answers, err := r.readAnswers(ctx)
	if err != nil {
		return Search{}, err
	}
	var s Search
	try := func(v clusters.Version, of string) bool {
		if err := r.answered(ctx, answers, v); err != nil {
			s.Tried = append(s.Tried, fmt.Sprintf("%s: %v", v, err))
			return ctx.Err() != nil
		}
		s.Version, s.Of = v, of
		return true
	}
	candidates := known(c)
	for _, v := range candidates {
		if try(v, "known to have all its modules") {
			return s, ctx.Err()
		}
	}
	listed, listErr := r.released(ctx)
	if _, exact := c.Exact(); listErr != nil && !exact {
		s.Tried = append(s.Tried, listErr.Error())
	}
	for _, v := range listed {
		if c.Match(v) && !slices.Contains(candidates, v) && try(v, "listed that has all its modules") {
			return s, ctx.Err()
		}
	}
	s.Newest = newestKnown(listed)
	return s, ctx.Err()
}

// known are the releases to try before any list: the one that an exact
// constraint names, or those of knownWhole.
func known(c clusters.Constraint) []clusters.Version {
	if v, ok := c.Exact(); ok {
		return []clusters.Version{v}
	}
	return slices.DeleteFunc(knownWhole(), func(v clusters.Version) bool { return !c.Match(v) })
}

// newestKnown is the newest release of which anything is known.
func newestKnown(listed []clusters.Version) clusters.Version {
	return slices.MaxFunc(append(knownWhole(), listed...), clusters.Version.Compare)
}
