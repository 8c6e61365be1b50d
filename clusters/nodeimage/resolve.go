package nodeimage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
)

// The sources of a Resolution.
const (
	// Have: the engine has the image.
	Have = "have"
	// Pull: the registry has it.
	Pull = "pull"
	// Build: it is built here, out of Go modules and Debian packages.
	Build = "build"
)

// Resolution is the node image that a version constraint leads to.
type Resolution struct {
	// Version is the release; zero where Image was named by the user.
	Version clusters.Version `json:"version,omitzero"`
	// Source is Have, Pull or Build.
	Source string `json:"source"`
	// Image is the reference of the node image.
	Image string `json:"image"`
	// Why says in one sentence why it is this one.
	Why string `json:"why"`
	// Estimate is how long it takes until the engine has it.
	Estimate time.Duration `json:"estimate_ns"`
}

const (
	// pullEstimate is what a node image takes to pull on a usual line.
	pullEstimate = time.Minute
	// answersFile holds what was found out about releases, in the cache.
	answersFile = "releases.json"
	// refusalTime is how long a release counts as not to be had.
	refusalTime = 24 * time.Hour
)

// Resolve finds the release that a constraint (see clusters.ParseConstraint)
// leads to, and says where its node image comes from: the newest that the
// engine has, or else the newest that the registry has, or else one whose
// modules can all be had. Nothing is asked of the network where the engine
// has one.
//
// Where image is not empty, it is that image: by tag or digest, as it is. Its
// tag, or what it says of itself, must be a version that the constraint
// allows, which may then be empty; an image that says nothing needs a
// constraint of one exact version.
//
// Errors are clusters.ErrBadVersion, clusters.ErrTooOld, ErrNoVersion,
// ErrOtherVersion, and ErrCannotBuild where only a build would do and this
// machine cannot.
func (p *Provider) Resolve(ctx context.Context, constraint, image string) (Resolution, error) {
	var c clusters.Constraint
	var err error
	if constraint != "" || image == "" {
		if c, err = clusters.ParseConstraint(constraint); err != nil {
			return Resolution{}, err
		}
	}
	if image != "" {
		return p.resolveImage(ctx, c, image)
	}
	return p.resolveVersion(ctx, c)
}

// resolveVersion is Resolve where no image was named.
func (p *Provider) resolveVersion(ctx context.Context, c clusters.Constraint) (Resolution, error) {
	have, err := p.engine.nodeVersions(ctx, p.repository)
	if ctx.Err() != nil {
		return Resolution{}, ctx.Err()
	}
	note := ""
	if err != nil {
		note = " (the container engine could not be asked for its images)"
	}
	if v, ok := newest(have, c); ok {
		return Resolution{Version: v, Source: Have, Image: have[v], Why: fmt.Sprintf("the container engine has %s%s", have[v], among(c, v, "that it has"))}, nil
	}
	v, ok, registryErr := p.registry.published(ctx, p.repository, c)
	if ctx.Err() != nil {
		return Resolution{}, ctx.Err()
	}
	if ok {
		return Resolution{
			Version: v, Source: Pull, Image: p.image(v), Estimate: pullEstimate,
			Why: fmt.Sprintf("the registry has %s%s%s", p.image(v), among(c, v, "that it has"), note),
		}, nil
	}
	why := "the registry has no image of it"
	if registryErr != nil {
		why = "no image registry answers"
	}
	return p.resolveBuild(ctx, c, why+note)
}

// resolveImage is Resolve where an image was named; the zero constraint allows
// every version.
func (p *Provider) resolveImage(ctx context.Context, c clusters.Constraint, image string) (Resolution, error) {
	found, err := p.engine.inspect(ctx, image)
	if ctx.Err() != nil {
		return Resolution{}, ctx.Err()
	}
	have := err == nil && len(found) > 0
	tagged, _, _ := strings.Cut(image, "@")
	name, err := splitImage(tagged)
	var v clusters.Version
	if err == nil {
		v, err = clusters.ParseVersion(name.tag)
	}
	if err != nil && have {
		v, err = clusters.ParseVersion(found[0].Config.Labels[versionLabel+"kubernetes"])
	}
	exact, isExact := c.Exact()
	switch {
	case err != nil && isExact:
		v = exact
	case err != nil:
		return Resolution{}, fmt.Errorf("%w: image %s does not say which version of Kubernetes it is; write the whole version beside it, like \"1.28.15\"", ErrOtherVersion, image)
	case c != (clusters.Constraint{}) && !c.Match(v):
		return Resolution{}, fmt.Errorf("%w: image %s is Kubernetes %s, which does not match %q", ErrOtherVersion, image, v, c)
	}
	r := Resolution{Version: v, Source: Have, Image: image, Why: "the scenario names this image, and the container engine has it"}
	if have {
		return r, nil
	}
	if image == p.image(v) {
		only, err := clusters.ParseConstraint(v.String())
		if err != nil {
			return Resolution{}, fmt.Errorf("image %s: %w", image, err)
		}
		return p.resolveVersion(ctx, only)
	}
	r.Source, r.Why, r.Estimate = Pull, "the scenario names this image", pullEstimate
	return r, nil
}

