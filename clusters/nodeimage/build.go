package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/store"
	"github.com/kind-lab/lab/clusters/nodeimage/internal/kindbuild"
)

// FromModules is the source of an image that is built from Go modules and Debian
// packages: see Provider.BuildFrom.
const FromModules = "modules"

// ErrBadSource says that a text names nothing that a node image can be built
// from.
var ErrBadSource = kindbuild.ErrBadSource

// RunKindBuilder runs kind's own builder if the environment asks this process
// for that, and returns the exit code of the process; otherwise ok is false. A
// program whose path is Options.Program calls it before anything else.
func RunKindBuilder(environ []string, out io.Writer) (code int, ok bool) {
	return kindbuild.Main(environ, out)
}

// Ensure makes the engine have the node image that a Resolution names: it is
// there, or it is pulled, or it is built. It returns the image's reference.
//
// Builds are cached by what goes into them, so that one which was interrupted
// goes on where it was, and of a second version only Kubernetes itself is
// built. One build runs at a time for each cache: another waits, and says so.
func (p *Provider) Ensure(ctx context.Context, want Resolution, progress build.Progress) (string, error) {
	ref := want.Image
	if ref == "" {
		ref = p.image(want.Version)
	}
	pullErr := p.puller.Have(ctx, ref, progress)
	var failed *images.PullError
	if !errors.As(pullErr, &failed) {
		return ref, pullErr
	}
	if ref != p.image(want.Version) {
		return "", &images.NoImageError{Image: ref, Registry: failed.Why, Build: "it is no image of " + p.repository}
	}
	if err := p.build(ctx, want.Version, progress, false); err != nil {
		return "", err
	}
	return ref, nil
}

// Build builds the node image of a version, also if the engine or the registry
// has one, and returns its reference. What the cache holds is not built again;
// so this is quick if the recipe has not changed.
func (p *Provider) Build(ctx context.Context, v clusters.Version, progress build.Progress) (string, error) {
	if err := p.build(ctx, v, progress, true); err != nil {
		return "", err
	}
	return p.image(v), nil
}

// BuildFrom builds a node image of a source, also if the engine or the registry
// has one, and returns its reference. The source is
//
//	"release"   the newest release that the constraint allows
//	"modules"   the same from Go modules and Debian packages
//	a URL       an archive like that of a release, kubernetes-server-*.tar.gz
//	a path      such an archive, or the folder of a source tree
//
// All but "modules" are built by kind's own builder. What is built must be of a
// version that the constraint allows, or the error is an ErrOtherVersion; a
// pre-release counts as the release that it leads to. A text that is no source
// is an ErrBadSource.
func (p *Provider) BuildFrom(ctx context.Context, constraint, source string, progress build.Progress) (string, error) {
	c, err := clusters.ParseConstraint(constraint)
	if err != nil {
		return "", err
	}
	if source == FromModules {
		r, err := p.resolveModules(ctx, c, "modules were asked for")
		if err != nil {
			return "", err
		}
		return r.Image, p.locked(ctx, r.Version, progress, true, func(b *build.Builder) error { return p.modules.Build(ctx, b, r.Version) })
	}
	from, err := kindbuild.ParseSource(source)
	if err != nil {
		return "", err
	}
	if err := p.kind.Able(); err != nil {
		return "", fmt.Errorf("%w of %s: kind's builder is needed for that, and %w", build.ErrCannotBuild, from, err)
	}
	v, _ := c.Exact()
	if from.Kind == kindbuild.Release {
		if v, err = p.kind.Newest(ctx, c); err != nil {
			return "", fmt.Errorf("a release of Kubernetes %q: %w; name the URL or the path of its archive, or build with --from %s", c, err, FromModules)
		}
	}
	var ref string
	err = p.locked(ctx, v, progress, true, func(b *build.Builder) error {
		ref, err = p.kind.Build(ctx, b, v, from, func(built string) (string, error) { return p.named(c, built) })
		return err
	})
	return ref, err
}

