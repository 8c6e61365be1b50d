package nodeimage

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/oci"
	"github.com/kind-lab/lab/clusters/nodeimage/internal/kindbuild"
)

// The sources of a Resolution.
const (
	// Have: the engine has the image.
	Have = "have"
	// Pull: the registry has it.
	Pull = "pull"
	// Build: it is built here, by kind's builder or from Go modules and Debian
	// packages.
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

// pullEstimate is what a node image takes to pull on a usual line.
const pullEstimate = time.Minute

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
	have, err := p.engine.Versions(ctx, p.repository)
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
	v, ok, registryErr := p.puller.Registry.Published(ctx, p.repository, c)
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
	found, err := p.engine.Inspect(ctx, image)
	if ctx.Err() != nil {
		return Resolution{}, ctx.Err()
	}
	have := err == nil && len(found) > 0
	tagged, _, _ := strings.Cut(image, "@")
	name, err := oci.SplitName(tagged)
	var v clusters.Version
	if err == nil {
		v, err = clusters.ParseVersion(name.Tag)
	}
	if err != nil && have {
		v, err = clusters.ParseVersion(found[0].Config.Labels[images.VersionLabel+"kubernetes"])
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
	if p.kind.Program == "" {
		return p.resolveModules(ctx, c, why)
	}
	err := p.kind.Ready(ctx)
	var v clusters.Version
	if err == nil {
		v, err = p.kind.Newest(ctx, c)
	}
	if ctx.Err() != nil {
		return Resolution{}, ctx.Err()
	}
	if err != nil {
		return p.resolveModules(ctx, c, fmt.Sprintf("%s, and kind's builder cannot make it (%v)", why, err))
	}
	return Resolution{
		Version: v, Source: Build, Image: p.image(v), Estimate: kindbuild.Estimate,
		Why: fmt.Sprintf("%s, so kind's builder makes it of the release at %s%s", why, p.kind.Host(), among(c, v, "released")),
	}, nil
}

// resolveModules finds a release that can be built from Go modules; why says why
// it must be.
func (p *Provider) resolveModules(ctx context.Context, c clusters.Constraint, why string) (Resolution, error) {
	if err := p.modules.Can(); err != nil {
		return Resolution{}, fmt.Errorf("a node image for Kubernetes %q: %s, and %w", c, why, err)
	}
	found, err := p.modules.Search(ctx, c)
	if ctx.Err() != nil {
		return Resolution{}, ctx.Err()
	}
	if err != nil {
		return Resolution{}, fmt.Errorf("a node image for Kubernetes %q: %s, so it would be built: %w", c, why, err)
	}
	if found.Of == "" {
		return Resolution{}, &NoVersionError{Constraint: c.String(), Newest: found.Newest.String(), Tried: found.Tried}
	}
	v := found.Version
	return Resolution{
		Version: v, Source: Build, Image: p.image(v), Estimate: p.modules.Estimate(v),
		Why: fmt.Sprintf("%s, so it is built out of Go modules%s", why, among(c, v, found.Of)),
	}, nil
}

// exactly is the constraint that allows one version alone.
func exactly(v clusters.Version) clusters.Constraint {
	c, err := clusters.ParseConstraint(v.String())
	if err != nil {
		return clusters.Constraint{} // which allows none
	}
	return c
}
