package nodeimage

import (
	"sync"
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

// heartbeat is how often a running stage says what it is at.
const heartbeat = 5 * time.Second

// pulse says what a stage is at now and then, until it is stopped.
type pulse struct {
	progress Progress
	event    Event
	begun    time.Time

	mu   sync.Mutex
	text string
	stop chan struct{}
	done chan struct{}
}

// startPulse says that a stage has begun, and goes on saying what it is at.
func startPulse(progress Progress, event Event, every time.Duration) *pulse {
	p := &pulse{progress: progress, event: event, begun: time.Now(), stop: make(chan struct{}), done: make(chan struct{})}
	p.event.State = Running
	p.tell(event.Text)
	go p.beat(every)
	return p
}

func (p *pulse) beat(every time.Duration) {
	defer close(p.done)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
			p.mu.Lock()
			text := p.text
			p.mu.Unlock()
			p.tell(text)
		}
	}
}

// say notes what the stage is at; it is told with the next beat.
func (p *pulse) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
}

// tell passes an event on.
func (p *pulse) tell(text string) {
	if p.progress == nil {
		return
	}
	e := p.event
	e.Text, e.Elapsed = text, time.Since(p.begun)
	p.progress(e)
}

// end stops the pulse; where the stage went well it says so, with text.
func (p *pulse) end(ok bool, text string) {
	close(p.stop)
	<-p.done
	if ok {
		p.event.State = Done
		p.tell(text)
	}
}