// named is the name of an image of the version built, which must be one that a
// constraint allows.
func (p *Provider) named(c clusters.Constraint, built string) (string, error) {
	release, _, _ := strings.Cut(strings.ReplaceAll(built, "+", "-"), "-")
	v, err := clusters.ParseVersion(release)
	if err != nil {
		return "", fmt.Errorf("%w: what was built says that it is %q: %w", ErrOtherVersion, built, err)
	}
	if !c.Match(v) {
		return "", fmt.Errorf("%w: what was built is Kubernetes %s, which does not match %q; write the version that it is", ErrOtherVersion, built, c)
	}
	return p.image(v), nil
}

// build makes the node image of a version; unless it is forced, not if another
// process has done so meanwhile. kind's builder is the first way, and Go modules
// the one if that cannot be gone.
func (p *Provider) build(ctx context.Context, v clusters.Version, progress build.Progress, force bool) error {
	notKind := p.choose(ctx, v, progress)
	if notKind != nil {
		if err := p.modules.Can(); err != nil {
			if p.kind.Program != "" {
				err = fmt.Errorf("%w; nor can kind's builder make it: %w", err, notKind)
			}
			return err
		}
	}
	return p.locked(ctx, v, progress, force, func(b *build.Builder) error {
		if notKind != nil {
			return p.modules.Build(ctx, b, v)
		}
		_, err := p.kind.Build(ctx, b, v, kindbuild.Source{Kind: kindbuild.Release}, func(built string) (string, error) { return p.named(exactly(v), built) })
		if err == nil || ctx.Err() != nil || errors.Is(err, store.ErrNoSpace) {
			return err
		}
		if cannot := p.modules.Can(); cannot != nil {
			return fmt.Errorf("with kind's builder: %w; nor can it be built from Go modules: %w", err, cannot)
		}
		if progress != nil {
			progress(Event{Image: b.Image, Stage: "kind's builder failed", State: Running, Text: "building from Go modules instead: " + build.OneLine(err.Error())})
		}
		again := &build.Builder{Store: b.Store, Area: b.Area, Progress: b.Progress, Beat: b.Beat, Image: b.Image}
		return p.modules.Build(ctx, again, v)
	})
}

// choose returns in one line why kind's builder cannot make the image of a
// version; nil if it can. It says which way is gone, and why.
func (p *Provider) choose(ctx context.Context, v clusters.Version, progress build.Progress) error {
	if err := p.kind.Able(); err != nil && p.kind.Program == "" {
		return err // not offered, so nothing is to be said
	}
	pulse := build.StartPulse(progress, Event{Image: p.image(v), Stage: "choosing how to build", Text: "asking for kind's base image and the release"}, p.beat)
	err := p.kind.Ready(ctx)
	if err == nil {
		_, err = p.kind.Newest(ctx, exactly(v))
	}
	text := "with kind's builder, of the release at " + p.kind.Host()
	if err != nil {
		text = fmt.Sprintf("from Go modules, because kind's builder cannot make it (%v)", err)
	}
	pulse.End(true, text)
	return err
}

// locked builds the node image of a version while no other build runs; unless it
// is forced, not if the engine has it by then.
func (p *Provider) locked(ctx context.Context, v clusters.Version, progress build.Progress, force bool, act func(*build.Builder) error) (err error) {
	ref := p.image(v)
	if v == (clusters.Version{}) {
		ref = "a node image" // whose version is known in the end
	}
	b := &build.Builder{Store: p.store, Area: store.NodeImages, Progress: progress, Beat: p.beat, Image: ref}
	unlock, err := b.Lock(ctx, "building "+ref)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if !force {
		if ok, err := p.engine.Has(ctx, ref); err != nil || ok {
			return err
		}
	}
	if err := act(b); err != nil {
		return fmt.Errorf("building %s: %w", ref, err)
	}
	return nil
}
