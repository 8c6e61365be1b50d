package nodeimage

import (
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/store"
)

// The states of an Event.
const (
	// Waiting: another process builds, or removes; Text says which.
	Waiting = build.Waiting
	// Running: the stage is under way; Text says what it is at.
	Running = build.Running
	// Done: the stage has just ended.
	Done = build.Done
	// Cached: the stage was there already.
	Cached = build.Cached
)

// Event is how far an image is; see Progress.
type Event = build.Event

// Progress takes events as they happen: one at a stage's begin and end, and
// one at least every ten seconds while it runs. It may be nil. It is called
// from one goroutine at a time.
type Progress = build.Progress

// The roles of an Image.
const (
	// RoleNode is an image that nodes are made of.
	RoleNode = images.RoleNode
	// RoleBase is what node images built here are layered on.
	RoleBase = images.RoleBase
	// RolePod is an image of pods that was built here.
	RolePod = images.RolePod
)

// NoImageError is an ErrNoImage that names the image and what was tried.
type NoImageError = images.NoImageError

var (
	// ErrNoImage says that an image is not in the engine, cannot be pulled and
	// cannot be built here. The error is a *NoImageError.
	ErrNoImage = images.ErrNoImage
	// ErrNoSpace says that a disk is full, or too full to begin.
	ErrNoSpace = store.ErrNoSpace
	// ErrCannotBuild says that this machine cannot build images at all; the
	// error's text says what it lacks.
	ErrCannotBuild = build.ErrCannotBuild
)
