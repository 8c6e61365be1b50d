package build

import (
	"time"
)

// The states of an Event.
const (
	// Waiting: another process builds, or removes; Text says who.
	Waiting = "waiting"
	// Running: the stage is under way; Text says what it is at.
	Running = "running"
	// Done: the stage has just ended.
	Done = "done"
	// Cached: the stage was there already.
	Cached = "cached"
)

// Event is how far an image is.
type Event struct {
	// Image is the image that is being had.
	Image string `json:"image"`
	// Stage is what is made, such as "containerd 2.3.4".
	Stage string `json:"stage"`
	// Step counts the stages from 1 to Steps; both are 0 where there are none,
	// as when an image is pulled.
	Step  int `json:"step,omitempty"`
	Steps int `json:"steps,omitempty"`
	// State is Waiting, Running, Done or Cached.
	State string `json:"state"`
	// Text is what the stage is at, in one line; it may be empty.
	Text string `json:"text,omitempty"`
	// Elapsed is how long the stage has taken so far.
	Elapsed time.Duration `json:"elapsed_ns"`
}

// Progress takes events as they happen: one at a stage's begin and end, and
// one at least every ten seconds while it runs. It may be nil. It is called
// from one goroutine at a time.
type Progress func(Event)
