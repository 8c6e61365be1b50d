package world

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/engine"
	"github.com/kind-lab/lab/clusters/kind"
	"github.com/kind-lab/lab/clusters/nodeimage"
	"github.com/kind-lab/lab/clusters/pool"
	"github.com/kind-lab/lab/clusters/room"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/run"
)

// openEngine finds the container engine and wires to it what makes clusters.
func openEngine(ctx context.Context, o Options) (*World, error) {
	found, host, err := engine.DetectHost(ctx, o.Getenv)
	if err != nil {
		return nil, err
	}
	images, err := nodeimage.New(nodeimage.Options{Engine: found})
	if err != nil {
		return nil, err
	}
	limits, err := poolOptions(o.Getenv, host)
	if err != nil {
		return nil, err
	}
	var lent *pool.Pool
	space := room.Options{
		Dir: filepath.Join(CacheDir(o.Getenv), "boot"), Places: kind.MaxParallelCreates(host),
		Evict: func(ctx context.Context) (string, error) { return lent.Evict(ctx) },
	}
	if host.Local {
		space.Proc = "/proc"
	}
	provisioner := kind.New(found, host, kind.Options{
		EnsureImage: func(ctx context.Context, ref string, progress func(string)) error {
			return images.EnsureImage(ctx, ref, Lines(progress))
		},
		Admit: room.New(space).Admit,
	})
	lent = pool.New(provisioner, limits)
	return &World{
		Provisioners: map[string]run.Provisioner{clusters.ProviderKind: lent},
		Pool:         lent,
		Fresh:        provisioner,
		Tools:        provisioner,
		Images:       nodeImages{images},
		Connect: func(h clusters.Handle) (run.Cluster, error) {
			return connect(h, provisioner)
		},
		Resolve:    nodeImages{images}.resolve,
		Remaining:  func(ctx context.Context) ([]clusters.Remaining, error) { return remaining(ctx, provisioner) },
		MaxCreates: kind.MaxParallelCreates(host),
		Getenv:     o.Getenv,
		Reaper:     o.Reaper,
	}, nil
}

func remaining(ctx context.Context, p *kind.Provisioner) ([]clusters.Remaining, error) {
	list, err := p.List(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]clusters.Remaining, 0, len(list))
	for _, c := range list {
		out = append(out, clusters.Remaining{ID: c.ID, Nodes: c.Nodes, Created: c.Created})
	}
	return out, nil
}

// nodeImages provides what a plan asks for.
type nodeImages struct{ *nodeimage.Provider }

// Ensure returns once the engine has the image.
func (n nodeImages) Ensure(ctx context.Context, image plan.Image, progress func(string)) error {
	resolution := nodeimage.Resolution{Image: image.Ref}
	if image.Version != "" {
		version, err := clusters.ParseVersion(image.Version)
		if err != nil {
			return err
		}
		resolution.Version = version
	}
	_, err := n.Provider.Ensure(ctx, resolution, Lines(progress))
	return err
}

func (n nodeImages) resolve(ctx context.Context, constraint, image string) (plan.Image, error) {
	r, err := n.Resolve(ctx, constraint, image)
	if errors.Is(err, nodeimage.ErrNoVersion) || errors.Is(err, nodeimage.ErrCannotBuild) {
		return plan.Image{}, unavailableError{err}
	}
	if err != nil {
		return plan.Image{}, err
	}
	return plan.Image{Version: r.Version.String(), Source: string(r.Source), Ref: r.Image, Why: r.Why, Estimate: r.Estimate}, nil
}

// unavailableError is an error of a resolution that is a plan.ErrUnavailable,
// and says nothing more for it.
type unavailableError struct{ error }

// Is makes it a plan.ErrUnavailable.
func (unavailableError) Is(target error) bool { return target == plan.ErrUnavailable }

// Unwrap returns the resolution's error.
func (e unavailableError) Unwrap() error { return e.error }

// Lines turns the events of a build into lines.
func Lines(progress func(string)) nodeimage.Progress {
	return func(e nodeimage.Event) { progress(eventLine(e)) }
}

// eventLine is an event as "[3/9] containerd 2.3.4: 12s: compiling …".
func eventLine(e nodeimage.Event) string {
	var b strings.Builder
	if e.Steps > 0 {
		fmt.Fprintf(&b, "[%d/%d] ", e.Step, e.Steps)
	}
	b.WriteString(e.Stage)
	switch e.State {
	case nodeimage.Cached:
		b.WriteString(": there already")
	case nodeimage.Done:
		fmt.Fprintf(&b, ": done in %s", e.Elapsed.Round(100*time.Millisecond))
	default:
		if e.Elapsed >= time.Second {
			fmt.Fprintf(&b, ": %s", e.Elapsed.Round(time.Second))
		}
	}
	if e.Text != "" {
		b.WriteString(": " + e.Text)
	}
	return b.String()
}
