// Package build runs builds of images: stages whose results are kept in the store,
// the progress that they report, and the child processes that they run.
package build

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kind-lab/lab/clusters/internal/store"
)

// Stage is one step of a build, with all that its result depends on.
type Stage struct {
	// Kind names what it makes, such as "containerd"; Name says it for people,
	// such as "containerd 2.3.4".
	Kind, Name string
	// Inputs are all that the result depends on, in a fixed order.
	Inputs []string
	// Make makes it in the empty folder dir.
	Make func(ctx context.Context, dir string, say func(string)) error
}

// Key is the hash of the stage's inputs.
func (s Stage) Key() string { return store.Key(s.Kind, s.Inputs) }

// Builder builds one image, stage by stage. Its area must be locked: see Lock.
type Builder struct {
	// Store keeps the stages, and Area is the part of it that is locked.
	Store store.Store
	Area  store.Area
	// Progress takes events, at least one each Beat; it may be nil.
	Progress Progress
	Beat     time.Duration
	// Image is the image that is built.
	Image string
	// Steps is how many stages and steps there are in all.
	Steps int

	step int
}

// Lock locks the builder's area for what, such as "building busybox:1.35", and
// says while it waits for whom. The returned function unlocks it.
func (b *Builder) Lock(ctx context.Context, what string) (func() error, error) {
	var said time.Time
	begun := time.Now()
	return b.Store.Lock(ctx, b.Area, what, func(holder string) {
		if now := time.Now(); b.Progress != nil && now.Sub(said) >= b.Beat {
			said = now
			b.Progress(Event{Image: b.Image, Stage: "waiting for another build", State: Waiting, Text: holder, Elapsed: now.Sub(begun)})
		}
	})
}

// Stage returns the folder of a stage, which is built unless it is there.
func (b *Builder) Stage(ctx context.Context, s Stage) (string, error) {
	b.step++
	key := s.Key()
	event := Event{Image: b.Image, Stage: s.Name, Step: b.step, Steps: b.Steps}
	if dir, ok := b.Store.Find(s.Kind, key); ok {
		if b.Progress != nil {
			event.State = Cached
			b.Progress(event)
		}
		return dir, nil
	}
	begun := time.Now()
	p := StartPulse(b.Progress, event, b.Beat)
	dir, err := b.fresh(ctx, s, key, begun, p.Say)
	p.End(err == nil, "")
	if err != nil {
		return "", fmt.Errorf("building %s: %w", s.Name, err)
	}
	return dir, nil
}

// fresh builds a stage. What it had made is removed where it fails.
func (b *Builder) fresh(ctx context.Context, s Stage, key string, begun time.Time, say func(string)) (string, error) {
	part, err := b.Store.Begin(b.Area, s.Kind, key)
	if err != nil {
		return "", err
	}
	if err := s.Make(ctx, part, say); err != nil {
		return "", errors.Join(store.SpaceError(err), store.RemoveTree(part))
	}
	if err := ctx.Err(); err != nil {
		return "", errors.Join(err, store.RemoveTree(part))
	}
	now := time.Now()
	dir, err := b.Store.Finish(part, store.Part{
		Name: s.Name, Kind: s.Kind, Key: key, Inputs: s.Inputs, Built: now.UTC(), Seconds: now.Sub(begun).Seconds(),
	})
	if err != nil {
		return "", errors.Join(err, store.RemoveTree(part))
	}
	return dir, nil
}

// Step runs a step whose result is not in the cache but in the engine.
func (b *Builder) Step(ctx context.Context, name string, act func(ctx context.Context, say func(string)) error) error {
	b.step++
	p := StartPulse(b.Progress, Event{Image: b.Image, Stage: name, Step: b.step, Steps: b.Steps}, b.Beat)
	err := act(ctx, p.Say)
	p.End(err == nil, "")
	if err != nil {
		return fmt.Errorf("building %s: %w", name, store.SpaceError(err))
	}
	return nil
}
