package wiring

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/admission"
	"github.com/kind-lab/lab/clusters/engine"
	"github.com/kind-lab/lab/clusters/kind"
	"github.com/kind-lab/lab/clusters/nodeimage"
	"github.com/kind-lab/lab/clusters/podimage"
	"github.com/kind-lab/lab/clusters/pool"
	"github.com/kind-lab/lab/labs/plan"
)

// openKind finds the container engine and wires to it what makes clusters with
// kind, and keeps them.
func openKind(ctx context.Context, w *Parts) (Backend, error) {
	found, host, err := engine.DetectHost(ctx, w.Getenv)
	if err != nil {
		return nil, err
	}
	images, err := nodeimage.New(nodeimage.Options{Engine: found, Program: w.program})
	if err != nil {
		return nil, err
	}
	pods, err := podimage.New(podimage.Options{Engine: found, Puller: images.Puller()})
	if err != nil {
		return nil, err
	}
	limits, err := poolOptions(w.Getenv, host)
	if err != nil {
		return nil, err
	}
	var kept *pool.Pool
	slots := admission.Options{
		Dir: filepath.Join(CacheDir(w.Getenv), "boot"), Slots: kind.MaxParallelCreates(host),
		Evict: func(ctx context.Context) (string, error) { return kept.Evict(ctx) },
	}
	if host.Local {
		slots.Proc = "/proc"
	}
	maker := kind.New(found, host, kind.Options{
		EnsureImage: func(ctx context.Context, ref string, progress func(string)) error {
			return pods.Ensure(ctx, ref, Lines(progress))
		},
		Admit: admission.New(slots).Admit,
	})
	kept = pool.New(maker, limits)
	w.Pool, w.Fresh, w.Tools, w.MaxCreates = kept, maker, maker, kind.MaxParallelCreates(host)
	w.Images, w.Resolve = nodeImages{images}, nodeImages{images}.resolve
	return kindBackend{kept, maker}, nil
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