// among says what makes v the choice, where there were several to choose from.
func among(c clusters.Constraint, v clusters.Version, of string) string {
	if _, exact := c.Exact(); exact {
		return ""
	}
	return fmt.Sprintf("; %s is the newest %s that matches %q", v, of, c)
}

// newest is the newest version of found that a constraint allows.
func newest(found map[clusters.Version]string, c clusters.Constraint) (clusters.Version, bool) {
	var best clusters.Version
	ok := false
	for v := range found {
		if c.Match(v) && (!ok || v.Compare(best) > 0) {
			best, ok = v, true
		}
	}
	return best, ok
}

// resolveBuild finds a release that can be built; why says why it must be.
func (p *Provider) resolveBuild(ctx context.Context, c clusters.Constraint, why string) (Resolution, error) {
	if err := p.can(); err != nil {
		return Resolution{}, fmt.Errorf("a node image for Kubernetes %q: %s, and %w", c, why, err)
	}
	answers, err := p.readAnswers(ctx)
	if err != nil {
		return Resolution{}, fmt.Errorf("a node image for Kubernetes %q: %s, so it would be built: %w", c, why, err)
	}
	var tried []string
	try := func(v clusters.Version, of string) (Resolution, bool, error) {
		if err := p.whole(ctx, answers, v); err != nil {
			tried = append(tried, fmt.Sprintf("%s: %v", v, err))
			return Resolution{}, false, ctx.Err()
		}
		return Resolution{
			Version: v, Source: Build, Image: p.image(v), Estimate: p.estimate(v),
			Why: fmt.Sprintf("%s, so it is built out of Go modules%s", why, among(c, v, of)),
		}, true, nil
	}
	candidates := known(c)
	for _, v := range candidates {
		if r, ok, err := try(v, "known to have all its modules"); ok || err != nil {
			return r, err
		}
	}
	listed, listErr := p.modules().released(ctx)
	if _, exact := c.Exact(); listErr != nil && !exact {
		tried = append(tried, listErr.Error())
	}
	for _, v := range listed {
		if !c.Match(v) || slices.Contains(candidates, v) {
			continue
		}
		if r, ok, err := try(v, "listed that has all its modules"); ok || err != nil {
			return r, err
		}
	}
	if ctx.Err() != nil {
		return Resolution{}, ctx.Err()
	}
	return Resolution{}, &NoVersionError{Constraint: c.String(), Newest: newestKnown(listed).String(), Tried: tried}
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

// answer is what was found out about a release.
type answer struct {
	// Reason is why it cannot be had; empty where it can.
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
func (p *Provider) readAnswers(ctx context.Context) (*answers, error) {
	out, err := child{dir: p.tool.dir, env: p.tool.env()}.output(ctx, p.tool.path, "env", "GOPROXY", "GOPRIVATE", "GONOSUMDB", "GOFLAGS")
	if err != nil {
		return nil, fmt.Errorf("asking where Go modules come from: %w", err)
	}
	a := &answers{file: filepath.Join(p.store.root, answersFile), source: oneLine(string(out)), all: map[string]map[string]answer{}}
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
		return fmt.Errorf("noting what was found out about %s: %w", v, spaceError(err))
	}
	if err := os.Rename(part, a.file); err != nil {
		return fmt.Errorf("noting what was found out about %s: %w", v, err)
	}
	return nil
}

// whole says why a release cannot be built; nil where all its modules can be
// had.
func (p *Provider) whole(ctx context.Context, known *answers, v clusters.Version) error {
	if found, ok := known.all[known.source][v.String()]; ok {
		if found.Reason == "" {
			return nil
		}
		if p.now().Sub(found.At) < refusalTime {
			return errors.New(found.Reason)
		}
	}
	_, _, err := p.modules().whole(ctx, v)
	switch {
	case err == nil:
		return known.put(v, answer{At: p.now().UTC()})
	case refused(err.Error()):
		return errors.Join(err, known.put(v, answer{Reason: oneLine(err.Error()), At: p.now().UTC()}))
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
